/** Reads one worksheet: its cells that hold something, each as the text that its user sees, or why that is no identifier. */
import { UsageError } from '../errors.ts';
import { columnLetters, columnNumber } from '../rows/column-letters.ts';
import { CellLinks, type FilledCell, type SheetRow } from './cell-links.ts';
import { inMebibytes } from './lines.ts';
import { type Archive, type Element, tooLarge, type XmlReader } from './workbook-parts.ts';

const maxDigits = 15;

interface ShownCell {
  readonly text: string;
  readonly spoilt?: string;
}

const enterAgain = 'make the column text and enter it again';
const rounded = `a number of more than ${maxDigits} digits, of which a spreadsheet keeps ${maxDigits}; ${enterAgain}`;
const spoiltBy = (what: string): string =>
  `a cell that the spreadsheet made ${what}; ${enterAgain}`;

/** What a formula makes of an empty cell that it finds, and what programs write that calculate none. */
const nothingOfFormula =
  'a formula that gives 0 or nothing, because it finds an empty cell or was never calculated; save the workbook again, or correct the formula';

/** The file may hold 1.1 as 1.1000000000000001, and 700000001 as 7.00000001E8. Whole numbers may be filled up with zeros. */
function digitsOf(source: string, least = 1): ShownCell {
  const value = Number(source);
  if (!Number.isInteger(value))
    return { text: String(Number(value.toPrecision(maxDigits))), spoilt: spoiltBy('a fraction') };
  const text = /^-?\d+$/.test(source) ? source : String(value);
  if (Math.abs(value) >= 10 ** maxDigits) return { text, spoilt: rounded };
  return { text: value < 0 ? text : text.padStart(least, '0') };
}

const [daySeconds, daysTo1904] = [86_400, 1462];
/** Sheets count days from here, so that a time by itself is a time of this day. */
const firstDay = Date.UTC(1899, 11, 30) / 1000;
/** For spreadsheets 1900 was a leap year, so up to its end of February their days have one number less. */
const march1900 = 61;

/** Gives a day as YYYY-MM-DD, a time as HH:MM:SS, or both. Fractions of a day are seldom whole seconds. */
function shownTime(days: number): string {
  const seconds = Math.round(days * daySeconds);
  const isTimeAlone = seconds >= 0 && seconds < daySeconds;
  const shifted = !isTimeAlone && days < march1900 ? seconds + daySeconds : seconds;
  const date = new Date((firstDay + shifted) * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const [day = '', clock = ''] = date.toISOString().slice(0, -'.000Z'.length).split('T');
  if (isTimeAlone) return clock;
  return shifted % daySeconds === 0 ? day : `${day} ${clock}`;
}

const padded = (part: number): string => String(part).padStart(2, '0');

/** Counts in the unit that a format puts in brackets: 1.5 days are 36:00 in hours and minutes. */
function shownDuration(days: number, unit: string, hasSeconds: boolean): string {
  const seconds = Math.round(Math.abs(days) * daySeconds);
  const [sign, rest] = [days < 0 ? '-' : '', padded(seconds % 60)];
  if (unit === 's') return `${sign}${seconds}`;
  const minutes = Math.floor(seconds / 60);
  if (unit === 'm') return `${sign}${minutes}${hasSeconds ? `:${rest}` : ''}`;
  return `${sign}${Math.floor(minutes / 60)}:${padded(minutes % 60)}${hasSeconds ? `:${rest}` : ''}`;
}

/** A day in ISO 8601, which newer programs may write in place of a number. Its zone is dropped, as cells have none. */
function shownIsoTime(source: string): ShownCell {
  const [, day = '', clock = '00:00:00'] =
    /^(?:(\d{4,}-\d\d-\d\d))?T?(?:(\d\d:\d\d(?::\d\d)?))?/.exec(source.trim()) ?? [];
  const time = clock.length === 5 ? `${clock}:00` : clock;
  const text = day === '' ? time : time === '00:00:00' ? day : `${day} ${time}`;
  return {
    text: day === '' && clock === '00:00:00' ? source.trim() : text,
    spoilt: spoiltBy('a day or a time'),
  };
}

interface Surroundings {
  readonly shared: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly since1904: boolean;
}

function shownCell(
  { value, type, style }: ReturnType<typeof openCell>,
  { shared, formats, since1904 }: Surroundings,
): ShownCell {
  if (type === 's') return { text: shared[Number(value)] ?? lostText(value) };
  if (type === 'str' || type === 'inlineStr') return { text: unescaped(value) };
  if (type === 'b')
    return {
      text: /^(?:1|true)$/i.test(value.trim()) ? 'TRUE' : 'FALSE',
      spoilt: spoiltBy('a truth value'),
    };
  if (type === 'e')
    return { text: value.trim(), spoilt: 'an error of a formula; correct the formula' };
  if (type === 'd') return shownIsoTime(value);
  const source = value.trim();
  return source !== '' && Number.isFinite(Number(source))
    ? (formats[style] ?? asNumber)(source, since1904)
    : { text: source };
}

/** A row of such cells alone would be missing. */
const lostText = (number: string): never => {
  throw new Error(`a cell names the text ${number}, which is not there`);
};

const numbered = /_x([\da-f]{4})_/gi;

/** Spreadsheets write a character that XML cannot hold as `_x000D_`, half a character too, and such a text itself with `_x005F_`. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(numbered, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .toWellFormed()
    : text;

type CellFormat = (source: string, since1904: boolean) => ShownCell;

const asNumber: CellFormat = (source) => digitsOf(source);

const asTime: CellFormat = (source, since1904) => {
  const days = Number(source);
  const isTimeAlone = days >= 0 && days < 1;
  return {
    text: shownTime(since1904 && !isTimeAlone ? days + daysTo1904 : days),
    spoilt: spoiltBy('a day or a time'),
  };
};

const asDuration =
  (unit: string, hasSeconds: boolean): CellFormat =>
  (source) => ({
    text: shownDuration(Number(source), unit, hasSeconds),
    spoilt: spoiltBy('a duration'),
  });

/** Formats that every spreadsheet knows by number; those from 27 on are days in the languages of East Asia. */
const builtIn: ReadonlyMap<number, CellFormat> = new Map([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map((id) => [id, asTime] as const),
  ...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map(
    (id) => [id, asTime] as const,
  ),
  [46, asDuration('h', true)],
]);

/** Texts, escaped characters, and colours or conditions in brackets say nothing about the number. */
const literal = /"[^"]*"|\\.|_.|\*./g;
const bracketed = /\[[^\]]*\]/g;

/** Spreadsheets take no longer ones, and to look for what is not closed takes a time that grows with the square. */
const maxCode = 255;

/** LibreOffice saves a truth value as a number that is shown as one of two texts. */
const eitherText = /^"([^"]+)";"\1";"([^"]+)"$/;

function formatOfCode(written: string): CellFormat {
  const code = written.slice(0, maxCode);
  const [, other, zero] = eitherText.exec(code) ?? [];
  if (other !== undefined && zero !== undefined)
    return (source) => ({ text: Number(source) === 0 ? zero : other, spoilt: shownOtherwise });
  const [first = ''] = code.replace(literal, '').split(';');
  const [, unit] = /\[(h|m|s)+\]/i.exec(first) ?? [];
  if (unit !== undefined) return asDuration(unit.toLowerCase(), /s/i.test(first));
  const bare = first.replace(bracketed, '');
  if (!/general/i.test(bare) && /[ydhms]/i.test(bare)) return asTime;
  // A number has so many digits, as in 02134.
  const asDigits: CellFormat = /^0{2,}$/.test(bare)
    ? (source) => digitsOf(source, bare.length)
    : asNumber;
  return addsCharacters(code)
    ? (source) => ({ ...asDigits(source, false), spoilt: shownOtherwise })
    : asDigits;
}

const shownOtherwise = `a number that its format shows with other characters, as 17 may be shown as C-0017; ${enterAgain}`;

/** Whether its first part, for positive numbers, writes letters, digits or hyphens of its own. */
function addsCharacters(code: string): boolean {
  const [first = ''] = /^(?:"[^"]*"|\\.|[^;"\\])*/s.exec(code) ?? [];
  const own = [...first.matchAll(/"([^"]*)"|\\(.)/gs)].map(
    ([, text = '', character = '']) => text + character,
  );
  return /[\p{L}\p{N}-]/u.test(own.join('')) || /[0#?]-[0#?]/.test(first);
}

export async function readFormats(
  archive: Archive,
  path: string | undefined,
): Promise<readonly CellFormat[]> {
  const formats: CellFormat[] = [];
  const codes = new Map<number, CellFormat>();
  await archive.read(path, {
    opened: ({ name, within, attribute }) => {
      const id = Number(attribute('numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, formatOfCode(attribute('formatCode') ?? ''));
      else if (name === 'xf' && within === 'cellXfs')
        formats.push(codes.get(id) ?? builtIn.get(id) ?? asNumber);
    },
  });
  return formats;
}

const maxRows = 200_000;
const maxColumns = 16_384;
/** A row of a spreadsheet as people fill them is a thousandth of this. */
const maxRowLength = 4 * 1024 * 1024;
/** A text that is written once may stand in each row, and is written out in each. */
const maxShown = (packed: number): number => 128 * 1024 * 1024 + 100 * packed;
/** A row has all columns of its sheet, so one far cell gives each of them thousands of empty ones. */
const maxSpread = (filled: number): number => 40_000_000 + 4 * filled;

/** @throws Error for broken XML, UsageError for more rows, columns or text than are read */
export async function readSheet(archive: Archive, path: string, surroundings: Surroundings) {
  const links = new CellLinks(archive.name);
  const reader = new SheetReader(archive.name, archive.zip.fileSize, surroundings, links);
  await archive.read(path, reader);
  const sheet = reader.sheet();
  await links.putBehind(sheet.rows, () => archive.relationshipsOf(path));
  return sheet;
}

/** An attribute is looked for in one tag alone, because a pattern over all of it takes a time that grows with the square of its length. */
const emptyElement = /<((?:\w+:)?(?:c|row))(?=\s)[^<>]*(?:\/>|>\s*<\/\1\s*>)/g;
const address = /\sr\s*=\s*["'][A-Za-z]*\d+["']/;

/** Only with its address may it be left out: a cell or row without one comes next to the one before. */
const withoutAddressed = (tag: string): string => (address.test(tag) ? '' : tag);

const bareRows = /<((?:\w+:)?)row\s*\/>(?:\s*<\1row\s*\/>)+/g;

/** The number of a formula that several cells share is `shared`. */
const openCell = (column: number, type: string, style: number) => ({
  column,
  type,
  style,
  value: '',
  formula: '',
  shared: '',
});

class SheetReader implements XmlReader {
  private readonly rows: SheetRow[] = [];
  private readonly farthest = { line: 0, column: -1 };
  private filled = 0;
  private shownLength = 0;
  private hidden = 0;
  private isHidden = false;
  private line = 0;
  private cells: FilledCell[] = [];
  private rowLength = 0;
  private cell = openCell(-1, '', 0);

  constructor(
    private readonly name: string,
    private readonly packed: number,
    private readonly around: Surroundings,
    private readonly links: CellLinks,
  ) {}

  shortened(xml: string): string {
    if (xml.includes('<!')) return xml;
    // A row is empty once its cells are gone.
    const filled = xml
      .replace(emptyElement, withoutAddressed)
      .replace(emptyElement, withoutAddressed);
    return filled.replace(
      bareRows,
      (rows, prefix: string) => `<${prefix}row count="${rows.split('<').length - 1}"/>`,
    );
  }

  opened({ name, attribute }: Element): void {
    if (name === 'row')
      this.beginRow(attribute('r'), attribute('hidden'), Number(attribute('count') ?? 1));
    else if (name === 'c') this.beginCell(attribute('r'), attribute('t'), attribute('s'));
    else if (name === 'f')
      this.cell.shared = attribute('t') === 'shared' ? (attribute('si') ?? '') : '';
    else if (name === 'hyperlink') this.links.addHyperlink(attribute('ref'), attribute('id'));
  }

  text(text: string, within: string): void {
    if (within === 'f') this.cell.formula += text;
    else if (within === 'v' || within === 't') this.cell.value += text;
    else return;
    this.grow(text.length);
  }

  private grow(length: number): void {
    this.rowLength += length;
    if (this.rowLength > maxRowLength)
      throw tooLarge(this.name, `has more than ${inMebibytes(maxRowLength)} in row ${this.line}`);
  }

  closed(name: string): void {
    if (name === 'c') this.endCell();
    else if (name === 'row') this.endRow();
  }

  sheet(): { readonly rows: readonly SheetRow[]; readonly width: number; readonly hidden: number } {
    const width = this.farthest.column + 1;
    if (this.rows.length * width > maxSpread(this.filled)) throw this.spread();
    return { rows: this.rows, width, hidden: this.hidden };
  }

  private spread(): UsageError {
    const { line, column } = this.farthest;
    const place = `${columnLetters(column)}${line}`;
    const what = `the cell ${place} is so far from the others that ${this.rows.length} rows would get ${column + 1} columns`;
    const hint = `Delete the content of ${place} and its column, or move it nearer to the others.`;
    return new UsageError(`${this.name}: ${what}`, { item: this.name, hint });
  }

  private beginRow(number: string | undefined, hidden: string | undefined, count: number): void {
    this.line = number !== undefined && /^\d+$/.test(number) ? Number(number) : this.line + count;
    this.isHidden = hidden === '1' || hidden === 'true';
    this.cell = openCell(-1, '', 0);
    this.cells = [];
    this.rowLength = 0;
  }

  private beginCell(address: string | undefined, type = 'n', style = '0'): void {
    const [, letters] = /^([A-Za-z]+)\d+$/.exec(address ?? '') ?? [];
    const column = letters === undefined ? this.cell.column + 1 : columnNumber(letters);
    this.cell = openCell(column, type, Number(style));
  }

  private endCell(): void {
    const { column, type, value, formula, shared } = this.cell;
    const isFormula = formula !== '' || shared !== '';
    // Programs that calculate say that an empty result is a text.
    const isUncalculated = value === '' && isFormula && type !== 'str';
    const { text, spoilt } = value === '' ? { text: '' } : shownCell(this.cell, this.around);
    if (text === '' && !isUncalculated) return;
    if (type === 's') this.grow(text.length);
    if (column >= maxColumns)
      throw tooLarge(
        this.name,
        `has a cell in row ${this.line} beyond the last column of a spreadsheet (XFD)`,
      );
    const givesNothing = isFormula && /^0*$/.test(text);
    const cell: FilledCell = {
      column,
      text,
      spoilt: givesNothing ? nothingOfFormula : spoilt,
      link: undefined,
      unlinked: undefined,
    };
    this.cells.push(cell);
    this.links.addFormula(cell, this.line, formula, shared);
  }

  private endRow(): void {
    if (this.cells.every(({ text, spoilt }) => text.trim() === '' && spoilt === undefined)) return;
    const isOrdered = this.cells.every(
      ({ column }, at) => column > (this.cells[at - 1]?.column ?? -1),
    );
    if (!isOrdered) this.cells = inOrder(this.cells);
    this.rows.push({ line: this.line, cells: this.cells });
    if (this.isHidden) this.hidden += 1;
    const column = this.cells.at(-1)?.column ?? 0;
    if (column > this.farthest.column) Object.assign(this.farthest, { line: this.line, column });
    this.filled += this.cells.length;
    this.shownLength += this.rowLength;
    const most = maxShown(this.packed);
    if (this.shownLength > most)
      throw tooLarge(
        this.name,
        `shows more than ${Math.floor(most / 1024 / 1024)} MiB of text, far more than a workbook of its size holds`,
      );
    // The header is one more.
    if (this.rows.length > maxRows + 1) throw tooLarge(this.name, `has more than ${maxRows} rows`);
  }
}

/** Of two cells in one place, the later one is meant. */
const inOrder = (cells: readonly FilledCell[]): FilledCell[] =>
  [...new Map(cells.map((cell) => [cell.column, cell])).values()].sort(
    (one, other) => one.column - other.column,
  );

export async function readSharedTexts(
  archive: Archive,
  path: string | undefined,
): Promise<readonly string[]> {
  const texts: string[] = [];
  let written = '';
  await archive.read(path, {
    opened: ({ name }) => {
      if (name === 'si') written = '';
    },
    text: (text, within) => {
      if (within === 't') written += text;
    },
    closed: (name) => {
      if (name === 'si') texts.push(unescaped(written));
    },
  });
  return texts;
}
