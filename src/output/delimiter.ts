/** The `--delimiter` flag. */
import { UsageError } from '../errors.ts';
import { cleanForTerminal } from './clean.ts';

/**
 * One character; `\t` is understood as a tab.
 * @throws UsageError for anything longer, and for characters that CSV itself needs.
 */
export function parseDelimiter(text: string): string {
  if (text === '\\t') return '\t';
  if ([...text].length === 1 && !/["\r\n\ufeff\0]/.test(text)) return text;
  throw new UsageError(`--delimiter: "${cleanForTerminal(text)}" cannot separate columns`, {
    item: '--delimiter',
    hint: 'give one character, such as ; or \\t, but no quote and no line break',
  });
}
