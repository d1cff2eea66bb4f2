/** CSV (RFC 4180): lines end with CRLF, as the RFC has it, but a join keeps the line end of its input. */
import { stringify } from 'csv-stringify/sync';
import type { OwnCells, OwnTable } from '../rows/input-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cleanForTerminal } from './clean.ts';
import { cellOf, type Guard, idCell, unguarded } from './csv-cell.ts';
import { parseDelimiter } from './delimiter.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { guarded } from './guard.ts';
import type { Layout } from './layout.ts';
import { columnsFrom, readerOf } from './read.ts';

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
