/** Writes what a tool gives: a JSON text that is safe to show, says what it cost, and is no larger than a context can bear. */
import { type Billed, PdiError, UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { describeFailure } from '../road/report.ts';

interface ResultFacts {
  readonly billed: Billed;
  readonly source?: 'book' | 'session' | undefined;
  /** When the service answered, of answers that may be kept. */
  readonly fetched_at?: string | undefined;
  /** Calls that may be billed and that the cap still allows; null where there is no cap. */
  readonly calls_left?: number | null | undefined;
  readonly next_page?: number | undefined;
  readonly warning?: string | undefined;
}

const maxBytes = 64_000;

export class TooLargeResult extends UsageError {}

/** @throws TooLargeResult, with `way` on as its hint */
export function resultText(result: unknown, facts: ResultFacts, way: string): string {
  // What is undefined is left out. The result comes last, so that the price is read first.
  const text = jsonText({ ...facts, result: cleaned(result) });
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const kilobytes = Math.ceil(bytes / 1000);
  throw new TooLargeResult(`the result has ${kilobytes} kB, and a tool gives ${maxBytes / 1000} kB at most`, {
    billed: facts.billed,
    hint: way,
  });
}

/** Without escape sequences, and without control and invisible characters, in which instructions could hide. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanForTerminal(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [cleanForTerminal(name), cleaned(field)]));
}

/** The error object that every command writes to stderr. */
export const failureText = (error: unknown): string => describeFailure(bounded(error), { json: true, verbose: false }).trimEnd();

const [longestMessage, longestItem] = [2000, 500];

/** An argument of some megabytes would come back in the error about it. */
function bounded(error: unknown): unknown {
  if (!(error instanceof PdiError)) return error;
  const { code, message, details } = error;
  return new PdiError(code, shortened(message, longestMessage), { ...details, item: details.item && shortened(details.item, longestItem) });
}

/** What an error is about stands at its beginning, and the reason at its end. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most / 2)}…${text.slice(-most / 2)}` : text;

export const warningOf = (trouble: PdiError | undefined): string | undefined =>
  trouble === undefined ? undefined : cleanForTerminal(`${trouble.message}; ${trouble.details.hint ?? ''}`);
