/** Tells lines, CSV, TSV, NDJSON and JSON apart, and finds a CSV's delimiter, by the name and the first bytes. */
import { UsageError } from '../errors.ts';
import { parseJson } from '../json/parse.ts';
import type { InputKind, OwnTable } from '../rows/input-row.ts';
import { type ColumnWish, wantedNames } from './column.ts';
import { isAlike, rowsSearched } from './names.ts';

const kindByExtension: ReadonlyMap<string, InputKind> = new Map([
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['tab', 'tsv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'json'],
  ['xlsx', 'xlsx'],
  ['txt', 'lines'],
  ['list', 'lines'],
]);

/** Gives the kind that the file's extension, but for `.gz`, promises; undefined for others and for standard input. */
export function kindByName(path: string): InputKind | undefined {
  const extension = /\.([^./\\]+?)(?:\.gz)?$/i.exec(path)?.[1];
  return extension === undefined ? undefined : kindByExtension.get(extension.toLowerCase());
}

export interface InputForm {
  readonly path: string;
  readonly format?: InputKind | undefined;
  readonly sheet?: string | undefined;
  /** It is `--encoding`, as the WHATWG names it. */
  readonly encoding?: string | undefined;
}

export interface FormatRequest extends InputForm, ColumnWish {
  /** Loads the columns that pdi writes: they show a CSV by its header, also one without a column for this command. */
  readonly loadKnown?: () => Promise<readonly string[]>;
}

export interface Format extends Pick<OwnTable, 'delimiter' | 'lineEnd'> {
  readonly kind: InputKind;
  readonly mayBeEmpty: boolean;
}

/** Tells the format by the beginning of a text. @throws UsageError where its name says another, and for a table of an unknown separator */
export async function formatOf(head: string, separator: string | undefined, request: FormatRequest, name: string): Promise<Format> {
  const { path, format, column, headerRow } = request;
  if (format === undefined && isJsonCalledTable(path, head)) throw jsonCalledTable(name);
  const wanted = wantedNames(request);
  const hasColumns = column !== undefined || separator !== undefined || headerRow !== undefined;
  // Most files tell their kind by their name, and to load the columns of all commands takes a tenth of a start.
  const known = format === undefined && !hasColumns && needsContent(path, head) ? await request.loadKnown?.() : undefined;
  const kind = format ?? guessKind(path, head, { wanted, known }, hasColumns);
  if (kind === 'lines' && format === undefined && beginsWithColumn(head, request.candidates)) throw unknownSeparator(name);
  const lines = head.split('\n').slice((headerRow ?? 1) - 1);
  // An empty NDJSON and `[]` are what a run that found nothing writes.
  const mayBeEmpty = head.trim() === '' ? (format ?? kindByName(path)) === 'ndjson' : kind === 'json';
  const delimiter = separator ?? delimiterOfTable(kind, format, lines.join('\n') || head, wanted);
  return { kind, lineEnd: lineEndOf(head), mayBeEmpty, delimiter };
}

const unknownSeparator = (name: string): UsageError =>
  new UsageError(`${name} is a table whose columns are not told apart by commas, semicolons, tabs or bars`, {
    item: name,
    hint: 'Save it as CSV, or name its separator in a line above the header, such as sep=:; a plain list needs --input-format lines.',
  });

const jsonCalledTable = (name: string): UsageError =>
  new UsageError(`${name} is JSON, not a table`, {
    item: name,
    hint: 'Say --input-format ndjson where each line is a record, else --input-format json.',
  });

interface HeaderNames {
  readonly wanted: readonly string[];
  readonly known?: readonly string[] | undefined;
}

/** Tells whether the first bytes must be looked at, because the name promises no table, or names one that they do not show. */
const needsContent = (path: string, head: string): boolean => {
  const promised = kindByName(path);
  if (promised === 'json' || promised === 'ndjson') return !/^[[{]/.test(firstLine(head));
  return promised === undefined || promised === 'lines';
};

/** Tells the kind by name and first bytes. A named column or separator means a table, so that the error for a misspelt one lists all. */
function guessKind(path: string, head: string, names: HeaderNames, hasColumns: boolean): InputKind {
  const promised = kindByName(path);
  if (promised !== undefined && !needsContent(path, head)) return promised === 'json' ? jsonKindByContent(head) : promised;
  const shown = kindByContent(head, names, promised === 'lines' && !hasColumns);
  if (promised === 'json' || promised === 'ndjson') return findHeader(head, names) === undefined ? 'ndjson' : shown;
  return hasColumns && shown === 'lines' ? 'csv' : shown;
}

function kindByContent(head: string, names: HeaderNames, isCalledLines: boolean): InputKind {
  const line = firstLine(head);
  const found = findHeader(head, names);
  const { row, cells } = found ?? firstCells(head, names.wanted);
  if (beginsJson(line, found !== undefined)) return jsonKindByContent(head);
  if (row.includes('\t')) return 'tsv';
  if (found !== undefined || isSeparated(head)) return 'csv';
  if (looksLikeHeader(cells) && (!isCalledLines || hasEvenRows(head, cells.length))) return 'csv';
  // `jq '.id'` prints one JSON string a line.
  return !isCalledLines && /^"[^"]+"$/.test(line) ? 'ndjson' : 'lines';
}

interface RoughRow {
  readonly row: string;
  readonly delimiter: string;
  readonly cells: readonly string[];
}

const roughRow = (row: string, wanted: readonly string[]): RoughRow => {
  const delimiter = delimiterOf(row, wanted);
  return { row, delimiter, cells: roughCells(row, delimiter) };
};

/** Gives the cells of the first row that is not blank. It is for guessing only. */
export const firstCells = (head: string, wanted: readonly string[]): RoughRow =>
  roughRow((firstRow(head) ?? firstLine(head)).trimEnd(), wanted);

export const cellsOfFirst = (head: string, wanted: readonly string[]): (readonly string[])[] =>
  firstRowsOf(head).map((row) => roughRow(row, wanted).cells);

/** No header of a table is JSON by itself. */
function isJsonCalledTable(path: string, head: string): boolean {
  const promised = kindByName(path);
  const line = firstLine(head);
  return (
    (promised === 'csv' || promised === 'tsv') &&
    /^(?:[[{]$|[[{]\s*["[{])/.test(line) &&
    (line.length === 1 || isJsonLine(line) || /^[[{]+\s*"[^"]*"\s*:/.test(line))
  );
}

/** Gives the first row that shows a table by its names. Below the first row, where lines may stand as well, one word must not. */
function findHeader(head: string, { wanted, known = [] }: HeaderNames): RoughRow | undefined {
  const rows = firstRowsOf(head).map((row) => roughRow(row.trimEnd(), wanted));
  const found = rows.find(({ cells }, at) => holdsWanted(cells, wanted) && (at === 0 || cells.length > 1 || isNoteAbove(rows, at)));
  if (found !== undefined) return found;
  return rows.find(({ cells }, at) => holdsKnown(cells, known) && (at === 0 || (cells.length > 1 && cells.every(isWord))));
}

const isNoteAbove = (rows: readonly RoughRow[], at: number): boolean =>
  rows.slice(0, at).every(({ row }) => /\s|^#|:$/.test(row.trim())) && /[_.]/.test(rows[at]?.row ?? '');

const isWord = (cell: string): boolean => /^\p{L}[\p{L}_.\d ]*$/u.test(cell);

/** No identifier holds a semicolon or a bar, so rows that all have as many of them are a table. */
function isSeparated(head: string): boolean {
  const rows = firstRowsOf(head);
  return [';', '|'].some((delimiter) => {
    const [count = 1, ...others] = rows.map((row) => roughCells(row, delimiter).length);
    return count > 1 && others.length > 0 && others.every((other) => other === count);
  });
}

const hasEvenRows = (head: string, width: number): boolean => {
  const [first = '', second = ''] = firstRowsOf(head);
  return roughCells(second, delimiterOf(first, [])).length === width;
};

/** A column may be called `[Account]`, as databases write it, and in JSON no plain word comes after the first bracket. */
const beginsJson = (line: string, isTable: boolean): boolean => /^[[{]/.test(line) && !(isTable && /^[[{]\s*\p{L}/u.test(line));

/** A plain word such as `location` may be an identifier by itself, and is a column beside others. */
const holdsKnown = (cells: readonly string[], known: readonly string[]): boolean =>
  cells.some((cell) => known.includes(pathOfList(cell)) && (cells.length > 1 || /[_.]/.test(cell)));

/** `--fields` also reaches into lists, as in `experience.0.title`. */
const pathOfList = (name: string): string => name.replace(/\.\d+(?:\..*)?$/, '');

/** Three words are a header, or two if one is written as a field (`full_name`). To ask for the lines of a table may be billed. */
const looksLikeHeader = (cells: readonly string[]): boolean =>
  cells.every((cell) => /^\p{L}[^\d]*$/u.test(cell)) &&
  (cells.length > 2 || (cells.length === 2 && cells.some((cell) => /^\p{L}+[_.]\p{L}+/u.test(cell))));

function jsonKindByContent(head: string): 'json' | 'ndjson' {
  const line = firstLine(head);
  if (!/^[{[]/.test(line)) return 'ndjson';
  return isJsonLine(line) && (line.startsWith('{') || hasMoreLines(head)) ? 'ndjson' : 'json';
}

/** Unlike identifiers, records never come as lines. */
export type RecordKind = Exclude<InputKind, 'lines'>;

export function recordKindByName(path: string): RecordKind | undefined {
  const kind = kindByName(path);
  return kind === 'lines' ? undefined : kind;
}

/** Gives the kind of records that the first bytes show; `known` are columns of records. Reports such as `pdi spend` have others. */
export function recordKindByContent(head: string, known: readonly string[]): RecordKind | undefined {
  const { delimiter, cells } = firstCells(head, known);
  const isTable = holdsWanted(cells, known) || holdsKnown(cells, known);
  if (beginsJson(firstLine(head), isTable)) return jsonKindByContent(head);
  if (!isTable && !looksLikeHeader(cells)) return undefined;
  return delimiter === '\t' ? 'tsv' : 'csv';
}

const hasMoreLines = (head: string): boolean => /\S[^\n]*\n\s*\S/.test(head);

function isJsonLine(line: string): boolean {
  try {
    parseJson(line);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether the first line goes on behind a field's name, as in `company_id:name`. No identifier does. */
const beginsWithColumn = (head: string, wanted: readonly string[]): boolean => {
  const line = firstLine(head).toLowerCase();
  return wanted.some((name) => name.includes('_') && line.startsWith(name) && /^[^\w.-].*\p{L}/u.test(line.slice(name.length)));
};

const firstLine = (head: string): string => head.trimStart().split('\n', 1)[0]?.trim() ?? '';

/** A quoted name of a header may go over several lines. A quote within a name is an ordinary character. */
const wholeRow = /^(?:(?:"(?:[^"]|"")*"(?!")|(?!"))[^,;\t|\n]*(?:[,;\t|]|(?=\n|$)))+?(?=\n|$)/;

/** Gives the first row that is not blank, without its line end; undefined where its quotes do not close. */
export const firstRow = (head: string): string | undefined => wholeRow.exec(head.trimStart())?.[0];

export function firstRowsOf(head: string): readonly string[] {
  const rows: string[] = [];
  for (let rest = withoutBlankLines(head); rest.trim() !== '' && rows.length < rowsSearched; ) {
    const row = wholeRow.exec(rest)?.[0] ?? rest.split('\n', 1)[0] ?? '';
    rows.push(row);
    rest = withoutBlankLines(rest.slice(row.length));
  }
  return rows;
}

const withoutBlankLines = (text: string): string => text.replace(/^(?:[^\S\n]*\n)+/, '');

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter of the header, which may stand below notes, else that of the widest of the first rows. */
function findDelimiter(head: string, wanted: readonly string[]): string {
  const found = findHeader(head, { wanted });
  if (found !== undefined && found.cells.length > 1) return found.delimiter;
  const rows = firstRowsOf(head).map((row) => roughRow(row, wanted));
  return (rows.find(({ cells }) => cells.length > 1) ?? rows[0])?.delimiter ?? ',';
}

/** A file may be called .tsv and have no tab; `--input-format tsv` decides. */
export const delimiterOfTable = (kind: InputKind, format: InputKind | undefined, head: string, wanted: readonly string[]): string =>
  kind === 'tsv' && (format === 'tsv' || head.includes('\t')) ? '\t' : findDelimiter(head, wanted);

/** The delimiter that yields a wanted column wins, else the most frequent outside quotes, else a comma. Spreadsheets may write `;`. */
function delimiterOf(row: string, wanted: readonly string[]): string {
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of delimiters) {
    const cells = roughCells(row, delimiter);
    const score = cells.length - 1 + (cells.length > 1 && cells.some((cell) => isWanted(cell, wanted)) ? row.length : 0);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

const holdsWanted = (cells: readonly string[], wanted: readonly string[]): boolean => cells.some((cell) => isWanted(cell, wanted));

const isWanted = (cell: string, wanted: readonly string[]): boolean => wanted.some((name) => isAlike(cell, name));

/** It is for guessing only: a delimiter between quotes does not count, and the quotes are dropped. */
const roughCells = (row: string, delimiter: string): string[] =>
  row
    .replace(/"[^"]*"?/g, (quoted) => quoted.replace(/[",;\t|]/g, ''))
    .split(delimiter)
    .map((cell) => cell.trim());

/** Gives the line end of the first row that is not blank, which is the first one outside quotes. */
export function lineEndOf(head: string): '\n' | '\r\n' {
  const row = /^(?:"[^"]*(?:"|$)|[^"\n]+)*/.exec(head.replace(/^[\r\n]+/, ''))?.[0] ?? '';
  return row.endsWith('\r') ? '\r\n' : '\n';
}
