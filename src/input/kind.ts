/** Tells lines, CSV, TSV, NDJSON and JSON apart, and finds a CSV's delimiter, by the name and the first bytes. */
import { nameKey } from '../contract/identifier.ts';
import { attempt } from '../errors.ts';
import { parseJson } from '../json/exact.ts';
import type { InputKind, OwnTable } from '../rows/row.ts';
import {
  type ColumnWish,
  hasShape,
  headerAt,
  isFieldName,
  isHeaderTold,
  isValue,
  rowsSearched,
  wantedKeys,
} from './column.ts';
import { mistakeIn } from './lines.ts';
import { refuseOtherText } from './other-formats.ts';
import type { Cut } from './separated.ts';

const tableKinds = { csv: 'csv', tsv: 'tsv', tab: 'tsv', xlsx: 'xlsx' } as const;
const textKinds = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  txt: 'lines',
  list: 'lines',
} as const;
const kindByExtension: ReadonlyMap<string, InputKind> = new Map(
  Object.entries({ ...tableKinds, ...textKinds }),
);

/** Gives the kind that the file's extension, but for `.gz`, promises; undefined for others and for standard input. */
export function kindByName(name: string): InputKind | undefined {
  const extension = /\.([^./\\]+?)(?:\.gz)?$/i.exec(name)?.[1];
  return extension === undefined ? undefined : kindByExtension.get(extension.toLowerCase());
}

export interface Format extends Pick<OwnTable, 'lineEnd'>, Cut {
  readonly kind: InputKind;
  readonly mayBeEmpty: boolean;
  readonly head: Head;
}

interface HeadRow {
  readonly raw: string;
  readonly delimiter: string;
  readonly cells: readonly string[];
  readonly isWanted: boolean;
}

interface Head {
  readonly text: string;
  readonly line: string;
  readonly rows: readonly (HeadRow & RawRow)[];
}

interface RawRow {
  readonly raw: string;
  /** So many characters come after it. */
  readonly left: number;
  /** Its quotes do not close. */
  readonly isOpen: boolean;
}

/**
 * Gives the beginning of a pipe that tells what it is, in whole rows and as few as may be, so that it is the same however the bytes arrive;
 * undefined where a header may stand further down.
 */
export function tellingPart(beginning: string, wish: ColumnWish): string | undefined {
  const text = beginning.slice(0, beginning.lastIndexOf('\n') + 1);
  const { inputFormat: format } = wish;
  if ((format === undefined || isJsonKind(format)) && /^\s*[[{](?![^\S\n]*\p{L})/u.test(text))
    // An array in one line may be all there is, or the first row of NDJSON. What comes after it tells.
    return /^\s*\[[^\n]*\n\s*$/.test(text) ? undefined : text;
  const { rows } = lookAt(text, wish);
  const open = rows.findIndex(({ isOpen }) => isOpen);
  const whole = open < 0 ? rows : rows.slice(0, open);
  const last = whole.find(
    (_row, at) => at + 1 === rowsSearched || isTold(whole.slice(0, at + 1), wish),
  );
  return last && text.slice(0, text.length - last.left + 1);
}

/** A list is told by its first row where that has the shape of an identifier, because any other word may be a title. */
function isTold(rows: readonly HeadRow[], wish: ColumnWish): boolean {
  const { inputFormat: format, column, headerRow, candidates } = wish;
  if (isHeaderTold(rows, wish)) return true;
  if (format === 'csv' || format === 'tsv' || column !== undefined || headerRow !== undefined)
    return false;
  const [first, ...others] = rows;
  const [text = '', ...cells] = first?.cells ?? [];
  return (
    format !== undefined ||
    (others.length === 0 && cells.length === 0 && hasShape(text, candidates))
  );
}

/** What stands above the line of `--header-row` says nothing about the rows. */
function lookAt(text: string, wish: ColumnWish): Head {
  const wanted = wantedKeys(wish);
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? '';
  const above = new RegExp(`^(?:[^\\n]*\\n){0,${(wish.headerRow ?? 1) - 1}}`);
  const rows = firstRowsOf(text.replace(above, '')).map((row) => ({
    ...row,
    ...headRow(row.raw, wanted),
  }));
  return { text, line, rows };
}

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that yields a wanted column wins, else the most frequent outside quotes, else a comma. Spreadsheets may write `;`. */
function headRow(raw: string, wanted: ReadonlySet<string>): HeadRow {
  const cuts = delimiters.map((delimiter): HeadRow => {
    const cells = roughCells(raw, delimiter);
    return { raw, delimiter, cells, isWanted: cells.some((cell) => wanted.has(nameKey(cell))) };
  });
  const score = ({ cells, isWanted }: HeadRow): number =>
    cells.length - 1 + (cells.length > 1 && isWanted ? raw.length : 0);
  return cuts.reduce((best, cut) => (score(cut) > score(best) ? cut : best));
}

const quotedPart = /"[^"]*"?/g;

/** It is for guessing only: delimiters between quotes do not count, and quotes are dropped, also behind a blank, where CSV has none. */
const roughCells = (raw: string, delimiter: string): readonly string[] =>
  raw
    .replace(quotedPart, (quoted) => quoted.replace(/[",;\t|]/g, ''))
    .split(delimiter)
    .map((cell) => cell.trim());

/** Tells the format by the beginning of a text. @throws UsageError where it is no list or its name says another, and for an unknown separator */
export async function formatOf(
  text: string,
  separator: string | undefined,
  wish: ColumnWish,
  name: string,
): Promise<Format> {
  const head = lookAt(text, wish);
  refuseOtherText(text, headerAt(head.rows, wish) !== undefined, name);
  const { inputFormat: format, column, headerRow } = wish;
  const promised = format ?? kindByName(name);
  if (format === undefined && (promised === 'csv' || promised === 'tsv') && isJsonText(head.line))
    throw mistakeIn(
      name,
      'is JSON, not a table',
      'Say --input-format ndjson where each line is a record, else --input-format json.',
    );
  const hasColumns = column !== undefined || separator !== undefined || headerRow !== undefined;
  const isPromised = format !== undefined || keepsPromise(promised, head);
  // Most files tell their kind by their name, and to load the columns of all commands takes a tenth of a start.
  const known = isPromised || hasColumns ? [] : await wish.loadKnown?.();
  const kind =
    format ?? guessKind(promised, head, { known, candidates: wish.candidates, hasColumns });
  if (kind === 'lines' && format === undefined && beginsWithColumn(head.line, wish.candidates))
    throw mistakeIn(
      name,
      'is a table whose columns are not told apart by commas, semicolons, tabs or bars',
      nameSeparator,
    );
  const delimiter = separator ?? delimiterOf(kind, format, head);
  return {
    kind,
    delimiter,
    ...(hasQuotesBehindBlanks(headerIn(head) ?? head.rows[0], delimiter) && {
      quotesBehindBlanks: true,
    }),
    lineEnd: head.rows[0]?.raw.endsWith('\r') === true ? '\r\n' : '\n',
    // An empty NDJSON and `[]` are what a run that found nothing writes.
    mayBeEmpty: head.line === '' ? promised === 'ndjson' : kind === 'json',
    head,
  };
}

const nameSeparator =
  'Save it as CSV, or name its separator in a line above the header, such as sep=:; a plain list needs --input-format lines.';

function hasQuotesBehindBlanks(header: HeadRow | undefined, delimiter: string): boolean {
  const separator = delimiter === '\t' ? '\t' : `\\${delimiter}`;
  return (
    header !== undefined &&
    new RegExp(`${separator} +"(?:[^"]|"")*" *\r*(?:${separator}|$)`).test(header.raw)
  );
}

const isJsonKind = (kind: InputKind | undefined): boolean => kind === 'json' || kind === 'ndjson';

const keepsPromise = (promised: InputKind | undefined, { line }: Head): promised is InputKind =>
  isJsonKind(promised) ? /^[[{]/.test(line) : promised !== undefined && promised !== 'lines';

interface Telling {
  readonly known: readonly string[] | undefined;
  readonly candidates: readonly string[];
  readonly hasColumns: boolean;
}

/** A named column or separator means a table, so that the error for a misspelt one lists all. */
function guessKind(
  promised: InputKind | undefined,
  head: Head,
  { known, candidates, hasColumns }: Telling,
): InputKind {
  if (keepsPromise(promised, head)) return promised === 'json' ? jsonKind(head) : promised;
  const header = headerIn(head, known);
  if (header === undefined && isJsonKind(promised)) return 'ndjson';
  const shown = shownKind(
    head,
    header,
    promised === 'lines' && !hasColumns,
    candidates.includes('name'),
  );
  return hasColumns && shown === 'lines' ? 'csv' : shown;
}

function shownKind(
  head: Head,
  header: HeadRow | undefined,
  isCalledLines: boolean,
  areNames: boolean,
): InputKind {
  const [first = headRow('', new Set()), second] = head.rows;
  if (beginsJson(head.line, header !== undefined)) return jsonKind(head);
  if ((header?.raw.trimEnd() ?? first.raw.trim()).includes('\t')) return 'tsv';
  if (header !== undefined || isSeparated(head, areNames) || isHeaded(head)) return 'csv';
  const isEven =
    second !== undefined && roughCells(second.raw, first.delimiter).length === first.cells.length;
  if (looksLikeHeader(first.cells) && (!isCalledLines || isEven)) return 'csv';
  // `jq '.id'` prints one JSON string a line.
  return !isCalledLines && /^"[^"]+"$/.test(head.line) ? 'ndjson' : 'lines';
}

/** No header of a table is JSON by itself. */
const isJsonText = (line: string): boolean =>
  /^(?:[[{]$|[[{]\s*["[{])/.test(line) &&
  (line.length === 1 || isJsonLine(line) || /^[[{]+\s*"[^"]*"\s*:/.test(line));

/** Gives the first row that shows a table by its names. Below the first row, where lines may stand as well, one plain word must not. */
function headerIn({ rows }: Head, known: readonly string[] = []): HeadRow | undefined {
  const found = rows.find(
    (row, at) => row.isWanted && (at === 0 || isWide(row) || isFieldName(row.raw)),
  );
  if (found !== undefined) return found;
  return rows.find(
    (row, at) =>
      holdsKnown(row.cells, known) && (at === 0 || (isWide(row) && row.cells.every(isWord))),
  );
}

/** Tabs at the end of a line are no further cells. */
const isWide = ({ cells, delimiter }: HeadRow): boolean =>
  cells.length > 1 && (delimiter !== '\t' || cells.slice(1).join('') !== '');

const isNote = ({ raw }: HeadRow): boolean => /\s|^#|:$/.test(raw.trim());

const isWord = (cell: string): boolean => /^\p{L}[\p{L}_.\d ]*$/u.test(cell);

/**
 * No identifier holds a semicolon or a bar, so rows that all have as many of them are a table, as are rows with two commas and no blank behind
 * one; a slug may hold one comma. Above them a note may stand. To ask for whole rows of a table as names may be billed: there any word is a
 * title, and one comma is enough.
 */
function isSeparated({ rows }: Head, areNames: boolean): boolean {
  const areWords = areNames && rows.every(({ raw }) => !/^\s*https?:/i.test(raw));
  const isProse = rows.some(({ raw }) => /,\s/.test(raw.replace(quotedPart, '')));
  const leastCells = { ';': 2, '|': 2, ',': areWords ? 2 : 3 };
  return Object.entries(leastCells).some(([delimiter, least]) => {
    if (delimiter === ',' && isProse) return false;
    const counts = rows.map(({ raw }) => roughCells(raw, delimiter).length);
    const above = counts.findIndex((count) => count >= least);
    const [count, ...others] = counts.slice(Math.max(0, above));
    const isBelowTitle = areWords || rows.slice(0, above).every(isNote);
    return (
      above >= 0 &&
      isBelowTitle &&
      others.length > 0 &&
      others.length >= above &&
      others.every((other) => other === count)
    );
  });
}

/** Words above values, apart by as many commas in each row: in a list of identifiers no comma would be usable. */
function isHeaded({ rows: [header, ...rows] }: Head): boolean {
  const names = header === undefined ? [] : roughCells(header.raw, ',');
  const cells = rows.map(({ raw }) => roughCells(raw, ','));
  const isTable =
    names.length > 1 && cells.length > 0 && cells.every(({ length }) => length === names.length);
  return (
    isTable &&
    names.every(isWord) &&
    names.some((_, at) => cells.every((row) => row[at] === '' || isValue(row[at] ?? '')))
  );
}

/** A column may be called `[Account]`, as databases write it, and in JSON no plain word comes after the first bracket. */
const beginsJson = (line: string, isTable: boolean): boolean =>
  /^[[{]/.test(line) && !(isTable && /^[[{]\s*\p{L}/u.test(line));

/** A plain word such as `location` may be an identifier by itself, and is a column beside others. */
const holdsKnown = (cells: readonly string[], known: readonly string[]): boolean =>
  cells.some((cell) => known.includes(pathOfList(cell)) && (cells.length > 1 || /[_.]/.test(cell)));

/** `--fields` also reaches into lists, as in `experience.0.title`. */
const pathOfList = (name: string): string => name.replace(/\.\d+(?:\..*)?$/, '');

/** Three words are a header, or two if one is written as a field (`full_name`). To ask for the lines of a table may be billed. */
const looksLikeHeader = (cells: readonly string[]): boolean =>
  cells.every((cell) => /^\p{L}[^\d]*$/u.test(cell)) &&
  (cells.length > 2 ||
    (cells.length === 2 && cells.some((cell) => /^\p{L}+[_.]\p{L}+/u.test(cell))));

/** The kind of what begins with a bracket: a record of NDJSON is whole in its line. */
function jsonKind({ line, text }: Head): 'json' | 'ndjson' {
  const hasMoreLines = text.trim().includes('\n');
  return isJsonLine(line) && (line.startsWith('{') || hasMoreLines) ? 'ndjson' : 'json';
}

const isJsonLine = (line: string): boolean => attempt(() => parseJson(line)) !== undefined;

/** Tells whether the first line goes on behind a field's name, as in `company_id:name`. No identifier does. */
const beginsWithColumn = (line: string, wanted: readonly string[]): boolean =>
  wanted.some(
    (name) =>
      name.includes('_') &&
      line.toLowerCase().startsWith(name) &&
      /^[^\w.-].*\p{L}/u.test(line.slice(name.length)),
  );

/** A quoted name of a header may go over several lines. A quote within a name is an ordinary character. */
const wholeRow = /^(?:(?:"(?:[^"]|"")*"(?!")|(?!"))[^,;\t|\n]*(?:[,;\t|]|(?=\n|$)))+?(?=\n|$)/;

/** Gives the first row that is not blank, without its line end; undefined where its quotes do not close. */
export const firstRow = (head: string): string | undefined => wholeRow.exec(head.trimStart())?.[0];

function firstRowsOf(text: string): readonly RawRow[] {
  const rows: RawRow[] = [];
  for (let rest = withoutBlankLines(text); rest.trim() !== '' && rows.length < rowsSearched; ) {
    const whole = wholeRow.exec(rest)?.[0];
    const raw = whole ?? rest.split('\n', 1)[0] ?? '';
    rest = rest.slice(raw.length);
    rows.push({ raw, left: rest.length, isOpen: whole === undefined });
    rest = withoutBlankLines(rest);
  }
  return rows;
}

const withoutBlankLines = (text: string): string => text.replace(/^(?:[^\S\n]*\n)+/, '');

/** A file may be called .tsv and have no tab; `--input-format tsv` decides. */
function delimiterOf(kind: InputKind, format: InputKind | undefined, head: Head): string {
  const { rows, text } = head;
  if (kind === 'tsv' && (format === 'tsv' || text.includes('\t'))) return '\t';
  // Below a header of one column, semicolons and commas are parts of its cells.
  const header = headerIn(head);
  if (header !== undefined)
    return kind === 'tsv' && header.cells.length === 1 ? '\t' : header.delimiter;
  return (rows.find(({ cells }) => cells.length > 1) ?? rows[0])?.delimiter ?? ',';
}
