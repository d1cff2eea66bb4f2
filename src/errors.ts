/** The failures that the user can act on. road/report.ts puts them into words, and session/session.ts gives their exit code. */
import { constants } from 'node:os';
import { sep } from 'node:path';
import type { FailureCode } from './exit.ts';

export type Billed = 'no' | 'yes' | 'unknown';

export type Way = Readonly<
  Partial<
    Record<'command' | 'input' | 'encoding' | 'column' | 'max-billable' | 'out', string | undefined>
  >
>;

export interface FailureDetails {
  /** The message without its subject, for a row that shows the subject already. */
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly item?: string | undefined;
  readonly billed?: Billed | undefined;
  readonly retryable?: boolean | undefined;
  /** The rest of a job would meet it too, whatever its code says. */
  readonly endsJob?: true;
  /** What to do, which must not make the user buy again what the run bought. */
  readonly hint?: string | undefined;
  /** Flags with which the same command, or that of the name `command`, would go on: the hint ends in it. */
  readonly way?: Way | undefined;
  /** To run the command again: shown only where that buys nothing twice. */
  readonly rerun?: string | undefined;
  readonly cause?: unknown;
}

/** Any failure that is not a bug. `message` is one line: what failed, on which item, and why. */
export class PdiError extends Error {
  readonly details: FailureDetails;

  constructor(
    readonly code: FailureCode,
    message: string,
    details: FailureDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = new.target.name;
    this.details = details;
  }

  with(details: FailureDetails): PdiError {
    return new PdiError(this.code, this.message, { ...this.details, ...details });
  }
}

export const withMoreHint = (failure: PdiError, more: string): PdiError =>
  failure.with({ hint: joinedHints(failure.details.hint, more) });

export const joinedHints = (
  hint: string | undefined,
  rest: string | undefined,
): string | undefined =>
  hint !== undefined && rest !== undefined ? `${hint.replace(/\.$/, '')}; ${rest}` : (hint ?? rest);

/** A hint about a file says how most commands take what a pipe brings; other commands take it by other words. */
export function withPipeInto(words: string, error: unknown): unknown {
  if (!(error instanceof PdiError) || error.details.hint?.includes(commonPipe) !== true)
    return error;
  return error.with({ hint: error.details.hint.replace(commonPipe, words) });
}

const commonPipe = 'pdi … -i -';

export class UsageError extends PdiError {
  constructor(message: string, details: FailureDetails = {}) {
    super('usage', message, { billed: 'no', retryable: false, ...details });
  }
}

export class FileExists extends UsageError {
  constructor(file: string, shown: string) {
    super(`--out ${shown}: the file exists`, {
      item: file,
      hint: 'add --force to replace it, or name another file',
    });
  }
}

export const interruption = (message: string, details: FailureDetails = {}): PdiError =>
  new PdiError('interrupted', message, {
    retryable: true,
    rerun: 'run the same command again',
    ...details,
  });

export class ServiceError extends PdiError {}

export function systemCodeOf(error: unknown): string | undefined {
  // Node has no name for a disk quota that is used up.
  if (error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT)
    return 'EDQUOT';
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Undefined where `work` fails, for whatever reason: the caller goes on without. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A failure that `work` throws becomes a value; bugs are thrown on. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | PdiError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PdiError) return error;
    throw error;
  }
}

export async function orFailureUnlessStopped<T>(work: () => Promise<T>): Promise<T | PdiError> {
  const result = await orFailure(work);
  if (result instanceof PdiError && result.code === 'interrupted') throw result;
  return result;
}

const usualQuotes = (text: string): string =>
  /^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Both shells of Windows know double quotes, within which only PowerShell replaces something. A program would take \" for a quote. */
function quotesOfWindows(text: string): string {
  if (/^(?!@)[\w:/.@\\%+=-]+$/.test(text)) return text;
  return /[$`]/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : `"${text.replaceAll('"', '""').replace(/\\+$/, '$&$&')}"`;
}

export const onWindows = sep === '\\';

/** A word as a shell of this platform takes it, for commands that hints give. */
export const shellWord = (text: string, isWindows = onWindows): string =>
  isWindows ? quotesOfWindows(text) : usualQuotes(text);

/** The same as an argument, which may begin like a flag. */
export const argumentWord = (text: string): string =>
  `${text.startsWith('-') ? '-- ' : ''}${shellWord(text)}`;

/** It ends with a whole character. */
export const beginningOf = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

export const truncated = (text: string, most: number): string =>
  text.length > most ? `${beginningOf(text, most)}…` : text;

const [mostListed, longestListed] = [8, 60];

/** Names that a person can read in one line, with the number of the others: of a file in a wrong encoding, one may be the whole file. */
export function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  const shown = names
    .slice(0, mostListed)
    .map((name) => truncated(name.replace(/[\r\n\t]+/g, ' ').trim() || '(empty)', longestListed));
  return `${shown.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A count as a person reads it. */
export const thousands = (count: number): string => count.toLocaleString('en-US');

export const pluralize = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
