/** Days of UTC as `YYYY-MM-DD`, in which signals are dated and calls are counted. They compare as texts. */

export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** For a range without a beginning, or without an end; no record has these days. */
export const firstDay = '0000-01-01';
export const lastDay = '9999-12-31';

const dayLength = 'YYYY-MM-DD'.length;
const millisecondsADay = 24 * 3_600_000;

export const dayOf = (at: string): string => at.slice(0, dayLength);
export const monthOf = (at: string): string => at.slice(0, 'YYYY-MM'.length);

/** Asked of each signal: only days from the 29th need the calendar, which takes ten times as long. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  return text.slice(-2) < '29' || dayOf(new Date(text).toISOString()) === text;
}

export function addDays(day: string, days: number): string {
  if (day === firstDay || day === lastDay) return day;
  const time = Date.parse(`${day}T00:00:00Z`) + days * millisecondsADay;
  return time < Date.parse(`${firstDay}T00:00:00Z`)
    ? firstDay
    : dayOf(new Date(time).toISOString());
}

export const earlierDay = (day: string, other: string): string => (day < other ? day : other);
export const laterDay = (day: string, other: string): string => (day > other ? day : other);

export const isWithin = (day: string, { from, to }: DayRange): boolean => from <= day && day <= to;

export function commonDays(range: DayRange, other: DayRange): readonly DayRange[] {
  const from = laterDay(range.from, other.from);
  const to = earlierDay(range.to, other.to);
  return from <= to ? [{ from, to }] : [];
}

export function joinedDays(ranges: readonly DayRange[]): readonly DayRange[] {
  const joined: DayRange[] = [];
  for (const range of ranges.toSorted((one, other) => (one.to < other.to ? 1 : -1))) {
    const newer = joined.at(-1);
    if (newer !== undefined && addDays(range.to, 1) >= newer.from) {
      joined[joined.length - 1] = { from: earlierDay(range.from, newer.from), to: newer.to };
    } else joined.push(range);
  }
  return joined;
}

export function describeDays({ from, to }: DayRange): string {
  if (from === to) return from;
  if (from === firstDay) return to === lastDay ? 'all' : `until ${to}`;
  return to === lastDay ? `from ${from}` : `${from} to ${to}`;
}

export const lengthOf = ({ from, to }: DayRange): number =>
  (Date.parse(to) - Date.parse(from)) / millisecondsADay + 1;
