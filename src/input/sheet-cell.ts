/** Writes a cell of a workbook as the text that its user sees, and says where that is no identifier. */
import { type Archive, readPart } from './workbook-parts.ts';

/** Spreadsheets keep so many digits of a number. */
const maxDigits = 15;

export interface ShownCell {
  readonly text: string;
  /** Why the cell cannot be an identifier, because the spreadsheet made something else of what was entered. */
  readonly spoilt?: string;
}

const enterAgain = 'make the column text and enter it again';
const rounded = `a number of more than ${maxDigits} digits, of which a spreadsheet keeps ${maxDigits}; ${enterAgain}`;
const spoiltBy = (what: string): string => `a cell that the spreadsheet made ${what}; ${enterAgain}`;

/** What a formula makes of an empty cell that it finds, and what programs write that calculate none. */
export const zeroOfFormula =
  'a formula that gives 0, because it finds an empty cell or was never calculated; save the workbook anew, or mend the formula';

/** The file may hold 1.1 as 1.1000000000000001, and 700000001 as 7.00000001E8. */
function digitsOf(source: string): ShownCell {
  const value = Number(source);
  if (!Number.isFinite(value)) return { text: source };
  const isWhole = Number.isInteger(value);
  const text = /^-?\d+$/.test(source) ? source : String(isWhole ? value : Number(value.toPrecision(maxDigits)));
  if (!isWhole) return { text, spoilt: spoiltBy('a fraction') };
  return Math.abs(value) >= 10 ** maxDigits ? { text, spoilt: rounded } : { text };
}

const daySeconds = 86_400;
/** Sheets count days from here, so that a time by itself is a time of this day. */
const firstDay = Date.UTC(1899, 11, 30) / 1000;
/** For spreadsheets 1900 was a leap year, so up to its end of February their days have one number less. */
const march1900 = 61;
const daysTo1904 = 1462;

/** The number that a cell holds, as its format shows it. */
function shownNumber(source: string, format: CellFormat, since1904: boolean): ShownCell {
  const value = Number(source);
  if (format === 'number' || source.trim() === '' || !Number.isFinite(value)) return digitsOf(source.trim());
  if (format === 'date') return { text: shownTime(since1904 ? value + daysTo1904 : value), spoilt: spoiltBy('a day or a time') };
  return { text: shownDuration(value, format), spoilt: spoiltBy('a duration') };
}

/** A day as YYYY-MM-DD, a time as HH:MM:SS, or both. Fractions of a day are seldom whole seconds. */
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

/** 1.5 days are 36:00 in hours and minutes. */
function shownDuration(days: number, { duration, hasSeconds }: Exclude<CellFormat, string>): string {
  const seconds = Math.round(Math.abs(days) * daySeconds);
  const [sign, rest] = [days < 0 ? '-' : '', padded(seconds % 60)];
  if (duration === 's') return `${sign}${seconds}`;
  const minutes = Math.floor(seconds / 60);
  if (duration === 'm') return `${sign}${minutes}${hasSeconds ? `:${rest}` : ''}`;
  return `${sign}${Math.floor(minutes / 60)}:${padded(minutes % 60)}${hasSeconds ? `:${rest}` : ''}`;
}

/** A day in ISO 8601, which newer programs may write in place of a number. Its zone is dropped, as cells have none. */
function shownIsoTime(source: string): ShownCell {
  const [, day = '', clock = '00:00:00'] = /^(?:(\d{4,}-\d\d-\d\d))?T?(?:(\d\d:\d\d(?::\d\d)?))?/.exec(source.trim()) ?? [];
  const time = clock.length === 5 ? `${clock}:00` : clock;
  const text = day === '' ? time : time === '00:00:00' ? day : `${day} ${time}`;
  return { text: day === '' && clock === '00:00:00' ? source.trim() : text, spoilt: spoiltBy('a day or a time') };
}

/** What cells refer to, by its number. */
export interface Surroundings {
  readonly shared: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly since1904: boolean;
}

export function shownCell(
  value: string,
  { type, style }: { readonly type: string; readonly style: number },
  { shared, formats, since1904 }: Surroundings,
): ShownCell {
  if (type === 's') return { text: shared[Number(value)] ?? '' };
  if (type === 'str' || type === 'inlineStr') return { text: unescaped(value) };
  if (type === 'b') return { text: /^(?:1|true)$/i.test(value.trim()) ? 'TRUE' : 'FALSE', spoilt: spoiltBy('a truth value') };
  if (type === 'e') return { text: value.trim(), spoilt: 'an error of a formula; mend the formula' };
  if (type === 'd') return shownIsoTime(value);
  return value.trim() === '' ? { text: '' } : shownNumber(value, formats[style] ?? 'number', since1904);
}

/** Spreadsheets write a character that XML cannot hold as `_x000D_`, and such a text itself with `_x005F_`. */
export const unescaped = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([\da-f]{4})_/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text;

/** A duration is counted in the unit that its format puts in brackets. */
type CellFormat = 'number' | 'date' | { readonly duration: 'h' | 'm' | 's'; readonly hasSeconds: boolean };

/** Formats that every spreadsheet knows by number; those from 27 on are days in the languages of East Asia. */
const builtIn: ReadonlyMap<number, CellFormat> = new Map<number, CellFormat>([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map((id) => [id, 'date'] as const),
  [46, { duration: 'h', hasSeconds: true }],
  ...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'date'] as const),
]);

/** Texts, escaped characters, and colours or conditions in brackets say nothing about the number. */
const literal = /"[^"]*"|\\.|_.|\*./g;
const bracketed = /\[[^\]]*\]/g;

/** Spreadsheets take no longer ones, and to look for what is not closed takes a time that grows with the square. */
const maxCode = 255;

function formatOfCode(written: string): CellFormat {
  const code = written.slice(0, maxCode);
  const [first = ''] = code.replace(literal, '').split(';');
  const [, unit] = /\[(h|m|s)+\]/i.exec(first) ?? [];
  const lower = unit?.toLowerCase();
  if (lower === 'h' || lower === 'm' || lower === 's') return { duration: lower, hasSeconds: lower === 's' || /s/i.test(first) };
  const bare = first.replace(bracketed, '');
  return !/general/i.test(bare) && /[ydhms]/i.test(bare) ? 'date' : 'number';
}

/** Gives the format of each style by its number. */
export async function readFormats(archive: Archive, path: string | undefined): Promise<readonly CellFormat[]> {
  const formats: CellFormat[] = [];
  if (path === undefined) return formats;
  const codes = new Map<number, CellFormat>();
  let isInCells = false;
  await readPart(archive, path, {
    opened: ({ name, attribute }) => {
      const id = Number(attribute('numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, formatOfCode(attribute('formatCode') ?? ''));
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) formats.push(codes.get(id) ?? builtIn.get(id) ?? 'number');
    },
    closed: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return formats;
}
