/** Tells lines, CSV, TSV and NDJSON apart, and a CSV's delimiter, from the name and the first bytes. Pure. */

import type { InputKind } from '../rows/input-row.ts';
import { isAlike } from './column.ts';

const kindByExtension: ReadonlyMap<string, InputKind> = new Map([
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['tab', 'tsv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'ndjson'],
  ['txt', 'lines'],
  ['list', 'lines'],
]);

/** The kind that the file's extension promises; undefined for others and for standard input. */
export function kindByName(path: string): InputKind | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : kindByExtension.get(extension.toLowerCase());
}

/** The kind that the first line shows. `wanted`: the column names that would tell a CSV by its header. */
export function kindByContent(head: string, wanted: readonly string[]): InputKind {
  const line = firstLine(head);
  if (/^[{[]/.test(line)) return 'ndjson';
  if (line.includes('\t')) return 'tsv';
  if (holdsWanted(line, findDelimiter(head, wanted), wanted)) return 'csv';
  // What `jq '.id'` prints: one JSON string a line.
  return /^"[^"]+"$/.test(line) ? 'ndjson' : 'lines';
}

const firstLine = (head: string): string => head.trimStart().split('\n', 1)[0]?.trim() ?? '';

const delimiters = [',', ';', '\t'] as const;

/**
 * The delimiter of a header row: the one that yields a wanted column, else the most frequent outside quotes; a comma
 * in doubt. European spreadsheets write `;` into .csv files, some exports a tab.
 */
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

const holdsWanted = (line: string, delimiter: string, wanted: readonly string[]): boolean =>
  roughCells(line, delimiter).some((cell) => isWanted(cell, wanted));

const isWanted = (cell: string, wanted: readonly string[]): boolean => wanted.some((name) => isAlike(cell, name));

/** Cells for guessing only: a delimiter between quotes does not count, the quotes are dropped. */
const roughCells = (row: string, delimiter: string): string[] =>
  row
    .replace(/"[^"]*"?/g, (quoted) => quoted.replace(/[",;\t]/g, ''))
    .split(delimiter)
    .map((cell) => cell.trim());

/** The first row that is not blank, up to the first line end outside quotes, and that line end. */
export function headerRow(head: string): { text: string; lineEnd: '\n' | '\r\n' } {
  const text = /^(?:"[^"]*(?:"|$)|[^"\n]+)*/.exec(head.replace(/^[\r\n]+/, ''))?.[0] ?? '';
  return text.endsWith('\r') ? { text: text.slice(0, -1), lineEnd: '\r\n' } : { text, lineEnd: '\n' };
}
