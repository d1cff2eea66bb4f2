/** Writes a cell of a workbook as the text that its user sees. Pure. */

/** Spreadsheets keep so many digits of a number. */
const maxDigits = 15;

export class NumberCell {
  constructor(private readonly source: string) {}

  /** Such a number may have lost digits when it was entered. */
  get isRounded(): boolean {
    const value = Number(this.source);
    return Number.isInteger(value) && Math.abs(value) >= 10 ** maxDigits;
  }

  /** The file may hold 1.1 as 1.1000000000000001, and 700000001 as 7.00000001E8. */
  toString(): string {
    const value = Number(this.source);
    if (/^-?\d+$/.test(this.source) || !Number.isFinite(value)) return this.source;
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(maxDigits)));
  }
}

/** Gives a number's digits, a day as YYYY-MM-DD, TRUE or FALSE, and a text as it is. */
export function shownCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return shownTime(cell.getTime());
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE';
  return String(cell);
}

const dayMs = 86_400_000;
/** Sheets count days from here, so that a time by itself is a time of this day. */
const firstDay = Date.UTC(1899, 11, 30);
/** For spreadsheets 1900 was a leap year. Up to its end of February they are a day ahead of the reader. */
const march1900 = Date.UTC(1900, 2, 1);

/** Times of sheets are fractions of a day, which are seldom whole milliseconds. */
function shownTime(time: number): string {
  const seconds = Math.round(time / 1000) * 1000;
  const isTimeAlone = seconds >= firstDay && seconds < firstDay + dayMs;
  const shifted = !isTimeAlone && seconds < march1900 ? seconds + dayMs : seconds;
  const date = new Date(shifted);
  if (Number.isNaN(date.getTime())) return '';
  const [day = '', clock = ''] = date.toISOString().slice(0, -'.000Z'.length).split('T');
  if (isTimeAlone) return clock;
  return shifted % dayMs === 0 ? day : `${day} ${clock}`;
}
