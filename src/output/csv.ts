/**
 * CSV (RFC 4180): lines end with CRLF, as the RFC has it, but a join keeps the line end of its input. Cells are quoted
 * only where they must be.
 */
import { stringify } from 'csv-stringify/sync';
import { ExactNumber } from '../contract/fields.ts';
import { jsonText } from '../json.ts';
import type { OwnColumns, Row } from '../row.ts';
import { parseDelimiter } from './delimiter.ts';
import type { FormatOptions, Formatter } from './format.ts';
import { guarded } from './guard.ts';
import type { Layout, OwnHeader } from './layout.ts';
import { readerOf, recordOf } from './read.ts';

const statusColumns = ['pdi_status', 'pdi_error'] as const;

/** Joins cells to one line without line end. Quotes only where they must be: around delimiters, quotes and line breaks. */
type LineWriter = (cells: readonly string[]) => string;

function lineWriter(delimiter: string): LineWriter {
  const special = new RegExp(`["\\r\\n${delimiter.replace(/[\]\\^-]/g, '\\$&')}]`);
  return (cells) => {
    // Most lines need no quotes; readers skip a line with nothing on it, so a lone empty cell does.
    const lone = cells.length === 1;
    if (!(lone && cells[0] === '') && !cells.some((cell) => special.test(cell))) return cells.join(delimiter);
    return stringify([cells], { delimiter, record_delimiter: '', quoted_match: special, quoted_empty: lone });
  };
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null || value instanceof ExactNumber;

/** A value as a cell: lists of scalars joined by `; `, anything deeper as JSON text, nothing for null. */
function cellOf(value: unknown, guard: (text: string) => string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return guard(value);
  if (Array.isArray(value) && value.every(isScalar)) return guard(value.map((item) => cellOf(item, (text) => text)).join('; '));
  return jsonText(value);
}

/** `--text-ids`: digits as a formula that gives them as text, since spreadsheets keep 15 of a number's digits. */
function idCell(value: unknown, guard: (text: string) => string): string {
  const plain = cellOf(value, guard);
  return /^\d+$/.test(plain) ? `="${plain}"` : plain;
}

/** The input's own columns before ours: byte for byte, unless the delimiter changes or the row is short of cells. */
function ownPart({ raw, cells }: OwnColumns, own: OwnHeader, delimiter: string, lineOf: LineWriter): string {
  const padded = [...cells, ...Array(Math.max(0, own.header.length - cells.length)).fill('')];
  // An odd number of quotes is a quote left open: what follows would become part of the cell.
  const open = raw.split('"').length % 2 === 0;
  if (delimiter !== own.delimiter || open) return lineOf(padded);
  return raw + delimiter.repeat(padded.length - Math.max(1, cells.length));
}

/** Gives the cells that are ours: input (unless a join shows it anyway), columns, status and error. */
function cellsReader({ columns, job, own }: Layout, guard: (text: string) => string, textIds: boolean): (row: Row) => readonly string[] {
  const readers = columns.map(({ name, kind }) => ({ read: readerOf(name), write: textIds && kind === 'id' ? idCell : cellOf }));
  return (row) => {
    const record = recordOf(row);
    const cells = readers.map(({ read, write }) => write(read(record), guard));
    if (!job) return cells;
    return [...(own === undefined ? [guard(row.input ?? '')] : []), ...cells, row.status, guard(row.error ?? '')];
  };
}

function headerOf({ columns, job, own }: Layout, delimiter: string, lineOf: LineWriter): string {
  const names = columns.map(({ name }) => name);
  if (own === undefined) return lineOf(job ? ['input', ...names, ...statusColumns] : names);
  const ours = lineOf(job ? [...names, ...statusColumns] : names);
  return [ownPart({ raw: own.rawHeader, cells: own.header }, own, delimiter, lineOf), ours].join(delimiter);
}

/**
 * Rows as CSV. The header is written with the first row, or at the end if there is none.
 * @throws UsageError for a delimiter that is none.
 */
export function csvFormatter(layout: Layout, options: FormatOptions): Formatter {
  const { own } = layout;
  const delimiter = options.delimiter === undefined ? (own?.delimiter ?? ',') : parseDelimiter(options.delimiter);
  const lineOf = lineWriter(delimiter);
  const lineEnd = own?.lineEnd ?? '\r\n';
  const guard = options.formulaGuard ? guarded : (text: string) => text;
  const noCells: OwnColumns = { raw: '', cells: [] };
  let started = false;
  const start = (): string => {
    if (started) return '';
    started = true;
    return (options.bom ? '\ufeff' : '') + (options.header ? headerOf(layout, delimiter, lineOf) + lineEnd : '');
  };
  const ourCells = cellsReader(layout, guard, options.textIds === true);
  const line = (row: Row): string => {
    const ours = lineOf(ourCells(row));
    return own === undefined ? ours : [ownPart(row.own ?? noCells, own, delimiter, lineOf), ours].join(delimiter);
  };
  return { row: (row) => start() + line(row) + lineEnd, end: start };
}
