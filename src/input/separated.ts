/** Reads rows of CSV and TSV with their raw text as RFC 4180 says, and accepts the careless forms of spreadsheets. */
import { pluralize, type UsageError } from '../errors.ts';
import { mapped, type OwnCells, type OwnTable } from '../rows/row.ts';
import { inMebibytes, type Line, maxLineLength, mistakeIn, type TextLimits } from './lines.ts';

export interface CellMark {
  /** Why the cell is no identifier: the spreadsheet made something else of what was entered. */
  spoilt: string | undefined;
  link: string | undefined;
  /** Why the cell is no identifier in a column of links: its own is missing, or cannot be told. */
  unlinked: string | undefined;
}

export interface SeparatedRow extends OwnCells {
  readonly line: number;
  readonly marks?: ReadonlyMap<number, CellMark>;
  /** The text ends with this row, and without a line end. */
  readonly isUnended?: true | undefined;
}

export interface Cut {
  readonly delimiter: string;
  /** CSV has quotes at the beginning of a cell alone, but some programs write a blank behind each delimiter. */
  readonly quotesBehindBlanks?: boolean;
}

export const sheetDelimiter = ',';

/** A text that is an id by itself is asked for, whatever page it leads to. One that was cut off to be shown is none. */
export const isPlainId = (text: string): boolean =>
  /^(?:per_|inv_|urn:|https?:\/\/)(?!.*(?:…|\.\.)$)/i.test(text);

/** Lines before `firstLine` are left out. @throws UsageError for a stray quote or a row over `maxLength`; the rows before it come first */
export async function* separatedRows(
  lines: AsyncIterable<readonly Line[]>,
  cut: Cut,
  name: string,
  limits: TextLimits,
) {
  const { maxLength = maxLineLength, firstLine = 1 } = limits;
  const reader = new RowReader(cut, name, maxLength, firstLine);
  yield* mapped(lines, (line) => reader.read(line));
  reader.end();
}

/** Puts together the lines of a row, which is open as long as a quote of it is. */
class RowReader {
  private line = 0;
  private lines: string[] = [];
  private length = 0;

  constructor(
    private readonly cut: Cut,
    private readonly name: string,
    private readonly maxLength: number,
    private readonly firstLine: number,
  ) {}

  read({ line, text: written, isUnended }: Line): SeparatedRow | undefined {
    if (line < this.firstLine) return undefined;
    if (this.lines.length > 0) return this.goOn(written, isUnended);
    // Where files were put together, a mark before a quote would hide that its cell is quoted.
    const text = written.startsWith('\ufeff"') ? written.slice(1) : written;
    const raw = withoutReturn(text);
    if (raw === '') return undefined;
    const { cells, isOpen } = cellsIn(raw, this.cut);
    if (!isOpen) return { line, raw, cells, isUnended };
    this.line = line;
    this.lines = [text];
    this.length = text.length;
    return undefined;
  }

  end(): void {
    if (this.lines.length > 0) throw this.strayQuote('never closed');
  }

  private goOn(text: string, isUnended: true | undefined): SeparatedRow | undefined {
    this.lines.push(text);
    this.length += text.length + 1;
    const { isOpen } = cellsIn(`"${text}`, this.cut);
    if (this.length > this.maxLength) throw this.tooLong(isOpen);
    if (isOpen) return undefined;
    const raw = withoutReturn(this.lines.join('\n'));
    const { written, cells } = cellsIn(raw, this.cut);
    // Text behind the closing quote of a cell over several lines means that this quote is another row's. The rows between would be lost.
    const stray = written.findIndex(
      (cell) => cell.includes('\n') && behindQuotes(cell.trimStart()).trim() !== '',
    );
    if (stray >= 0) throw this.strayQuote('closed only in the middle of another row', stray);
    this.lines = [];
    return { line: this.line, raw, cells, isUnended };
  }

  private tooLong(isOpen: boolean): UsageError {
    const size = inMebibytes(this.maxLength);
    if (isOpen) return this.strayQuote(`its row does not end within ${size}`);
    return this.refusal(
      this.line,
      `the row is longer than ${size}`,
      `Look for a lone " from line ${this.line} on.`,
    );
  }

  /** The quote is that of the last cell, unless `at` says another. */
  private strayQuote(fate: string, at = -1): UsageError {
    const before = cellsIn(this.lines.join('\n'), this.cut).written.slice(0, at);
    const opened = this.line + before.join('').split('\n').length - 1;
    const lost = this.line + this.lines.length - 1 - opened;
    const unread =
      lost === 0
        ? ''
        : `: ${pluralize(lost, 'line')} after it ${lost === 1 ? 'was' : 'were'} not read as rows`;
    const hint = `Close it on line ${opened}, or take it out; a quote inside quotes is written twice.`;
    return this.refusal(opened, `a quote is opened here and ${fate}${unread}`, hint);
  }

  private refusal(line: number, what: string, hint: string): UsageError {
    const isEscaped = this.lines.some((text) => text.includes('\\"'));
    return mistakeIn(this.name, what, isEscaped ? backslashHint : hint, { line });
  }
}

/** A program that turns \n into \r\n twice writes \r\r\n. */
const withoutReturn = (text: string): string => text.replace(/\r{1,2}$/, '');

const backslashHint =
  'It has \\" for a quote, which CSV writes twice: sed \'s/\\\\"/""/g\' FILE | pdi … -i -';

/** Gives the cells of a row as they are written and as they are meant. `isOpen` where the quotes of the last one do not close. */
export function cellsIn(raw: string, { delimiter, quotesBehindBlanks = false }: Cut) {
  if (!raw.includes('"')) {
    const cells = raw.split(delimiter);
    return { written: cells, cells, isOpen: false };
  }
  const written: string[] = [];
  for (let at = 0; ; ) {
    const first = quotesBehindBlanks ? placeBehindBlanks(raw, at) : at;
    // A quote within an unquoted cell is an ordinary character.
    const start = raw[first] === '"' ? endOfQuotes(raw, first) : at;
    const end = start < 0 ? -1 : raw.indexOf(delimiter, start);
    written.push(end < 0 ? raw.slice(at) : raw.slice(at, end));
    if (end < 0)
      return {
        written,
        cells: written.map(quotesBehindBlanks ? textBehindBlanks : textOf),
        isOpen: start < 0,
      };
    at = end + delimiter.length;
  }
}

function placeBehindBlanks(raw: string, at: number): number {
  let place = at;
  while (raw[place] === ' ') place += 1;
  return place;
}

function textBehindBlanks(written: string): string {
  const cell = written.trim();
  return textOf(cell.startsWith('"') && endOfQuotes(cell) === cell.length ? cell : written);
}

const behindQuotes = (written: string): string => written.slice(endOfQuotes(written));

/** Gives the place behind the closing quote of the cell that starts at `at`, or -1. */
function endOfQuotes(raw: string, at = 0): number {
  let end = raw.indexOf('"', at + 1);
  while (end >= 0 && raw[end + 1] === '"') end = raw.indexOf('"', end + 2);
  return end < 0 ? -1 : end + 1;
}

/** Text behind a closing quote makes the quotes ordinary characters. */
function textOf(written: string): string {
  if (!written.startsWith('"')) return written;
  const end = endOfQuotes(written);
  const text = written.slice(1, end - 1).replaceAll('""', '"');
  return end === written.length ? text : `"${text}"${written.slice(end)}`;
}

/** Whether a CR stands alone outside quotes, which ended a line on old Macintoshes. */
export const hasLoneReturn = (raw: string): boolean =>
  raw.includes('\r') && /\r[^\r]/.test(raw.replace(/"[^"]*"/g, ''));

export const separatedCell = (cell: string, delimiter: string): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? quotedCell(cell) : cell;

export const quotedCell = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Gives a part of a table, and of its rows, in which what stays keeps its bytes. */
export function partOf(own: OwnTable, places: readonly number[]) {
  const taken = (from: readonly string[], width = from.length) =>
    places.filter((at) => at < width).map((at) => from[at] ?? '');
  const cut = ({ raw, cells }: OwnCells): OwnCells => {
    const { written } = cellsIn(raw, own);
    const kept = taken(cells);
    // Of a workbook, the raw text is that of the cells.
    return {
      raw:
        written.length < cells.length
          ? separatedText(kept, own.delimiter)
          : taken(written, cells.length).join(own.delimiter),
      cells: kept,
    };
  };
  const { raw: rawHeader, cells: header } = cut({ raw: own.rawHeader, cells: own.header });
  return { own: { ...own, header, rawHeader }, cut };
}

export const separatedText = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => separatedCell(cell, delimiter)).join(delimiter);
