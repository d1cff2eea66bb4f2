/** Readers of flag values: what they say of a bad value names the flag. */
import { secondsAboveZero } from '../config/values.ts';
import { UsageError } from '../errors.ts';

/** `parse` for the value of `flag`. The reader throws UsageError naming the flag. */
export function flagReader<T>(flag: string, parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new UsageError(`${flag}: ${error instanceof Error ? error.message : ''}`, { item: flag });
    }
  };
}

/** Reads a flag's seconds, above 0. The reader throws UsageError naming the flag. */
export const secondsFlag = (flag: string): ((text: string) => number) => flagReader(flag, secondsAboveZero);

/** A day that exists, as YYYY-MM-DD: the 30th of February does not. The reader throws UsageError naming the flag. */
export function dateFlag(flag: string): (text: string) => string {
  return (text) => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    if (day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
    throw new UsageError(`${flag}: expected a day as YYYY-MM-DD, got ${JSON.stringify(text)}`, { item: flag });
  };
}
