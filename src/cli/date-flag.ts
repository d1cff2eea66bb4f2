/** A flag that takes a day. */
import { UsageError } from '../errors.ts';

/** A day that exists, as YYYY-MM-DD: the 30th of February does not. The reader throws UsageError naming the flag. */
export function dateFlag(flag: string): (text: string) => string {
  return (text) => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    if (day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
    throw new UsageError(`${flag}: expected a day as YYYY-MM-DD, got ${JSON.stringify(text)}`, { item: flag });
  };
}
