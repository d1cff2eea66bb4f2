/** CSV (RFC 4180): lines end with CRLF, as the RFC has it, but a join keeps the line end of its input. */
import { stringify } from 'csv-stringify/sync';
import { UsageError } from '../errors.ts';
import { isNested } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import type { OwnCells, OwnTable } from '../rows/input-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cleanForTerminal } from './clean.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import type { Layout } from './layout.ts';
import { columnsFrom, readerOf } from './read.ts';

/**
 * One character; `\t` is understood as a tab.
 * @throws UsageError for anything longer, and for characters that CSV itself needs.
 */
export function parseDelimiter(text: string): string {
  if (text === '\\t') return '\t';
  if ([...text].length === 1 && !/["\r\n\ufeff\0]/.test(text)) return text;
  throw new UsageError(`--delimiter: "${cleanForTerminal(text)}" cannot separate columns`, {
    item: '--delimiter',
    hint: 'give one character, such as ; or \\t, but no quote and no line break',
  });
}

/** A formula sign, also full-width, behind whatever a spreadsheet or an attacker puts before it unseen. */
const formula = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
/** A tab or line break at the start hides what follows from a reader of the cell. */
const hidden = /^[\t\r\n]/;
/** A negative number as text is a number to a spreadsheet too. With a plus sign it is more likely a telephone number. */
const negativeNumber = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** No text, or a first letter or digit, as nearly all have it: no formula, told without the patterns. */
function beginsPlainly(text: string): boolean {
  if (text === '') return true;
  const code = text.charCodeAt(0);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

const wouldRun = (text: string): boolean => !beginsPlainly(text) && (formula.test(text) || hidden.test(text)) && !negativeNumber.test(text);

/** `text`, behind an apostrophe if a spreadsheet would run it as a formula. */
export const guarded = (text: string): string => (wouldRun(text) ? `'${text}` : text);

/** Makes harmless what a spreadsheet would run; or leaves it, where that is wanted. */
export type Guard = (text: string) => string;

/** Lists of scalars are joined by `; `, anything deeper is JSON text; null is an empty cell. */
export function cellOf(value: unknown, guard: Guard): string {
  if (typeof value === 'string') return guard(value);
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && !value.some(isNested)) return guard(joined(value));
  return jsonText(value);
}

const joined = (items: readonly unknown[]): string => items.map((item) => cellOf(item, unguarded)).join('; ');

/** `--text-ids`: digits as a formula that gives them as text, since spreadsheets keep 15 of a number's digits. */
export function idCell(value: unknown, guard: Guard): string {
  const plain = cellOf(value, guard);
  return /^\d+$/.test(plain) ? `="${plain}"` : plain;
}

/** Leaves a cell as it is. */
export const unguarded: Guard = (text) => text;

/** Cells as lines, quoted where they must be, each with `lineEnd`. */
type LinesWriter = (lines: string[][], lineEnd: string) => string;

/** Readers skip a line with nothing on it, so a lone empty cell is quoted as well. */
const linesWriter =
  (delimiter: string): LinesWriter =>
  (lines, lineEnd) =>
    stringify(lines, { delimiter, record_delimiter: lineEnd, quote_record_delimiter: true, quoted_empty: lines[0]?.length === 1 });

const statusColumns = ['pdi_status', 'pdi_error'] as const;

/**
 * Gives the input's own columns before ours: byte for byte, unless the delimiter changes, the row is short of cells, or a terminal
 * would obey them.
 */
function ownPartWriter(own: OwnTable, delimiter: string, linesOf: LinesWriter, terminal: boolean): (columns: OwnCells) => string {
  return ({ raw, cells }) => {
    const padded = [...cells, ...Array<string>(own.header.length - cells.length).fill('')];
    const shown = terminal ? padded.map(cleanForTerminal) : padded;
    // An odd number of quotes is a quote left open: what follows would become part of the cell.
    const open = raw.split('"').length % 2 === 0;
    const isClean = !terminal || shown.every((cell, index) => cell === padded[index]);
    if (delimiter !== own.delimiter || open || !isClean) return linesOf([shown], '');
    return raw + delimiter.repeat(padded.length - Math.max(1, cells.length));
  };
}

/** A join shows the input anyway. */
const showsInput = ({ job, own }: Layout): boolean => job && own === undefined;

/** The columns that are ours: input, the endpoint's, status and error. */
function headerOf(layout: Layout): string[] {
  const names = layout.columns.map(({ name }) => name);
  return [...(showsInput(layout) ? ['input'] : []), ...names, ...(layout.job ? statusColumns : [])];
}

/** Gives the cells that are ours, below `headerOf`. */
function cellsReader(layout: Layout, guard: Guard, textIds: boolean): (row: ResultRow) => string[] {
  const { columns, job } = layout;
  const input = showsInput(layout);
  const writeInput = textIds ? idCell : cellOf;
  const readers = columns.map(({ name, kind }) => ({ read: readerOf(name), write: textIds && kind === 'id' ? idCell : cellOf }));
  return (row) => {
    const from = columnsFrom(row);
    const cells = readers.map(({ read, write }) => write(read(from), guard));
    if (input) cells.unshift(writeInput(row.input, guard));
    if (job) cells.push(row.status, guard(row.error ?? ''));
    return cells;
  };
}

/**
 * Rows as CSV. The header is written with the first row, or at the end if there is none.
 * @throws UsageError for a delimiter that is none.
 */
export function csvFormatter(layout: Layout, options: FormatOptions): Formatter {
  const { own } = layout;
  const delimiter = options.delimiter === undefined ? (own?.delimiter ?? ',') : parseDelimiter(options.delimiter);
  const linesOf = linesWriter(delimiter);
  const lineEnd = own?.lineEnd ?? '\r\n';
  const terminal = options.terminal === true;
  const ownPart = own && ownPartWriter(own, delimiter, linesOf, terminal);
  const before = (columns: OwnCells = { raw: '', cells: [] }): string => (ownPart === undefined ? '' : ownPart(columns) + delimiter);
  let started = false;
  const start = (): string => {
    if (started) return '';
    started = true;
    const ownHeader = own && { raw: own.rawHeader, cells: own.header };
    const header = options.header ? before(ownHeader) + linesOf([headerOf(layout)], lineEnd) : '';
    return (options.bom ? '\ufeff' : '') + header;
  };
  const guard = options.formulaGuard ? guarded : unguarded;
  const shown: Guard = terminal ? (text) => guard(cleanForTerminal(text)) : guard;
  const ourCells = cellsReader(layout, shown, options.textIds === true);
  // A join's lines are written one by one, each behind its own part.
  const linesFor = (rows: readonly ResultRow[]): string =>
    own === undefined
      ? linesOf(rows.map(ourCells), lineEnd)
      : rows.map((row) => before(row.own) + linesOf([ourCells(row)], lineEnd)).join('');
  return {
    rows: (rows) => (rows.length === 0 ? '' : start() + linesFor(rows)),
    end: start,
  };
}
