/** Writes CSV. Lines end with CRLF, as RFC 4180 asks, but a join keeps the line end of its input. */
import { stringify } from 'csv-stringify/sync';
import { UsageError } from '../errors.ts';
import { isNested, jsonText } from '../json/exact.ts';
import type { OwnCells, OwnTable, ResultRow } from '../rows/row.ts';
import { cleanForTerminal } from './clean.ts';
import type { Formatter, Layout } from './layout.ts';
import { columnsBeside, columnsFrom, fileColumns } from './read.ts';

/** Reads one character; `\t` means a tab. @throws UsageError for a longer text and for characters that CSV itself needs */
function parseDelimiter(text: string): string {
  if (text === '\\t') return '\t';
  if ([...text].length === 1 && !/["\r\n\ufeff\0]/.test(text)) return text;
  const hint = 'give one character, such as ; or \\t, but no quote and no line break';
  throw new UsageError(`--delimiter: "${cleanForTerminal(text)}" cannot separate columns`, {
    item: '--delimiter',
    hint,
  });
}

/** A formula sign may be full-width and stand behind invisible characters; a tab or line break at the start hides what follows. */
const formula = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
/** A negative number is safe as it is. A text with a plus sign is guarded, because it is usually a telephone number. */
const negativeNumber = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Nearly all texts begin so, which saves the slower patterns. */
const plainBeginning = /^[A-Za-z\d]/;

/** A text that looks guarded already is guarded once more: whoever takes one apostrophe off has it as it was. */
export function guarded(text: string): string {
  if (plainBeginning.test(text)) return text;
  const bare = text.replace(/^'+/, '');
  return formula.test(bare) && !negativeNumber.test(bare) ? `'${text}` : text;
}

type Guard = (text: string) => string;

const unguarded: Guard = (text) => text;

function cellOf(value: unknown, guard: Guard): string {
  if (typeof value === 'string') return guard(value);
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && !value.some(isNested))
    return guard(value.map((item) => cellOf(item, unguarded)).join('; '));
  return jsonText(value);
}

/** Writes digits as a formula that returns text (`--text-ids`), because spreadsheets keep only 15 digits of a number. */
function idCell(value: unknown, guard: Guard): string {
  const plain = cellOf(value, guard);
  return /^\d+$/.test(plain) ? `="${plain}"` : plain;
}

type LineWriter = (lines: string[][], lineEnd: string) => string;

/** A line with one empty cell is quoted, because readers skip blank lines. NUL goes, because they take a file with one for binary. */
const lineWriter =
  (delimiter: string): LineWriter =>
  (lines, lineEnd) =>
    stringify(lines, {
      delimiter,
      record_delimiter: lineEnd,
      quote_record_delimiter: true,
      quoted_empty: lines[0]?.length === 1,
    }).replaceAll('\0', '');

/** Own columns are copied byte for byte unless the delimiter changes, a reader would cut the row, or `shownAs` changes them. */
function ownPartWriter(
  own: OwnTable,
  delimiter: string,
  linesOf: LineWriter,
  shownAs: Guard,
): (own?: OwnCells) => string {
  return ({ raw, cells } = { raw: '', cells: [] }) => {
    const padded = [...cells, ...Array<string>(own.header.length - cells.length).fill('')];
    const shown = padded.map(shownAs);
    // An odd number of quotes leaves a quote open, so the next cells would become part of this cell.
    const open = raw.split('"').length % 2 === 0;
    // Many readers end a row at a CR outside quotes.
    const split = raw.includes('\r') && raw.replace(/"[^"]*"/g, '').includes('\r');
    const isSame =
      own.isOfWorkbook !== true &&
      delimiter === own.delimiter &&
      shown.every((cell, index) => cell === padded[index]);
    if (!isSame || open || split) return linesOf([shown], delimiter);
    return raw + delimiter.repeat(padded.length - Math.max(1, cells.length) + 1);
  };
}

/** Formats rows as CSV. The header comes with the first row, or at the end without rows. @throws UsageError for a bad delimiter */
export function csvFormatter(layout: Layout): Formatter {
  const { own } = layout;
  const delimiter =
    layout.delimiter === undefined ? (own?.delimiter ?? ',') : parseDelimiter(layout.delimiter);
  const lineEnd = own?.lineEnd ?? layout.lineEnd ?? '\r\n';
  const linesOf = lineWriter(delimiter);
  const clean = layout.isForTerminal ? cleanForTerminal : unguarded;
  const formulaGuard = layout.formulaGuard ? guarded : unguarded;
  const guard: Guard = clean === unguarded ? formulaGuard : (text) => formulaGuard(clean(text));
  const ownPart =
    own && ownPartWriter(own, delimiter, linesOf, own.isOfWorkbook === true ? guard : clean);
  const { before, after } = columnsBeside(layout);
  const columns = [...(own === undefined ? before : []), ...fileColumns(layout), ...after];
  const writers = columns.map(({ kind, read }) => ({
    read,
    write: layout.textIds && kind === 'id' ? idCell : cellOf,
  }));
  const cellsOf = (row: ResultRow): string[] => {
    const record = columnsFrom(row);
    return writers.map(({ read, write }) => write(read(record, row), guard));
  };
  let started = false;
  const start = (): string => {
    if (started) return '';
    started = true;
    const names = columns.map(({ title }) => title);
    const ownNames = own && ownPart?.({ raw: own.rawHeader, cells: own.header });
    const header =
      layout.header && (own !== undefined || names.length > 0)
        ? (ownNames ?? '') + linesOf([names.map(guard)], lineEnd)
        : '';
    return (layout.bom ? '\ufeff' : '') + header;
  };
  return {
    rows(rows) {
      if (rows.length === 0) return '';
      // Own columns stand before each line; without them the lines are written together, which is faster.
      if (ownPart === undefined) return start() + linesOf(rows.map(cellsOf), lineEnd);
      return (
        start() + rows.map((row) => ownPart(row.own) + linesOf([cellsOf(row)], lineEnd)).join('')
      );
    },
    end: start,
  };
}
