/** Describes a failure, with what the run spent: one line of text, lines on a terminal, or one JSON object if programs read stderr. */
import { type Billed, joinedHints, PdiError, pluralize, type Way } from '../errors.ts';
import type { FailureCode } from '../exit.ts';
import { cleanForTerminal } from '../output/clean.ts';

interface Told {
  readonly json: boolean;
  readonly verbose: boolean;
  /** How a terminal shows it. */
  readonly lines?: ((message: string, hint?: string) => string) | undefined;
}

/** `advice` puts a hint into the words of the command. */
export function describeFailure(
  error: unknown,
  { json, verbose, lines = asLine }: Told,
  runCost?: RunCost,
  advice = (hint: string, _way?: Way) => hint,
): string {
  const failure = withRunCost(error instanceof PdiError ? error : unexpected(error), runCost);
  const hint =
    failure.details.hint === undefined
      ? undefined
      : asClause(advice(failure.details.hint, failure.details.way));
  const text = json
    ? asJson(failure, hint)
    : lines(cleanForTerminal(failure.message), hint && cleanForTerminal(hint));
  const trace =
    verbose && failure.code === 'internal' && error instanceof Error
      ? `${error.stack ?? ''}\n`
      : '';
  return text + trace;
}

/** An error that is not a PdiError is a bug, or comes from the system (full disk, unreadable file). */
export const codeOf = (error: unknown): FailureCode =>
  error instanceof PdiError ? error.code : 'internal';

function unexpected(error: unknown): PdiError {
  const message = error instanceof Error ? error.message : String(error);
  const fromSystem = error instanceof Error && 'syscall' in error;
  if (fromSystem)
    return new PdiError('internal', message, { hint: 'check the disk and the file permissions' });
  const rerun = 'run it again with --verbose, which shows more of it';
  return new PdiError('internal', `unexpected: ${message}`, {
    hint: 'this is a bug in pdi: please report it',
    rerun,
  });
}

const asLine = (message: string, hint?: string): string =>
  `pdi: ${hint === undefined ? message : `${message}; ${hint}`}\n`;

/** A hint is the end of a line for people, and reads the same for programs: no capital letter except for acronyms, and no full stop. */
const asClause = (sentence: string): string =>
  sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');

function asJson({ code, message, details }: PdiError, hint: string | undefined): string {
  const {
    status = null,
    errorCode = null,
    item = null,
    billed = 'no',
    retryable = false,
  } = details;
  const cleaned = (text: string | null) => (text === null ? null : cleanForTerminal(text));
  const error = {
    code,
    message: cleaned(message),
    status,
    errorCode: cleaned(errorCode),
    item: cleaned(item),
    billed,
    retryable,
    hint: cleaned(hint ?? null),
  };
  return `${JSON.stringify({ error })}\n`;
}

export interface RunCost {
  readonly spent: Readonly<Record<'billed' | 'unknown' | 'lost', number>>;
  foundBy: FoundBy;
  /** When the run began, by `performance.now()`. */
  readonly began: number;
  /** Under what condition the same command finds it. */
  caution?: string;
  /** The account has no name, so that a run with another key does not find it. */
  isOfKey?: boolean;
}

/** Which later runs find what this one bought: in a journal or in the book, which `--fresh` passes over. */
export type FoundBy = 'any run' | 'runs without --fresh' | 'no run';

export function billedBy({ billed, unknown }: RunCost['spent']): Billed {
  if (billed > 0) return 'yes';
  return unknown > 0 ? 'unknown' : 'no';
}

export function costOfNewRun(
  { spent: { billed, unknown }, foundBy }: RunCost,
  who = 'a new run',
): string {
  if (billed === 0)
    return `${who} may be billed for it a second time: ${pluralize(unknown, 'call')}`;
  const cost = `${who} may be billed again for what was bought: ${pluralize(billed + unknown, 'call')}`;
  return foundBy === 'runs without --fresh'
    ? `${cost}; without --fresh it takes that from the book`
    : cost;
}

export const withCaution = <T extends string | null | undefined>(
  advice: T,
  { caution }: RunCost,
): T | string => (advice && caution !== undefined ? `${advice}; ${caution}` : advice);

/** Gives the failure with the `billed` of the whole run. Its hint must not cause a second bill. */
function withRunCost(failure: PdiError, runCost: RunCost | undefined): PdiError {
  const { hint, rerun, billed: told } = failure.details;
  const billed = runCost === undefined ? 'no' : billedBy(runCost.spent);
  if (runCost === undefined || billed === 'no')
    return failure.with({ billed: told ?? billed, hint: joinedHints(hint, rerun) });
  // A failure that says what was billed, and advises no new run, needs no other hint.
  const isTold = told !== undefined && rerun === undefined;
  const isForKey = failure.code === 'auth' && runCost.isOfKey === true;
  const ofNewRun =
    runCost.foundBy === 'any run'
      ? withCaution(rerun, runCost)
      : isTold
        ? undefined
        : costOfNewRun(runCost);
  return failure.with({
    billed,
    hint: joinedHints(
      hint,
      isForKey ? costOfNewRun({ ...runCost, foundBy: 'no run' }, 'another key') : ofNewRun,
    ),
  });
}
