/** Reads flag values. Each reader throws UsageError that names the flag. */
import { type Age, parseAge, quoted, secondsAboveZero } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { programWords, refuseShellWords } from '../files/child-process.ts';
import { addDays, dayOf, isDay, monthOf } from '../rows/days.ts';

export function flagReader<T>(flag: string, parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new UsageError(`${flag}: ${error instanceof Error ? error.message : ''}`, { item: flag });
    }
  };
}

export const secondsFlag = (flag: string): ((text: string) => number) => flagReader(flag, secondsAboveZero);

/** Reads a span of time such as 30d. */
export const ageFlag = (flag: string): ((text: string) => Age) => flagReader(flag, parseAge);

/** Reads different ones of these words, separated by commas. */
export function wordsFlag<W extends string>(flag: string, known: readonly W[]): (text: string) => readonly W[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))];
    const words = names.flatMap((name) => known.find((word) => word === name) ?? []);
    if (words.length === names.length) return words;
    throw new UsageError(`${flag}: expected ${known.join(', ')}, or several with commas, got ${JSON.stringify(text)}`, { item: flag });
  };
}

/** Reads a program and its arguments. */
export const programFlag = (flag: string) => (text: string) => {
  const words = programWords(text, flag);
  refuseShellWords(text, flag);
  return words;
};

const expectedDay = 'YYYY-MM-DD, today, yesterday, 7d (days ago) or a month as YYYY-MM';

/** Reads a day of UTC as people say it; a month is its first day, or its last one. */
export function dayFlag(flag: string, end: 'first' | 'last'): (text: string) => string {
  return (text) => {
    const day = dayNamed(text.trim().toLowerCase(), end);
    if (day !== undefined) return day;
    throw new UsageError(`${flag}: expected a day as ${expectedDay}, got ${quoted(text)}`, { item: flag });
  };
}

/** Gives the value of a flag that has two names. @throws UsageError for both with different values */
export function sameDay(name: string, value: string | undefined, other: string, same: string | undefined): string | undefined {
  if (value === undefined || same === undefined || value === same) return value ?? same;
  throw new UsageError(`${name} and ${other} are the same flag, and have different values`, { item: other, hint: 'leave one of them out' });
}

function dayNamed(text: string, end: 'first' | 'last'): string | undefined {
  const today = dayOf(new Date().toISOString());
  const ago = text === 'today' ? '0' : text === 'yesterday' ? '1' : /^(\d{1,5})d$/.exec(text)?.[1];
  if (ago !== undefined) return addDays(today, -Number(ago));
  const day = /^\d{4}-\d{2}$/.test(text) ? `${text}-01` : text;
  if (!isDay(day)) return undefined;
  return day !== text && end === 'last' ? lastOfMonth(day) : day;
}

/** The month after begins within 31 days of the first. */
const lastOfMonth = (first: string): string => addDays(`${monthOf(addDays(first, 31))}-01`, -1);
