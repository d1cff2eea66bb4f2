/** Tells lines, CSV, TSV, NDJSON and JSON apart, and finds a CSV's delimiter, by the name and the first bytes. Pure. */

import { parseJson } from '../json/parse.ts';
import type { InputKind } from '../rows/input-row.ts';
import { isAlike } from './names.ts';

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

interface HeaderNames {
  readonly wanted: readonly string[];
  readonly known?: readonly string[] | undefined;
}

/** A named column or separator means a table, whatever a file of lines is called, so that the error for a misspelt one lists all. */
export function promisedKind(path: string, hasColumns: boolean): InputKind | undefined {
  const promised = kindByName(path);
  return hasColumns && promised === 'lines' ? undefined : promised;
}

/** Tells the kind by name and first bytes. */
export function guessKind(path: string, head: string, names: HeaderNames, hasColumns: boolean): InputKind {
  const promised = promisedKind(path, hasColumns);
  if (promised === 'json') return jsonKindByContent(head);
  if (promised !== undefined) return promised;
  const shown = kindByContent(head, names);
  return hasColumns && shown === 'lines' ? 'csv' : shown;
}

function kindByContent(head: string, { wanted, known = [] }: HeaderNames): InputKind {
  const line = firstLine(head);
  const header = firstRow(head) ?? line;
  const cells = roughCells(header, findDelimiter(head, wanted));
  const isTable = holdsWanted(cells, wanted) || holdsKnown(cells, known);
  if (beginsJson(line, isTable)) return jsonKindByContent(head);
  if (header.includes('\t')) return 'tsv';
  if (isTable || looksLikeHeader(cells)) return 'csv';
  // `jq '.id'` prints one JSON string a line.
  return /^"[^"]+"$/.test(line) ? 'ndjson' : 'lines';
}

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

/** Tells one JSON text from a text a line. */
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
  const line = firstLine(head);
  const delimiter = findDelimiter(head, known);
  const cells = roughCells(firstRow(head) ?? line, delimiter);
  const isTable = holdsWanted(cells, known) || holdsKnown(cells, known);
  if (beginsJson(line, isTable)) return jsonKindByContent(head);
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

const firstLine = (head: string): string => head.trimStart().split('\n', 1)[0]?.trim() ?? '';

/** A quoted name of a header may go over several lines. A quote within a name is an ordinary character. */
const wholeRow = /^(?:(?:"(?:[^"]|"")*"(?!")|(?!"))[^,;\t|\n]*(?:[,;\t|]|(?=\n|$)))+?(?=\n|$)/;

/** Gives the first row that is not blank, without its line end; undefined where its quotes do not close. */
export const firstRow = (head: string): string | undefined => wholeRow.exec(head.trimStart())?.[0];

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that yields a wanted column wins, else the most frequent outside quotes, else a comma. Spreadsheets may write `;`. */
export function findDelimiter(head: string, wanted: readonly string[]): string {
  const header = headerRow(head).text;
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of delimiters) {
    const cells = roughCells(header, delimiter);
    const score = cells.length - 1 + (cells.length > 1 && cells.some((cell) => isWanted(cell, wanted)) ? header.length : 0);
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

/** Gives the first row that is not blank, up to the first line end outside quotes, and that line end. */
export function headerRow(head: string): { text: string; lineEnd: '\n' | '\r\n' } {
  const text = /^(?:"[^"]*(?:"|$)|[^"\n]+)*/.exec(head.replace(/^[\r\n]+/, ''))?.[0] ?? '';
  return text.endsWith('\r') ? { text: text.slice(0, -1), lineEnd: '\r\n' } : { text, lineEnd: '\n' };
}
