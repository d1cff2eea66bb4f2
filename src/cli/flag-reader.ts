/** Reads flag values. Errors about a bad value name the flag. */
import { type Age, parseAge, secondsAboveZero } from '../config/values.ts';
import { UsageError } from '../errors.ts';

/** Applies `parse` to the value of `flag`. The reader throws UsageError naming the flag. */
export function flagReader<T>(flag: string, parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new UsageError(`${flag}: ${error instanceof Error ? error.message : ''}`, { item: flag });
    }
  };
}

/** Reads seconds above 0. The reader throws UsageError naming the flag. */
export const secondsFlag = (flag: string): ((text: string) => number) => flagReader(flag, secondsAboveZero);

/** Reads a span of time such as 30d. The reader throws UsageError naming the flag. */
export const ageFlag = (flag: string): ((text: string) => Age) => flagReader(flag, parseAge);

/** Reads different ones of these words, separated by commas. The reader throws UsageError naming the flag. */
export function wordsFlag<W extends string>(flag: string, known: readonly W[]): (text: string) => readonly W[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))];
    const words = names.flatMap((name) => known.find((word) => word === name) ?? []);
    if (words.length === names.length) return words;
    throw new UsageError(`${flag}: expected ${known.join(', ')}, or several with commas, got ${JSON.stringify(text)}`, { item: flag });
  };
}

/** Reads a day as YYYY-MM-DD. The reader throws UsageError, naming the flag, for a day that does not exist. */
export function dateFlag(flag: string): (text: string) => string {
  return (text) => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    if (day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
    throw new UsageError(`${flag}: expected a day as YYYY-MM-DD, got ${JSON.stringify(text)}`, { item: flag });
  };
}
