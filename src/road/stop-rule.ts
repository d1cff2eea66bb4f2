/** Decides whether a job still sends: until a failure that makes the rest useless, `--on-error stop`, or Ctrl-C. */
import type { Bought } from '../book/buyer.ts';
import { interruption, PdiError, pluralize } from '../errors.ts';
import { exitTable } from '../exit.ts';
import type { Outcome, RowStatus } from '../rows/row.ts';

const isFatal = ({ code, details }: PdiError): boolean =>
  details.endsJob === true || exitTable[code].endsJob;

export function statusOf(failure: PdiError): RowStatus {
  // This is the service's word on the item itself, even where an earlier answer was lost.
  if (failure.code === 'not_found') return 'not_found';
  if (failure.code === 'usage' && !isFatal(failure)) return 'invalid';
  if (failure.details.billed === 'unknown') return 'unknown';
  return isFatal(failure) ? 'skipped' : 'failed';
}

/** After so many calls in a row without an answer, the rest of the job would wait for the same, or pay for nothing. */
const maxUnanswered = 10;

/** After so many answers of 404 at the start of a job, its ids are hardly those of this service, or the base URL is wrong. */
const maxMissed = 10;

interface StopOptions {
  readonly interrupt: AbortSignal;
  readonly stopOnError: boolean;
  /** Where it is given, a job that finds nothing from its start is ended: the base URL that it asks. */
  readonly missesAt?: string | undefined;
}

export class StopRule {
  private reason: PdiError | undefined;
  private stopWords: string | undefined;
  private unanswered = 0;
  private lastUnanswered: PdiError | undefined;
  private anyAnswer = false;
  private anyHit = false;
  private missed = 0;
  /** All of them may have been billed, so another run sends none of them again. */
  private onlyLost = true;
  private readonly onlyOneLeft = notReached(1);

  constructor(private readonly options: StopOptions) {}

  get stopped(): boolean {
    return (
      this.reason !== undefined || this.stopWords !== undefined || this.options.interrupt.aborted
    );
  }

  /** Where it is the only item, the failure is that of the command. */
  get skipped(): Outcome {
    const error =
      this.reason === undefined
        ? (this.stopWords ?? 'not sent: the run was interrupted')
        : `not sent: ${this.reason.message}`;
    return { status: 'skipped', error, failure: this.reason ?? this.onlyOneLeft };
  }

  /** A failure that ended the run makes its item skipped, like the items after it. */
  outcomeOf(failure: PdiError): Outcome {
    const status = statusOf(failure);
    return status === 'skipped'
      ? { ...this.skipped, failure }
      : { status, error: failure.details.reason ?? failure.message, failure };
  }

  /** An answer of the book, or a call that was not sent, says nothing about the service. `column` is where the item stood. */
  bought({ result, source, withheld }: Bought, column?: string): void {
    this.anyHit ||= !(result instanceof PdiError);
    if (source === 'book' || withheld === true) return;
    const failure = result instanceof PdiError ? result : result.trouble;
    if (!(result instanceof PdiError)) this.answered();
    if (failure !== undefined) this.failed(failure);
    if (failure?.code === 'not_found') this.miss(column);
  }

  /** An earlier run of the job found something. */
  found(): void {
    this.anyHit = true;
  }

  private miss(column: string | undefined): void {
    this.missed += 1;
    const { missesAt } = this.options;
    if (missesAt === undefined || this.anyHit || this.missed < maxMissed) return;
    this.reason ??= nothingFound(missesAt, column);
  }

  answered(): void {
    this.unanswered = 0;
    this.anyAnswer = true;
  }

  failed(failure: PdiError): void {
    this.itemFailed(failure);
    this.lost(failure);
  }

  /** It is told of each item that failed though its call was answered. */
  itemFailed(failure: PdiError): void {
    if (this.options.stopOnError && !isFatal(failure))
      this.stopWords ??= 'not sent: an earlier row failed and --on-error is stop';
  }

  /** It is told of each call that failed though its item has not: the call is made again, so `--on-error` has no say yet. */
  lost(failure: PdiError): void {
    if (failure.code === 'unavailable') {
      this.unanswered += 1;
      this.lastUnanswered = failure;
      this.onlyLost &&= failure.details.billed === 'unknown';
    } else if (failure.code !== 'interrupted') this.answered();
    if (isFatal(failure) && failure.code !== 'interrupted') this.reason ??= failure;
    else if (this.unanswered >= maxUnanswered)
      this.reason ??= noAnswer(`${maxUnanswered} calls in a row got no`, failure);
  }

  leave(): void {
    this.stopWords ??= 'not sent: the output ended';
  }

  /** Gives what ended the job early; `skipped` counts the skipped rows of the whole job. */
  failureOf(skipped: number): PdiError | undefined {
    if (this.reason !== undefined) return this.reason;
    if (this.options.interrupt.aborted && skipped > 0) return notReached(skipped);
    if (this.lastUnanswered === undefined || this.anyAnswer) return undefined;
    return noAnswer('no call got an', this.lastUnanswered, this.onlyLost && skipped === 0);
  }
}

function nothingFound(baseUrl: string, column: string | undefined): PdiError {
  const whose = column === undefined ? 'what was given' : `what the column ${column} holds`;
  const hint =
    'check the column (--column) and the base URL (`pdi config list` shows it); --on-error continue goes on all the same';
  const message = `the first ${maxMissed} calls found nothing (404): ${whose} is not known at ${baseUrl}`;
  return new PdiError('unavailable', message, { status: 404, retryable: false, hint });
}

const notReached = (rows: number): PdiError =>
  interruption(`interrupted: ${pluralize(rows, 'row')} ${rows === 1 ? 'was' : 'were'} not reached`);

/** An answer that is not documented, such as a 413, is of no use, and will hardly be different the next time. */
function noAnswer(
  whose: string,
  { message: cause, details }: PdiError,
  onlyLost = false,
): PdiError {
  const { status, errorCode, reason, hint } = details;
  const isUnknown = status !== undefined && status < 500;
  const message = `${whose} ${isUnknown ? 'answer of use' : 'answer'}: ${reason ?? cause}`;
  const health = '`pdi health` tells whether the service is up';
  const whenUp = {
    hint: health,
    ...(!onlyLost && { rerun: 'run the same command again once it is' }),
  };
  const retryable = !isUnknown && !onlyLost;
  return new PdiError('unavailable', message, {
    status,
    errorCode,
    retryable,
    ...(isUnknown ? { hint } : whenUp),
  });
}
