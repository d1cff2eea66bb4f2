/** What limits the calls that are not free: the cap of a run, and the budget of an account over all runs that use one book. */
import { type FailureDetails, PdiError, pluralize } from '../errors.ts';
import { dayOf, monthOf } from '../rows/days.ts';

export interface Limits {
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

export interface BudgetUse {
  readonly period: keyof Limits;
  readonly limit: number;
  readonly used: number;
}

/** The use of each limit that is set. */
export const budgetUses = (
  limits: Limits,
  usedIn: (period: keyof Limits) => number,
): readonly BudgetUse[] =>
  (['month', 'day'] as const).flatMap((period) => {
    const limit = limits[period];
    return limit === undefined ? [] : { period, limit, used: usedIn(period) };
  });

/** The first and the last day of the period of `at`, as texts that sort: a month ends with 31 whatever its length. */
export function daysOf(period: keyof Limits, at: number): readonly [string, string] {
  const time = new Date(at).toISOString();
  return period === 'month'
    ? [`${monthOf(time)}-01`, `${monthOf(time)}-31`]
    : [dayOf(time), dayOf(time)];
}

/** For what is only planned: a run is stopped at the limit alone, because others may use less than they have. */
export function refusalOfPlan(uses: readonly BudgetUse[], count: number): PdiError | undefined {
  const overrun = uses.find(({ used, limit }) => used + count > limit);
  if (overrun === undefined) return undefined;
  const { period, limit, used } = overrun;
  const left = Math.max(0, limit - used);
  const message = `this job needs ${pluralize(count, 'call')} that may be billed; of the budget of ${limit} a ${period}, ${left} are left`;
  return noCredits(message, {
    retryable: limit > 0,
    hint: 'nothing was sent',
    rerun: moreOf(period, limit),
  });
}

export function refusalOfUsedUp({ period, limit }: BudgetUse): PdiError {
  const when = period === 'month' ? 'this month' : 'today';
  const message = `the budget of ${pluralize(limit, 'call')} a ${period} is used up ${when} (UTC)`;
  return noCredits(message, { retryable: limit > 0, rerun: moreOf(period, limit) });
}

const noCredits = (message: string, advice: FailureDetails): PdiError =>
  new PdiError('credits', message, { billed: 'no', ...advice });

/** A budget of no calls never has room, however long one waits. */
function moreOf(period: keyof Limits, limit: number): string {
  const raise = 'raise it with --budget';
  return limit === 0
    ? raise
    : `${raise}, or run the command again ${period === 'day' ? 'tomorrow' : 'next month'} (UTC)`;
}

// The hard cap of a run. Calls that cost nothing keep their places too: otherwise the timing of answers would decide which calls are sent,
// and a service that answers 404 to everything would be asked without end.
export class Cap {
  private readonly limit: number;
  private reserved = 0;

  constructor(limit: number | 'unlimited') {
    this.limit = limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit;
  }

  get left(): number {
    return this.limit - this.reserved;
  }

  reserve(places: number): void {
    if (this.left < places) throw new RangeError('no place is left under the cap');
    this.reserved += places;
  }

  refusal(): PdiError {
    const rerun = 'raise it with --max-billable N, or lift it with --max-billable unlimited';
    return noCredits(`the cap of ${pluralize(this.limit, 'call')} that may be billed is reached`, {
      rerun,
    });
  }

  refusalOfJob(count: number, isCut = false): PdiError | undefined {
    if (count <= this.left) return undefined;
    const used = this.reserved === 0 ? '' : `, of which ${this.reserved} are used`;
    const need = `${isCut ? 'at least ' : ''}${pluralize(count, 'call')}`;
    const hint = `nothing was bought; --max-billable ${isCut ? 'unlimited' : count + this.reserved} allows it`;
    return noCredits(`this job needs ${need} that may be billed; the cap is ${this.limit}${used}`, {
      hint,
    });
  }
}
