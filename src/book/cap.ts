/** This is the hard cap on calls that are not free (contract, "Money"). It is all synchronous, so no two callers share a place. */
import { PdiError, pluralize } from '../errors.ts';

type CapLimit = number | 'unlimited';

/**
 * A place is reserved before a call is sent, and kept whatever the answer is. If calls that cost nothing gave theirs back, the timing of
 * answers would decide which calls are sent, and a service that answers 404 to everything would be asked without end.
 */
export class Cap {
  private readonly limit: number;
  private reserved = 0;

  /** Settings are checked before they come here. @throws RangeError for a limit that is no whole number from 0 */
  constructor(limit: CapLimit) {
    this.limit = limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit;
    const valid = limit === 'unlimited' || (Number.isSafeInteger(limit) && limit >= 0);
    if (!valid) throw new RangeError(`a cap is a whole number from 0, not ${limit}`);
  }

  get left(): number {
    return this.limit - this.reserved;
  }

  /** Takes a place, for a call that is written down. @throws RangeError where none is left */
  reserve(): void {
    if (this.left < 1) throw new RangeError('no place is left under the cap');
    this.reserved += 1;
  }

  /** Says why no more calls are made: the cap is reached. */
  refusal(): PdiError {
    return new PdiError('credits', `the cap of ${pluralize(this.limit, 'call')} that may be billed is reached`, {
      billed: 'no',
      retryable: false,
      rerun: 'raise it with --max-billable N, or lift it with --max-billable unlimited',
    });
  }

  /** Gives why a job of `count` calls, or of more where it `isCut`, cannot fit. Ask before the first call. */
  refusalOfJob(count: number, isCut = false): PdiError | undefined {
    if (count <= this.left) return undefined;
    const used = this.reserved === 0 ? '' : `, of which ${this.reserved} are used`;
    const need = `${isCut ? 'at least ' : ''}${pluralize(count, 'call')}`;
    const allowing = isCut ? 'unlimited' : count + this.reserved;
    return new PdiError('credits', `this job needs ${need} that may be billed; the cap is ${this.limit}${used}`, {
      billed: 'no',
      retryable: false,
      hint: `nothing was sent; --max-billable ${allowing} allows it`,
    });
  }
}
