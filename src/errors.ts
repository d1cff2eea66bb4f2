/** The failures a person can act on. Values, thrown by whoever finds out; run/report.ts puts them into words, run/session.ts gives their exit code. */

/** The names of the exit-code table, `ok` apart. */
export type FailureCode =
  | 'internal'
  | 'usage'
  | 'auth'
  | 'not_found'
  | 'unavailable'
  | 'rate_limited'
  | 'credits'
  | 'partial'
  | 'hung_up'
  | 'interrupted'
  | 'terminated';

/** Whether the service may have charged for the call that failed. */
export type Billed = 'no' | 'yes' | 'unknown';

export interface FailureDetails {
  /** The message without its subject, for the row that the subject is in. */
  readonly reason?: string | undefined;
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The service's own code, such as `OUT_OF_CREDITS`. */
  readonly errorCode?: string | undefined;
  /** The identifier, file or flag that failed. */
  readonly item?: string | undefined;
  readonly billed?: Billed | undefined;
  /** Whether the same command may succeed later, unchanged. */
  readonly retryable?: boolean | undefined;
  /** What to do about it, one sentence: nothing that would buy again what the run bought. */
  readonly hint?: string | undefined;
  /** What to do that runs the command once more: told only where that buys nothing twice. */
  readonly rerun?: string | undefined;
  readonly cause?: unknown;
}

/** Any failure that is not a bug. `message` is one line: what failed, on which item, why. */
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
}

/** The same failure with one thing more that a person should know. */
export function withMoreHint({ code, message, details }: PdiError, more: string): PdiError {
  const hint = details.hint === undefined ? more : `${details.hint.replace(/\.$/, '')}; ${more}`;
  return new PdiError(code, message, { ...details, hint });
}

/** The user's mistake: bad flags, bad input, a refused confirmation. Nothing was sent. */
export class UsageError extends PdiError {
  constructor(message: string, details: FailureDetails = {}) {
    super('usage', message, { billed: 'no', retryable: false, ...details });
  }
}

/** `--out` names a file that is there, and `--force` was not given. */
export class FileExists extends UsageError {
  constructor(file: string, shown: string) {
    super(`--out ${shown}: the file exists`, { item: file, hint: 'add --force to replace it, or name another file' });
  }
}

/** The service's answer, or the lack of one. */
export class ServiceError extends PdiError {}

/** The system's code of a failure, such as `ENOENT`; undefined for errors that are not the system's. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What `work` gives, or the failure that it throws; bugs are thrown on. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | PdiError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PdiError) return error;
    throw error;
  }
}

/** Counts as sentences say them: `1 row`, `2 rows`; the plural is the noun with an s. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
