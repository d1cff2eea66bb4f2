/** Counts records by day, and shows them by the finest unit (day, week, month, year) that takes few lines. */
import type { Bar } from './bar.ts';

const dayMs = 86_400_000;
/** Day 0, 1970-01-01, was a Thursday, and a week begins on Monday, three days earlier. */
const mondayShift = 3;

const textOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** Returns the days since 1970-01-01. The time after the date is ignored, and a day that does not exist gives undefined. */
function dayOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?!\d)/.test(value)) return undefined;
  const text = value.slice(0, 10);
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs;
  return Number.isNaN(day) || textOf(day) !== text ? undefined : day;
}

interface Unit {
  readonly name: string;
  numberOf(day: number): number;
  labelOf(number: number): string;
}

const monthOf = (day: number): number => {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};
const yearText = (year: number): string => String(year).padStart(4, '0');

const years: Unit = { name: 'year', numberOf: (day) => Math.floor(monthOf(day) / 12), labelOf: yearText };
const units: readonly Unit[] = [
  { name: 'day', numberOf: (day) => day, labelOf: textOf },
  {
    name: 'week (from Monday)',
    numberOf: (day) => Math.floor((day + mondayShift) / 7),
    labelOf: (week) => textOf(week * 7 - mondayShift),
  },
  {
    name: 'month',
    numberOf: monthOf,
    labelOf: (month) => `${yearText(Math.floor(month / 12))}-${String((month % 12) + 1).padStart(2, '0')}`,
  },
];

/** Memory grows with the number of days, not with the number of records. */
export class DayCounts {
  private readonly byDay = new Map<number, number>();
  private undated = 0;

  add(date: unknown): void {
    const day = dayOf(date);
    if (day === undefined) this.undated += 1;
    else this.byDay.set(day, (this.byDay.get(day) ?? 0) + 1);
  }

  /** Returns at most `most` bars, the newest first, and one more for records without a date. Days between others have a bar without records. */
  histogram(most: number): { readonly unit: string; readonly bars: readonly Bar[] } {
    const days = [...this.byDay.keys()];
    const first = days.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    const last = days.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    const unit = units.find(({ numberOf }) => numberOf(last) - numberOf(first) < most) ?? years;
    const bars = days.length === 0 ? [] : this.barsOf(unit, unit.numberOf(first), unit.numberOf(last), most);
    return { unit: unit.name, bars: this.undated === 0 ? bars : [...bars, { label: 'no date', count: this.undated }] };
  }

  private barsOf({ numberOf, labelOf }: Unit, first: number, last: number, most: number): readonly Bar[] {
    const counts = new Map<number, number>();
    const oldest = last - first < most ? first : last - most + 1;
    for (const [day, count] of this.byDay) {
      const number = Math.max(oldest, numberOf(day));
      counts.set(number, (counts.get(number) ?? 0) + count);
    }
    return Array.from({ length: last - oldest + 1 }, (_, back) => {
      const number = last - back;
      const label = number === oldest && oldest > first ? `to ${labelOf(number)}` : labelOf(number);
      return { label, count: counts.get(number) ?? 0 };
    });
  }
}
