/**
 * The budget is the most calls that are not free, over all runs and processes of one machine. It takes no lock. Every call appends a line
 * to the ledger before it is sent, and the lines stand in one order for all processes. A call counts the calls before its own, except those
 * that were not billed. That number can only fall, so a call that is within the budget stays so, whatever others do. A call past the budget
 * waits as long as calls before it may turn out not billed; then it is written down as not billed, and not sent.
 */
import { PdiError, pluralize } from '../errors.ts';
import { dayOf, monthOf } from '../rows/days.ts';
import { LedgerCount, longestUnderWay } from './ledger-count.ts';

/** They hold for a month and a day of UTC; undefined means no limit. */
export interface Limits {
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

const periods = ['month', 'day'] as const satisfies readonly (keyof Limits)[];
type BudgetPeriod = (typeof periods)[number];

const nameOf: Readonly<Record<BudgetPeriod, (at: string) => string>> = { month: monthOf, day: dayOf };

export interface BudgetUse {
  readonly period: BudgetPeriod;
  readonly limit: number;
  readonly used: number;
}

interface BudgetOptions {
  readonly limits: Limits;
  /** It names base URL and account in the ledger, because only their calls count. */
  readonly owner: string;
  readonly fileOf: (at: string) => string;
}

/** While a call waits, the ledger is read again after so many milliseconds: soon at first, then more rarely. */
const shortestPause = 10;
const longestPause = 100;

export class Budget {
  private readonly counts = new Map<string, LedgerCount>();

  constructor(private readonly options: BudgetOptions) {}

  /** Ask once a call, right after writing its line. The wait ends once `stopped`. @throws PdiError `internal` for an unreadable ledger */
  async refusalOf(id: string, at: string, stopped: () => boolean): Promise<PdiError | undefined> {
    const count = this.countOf(at);
    const place = count.placeOf(id);
    let pause = 0;
    for (let waited = 0; ; waited += pause) {
      const over = this.overrun(at, (name) => place.used(name));
      if (over === undefined) return undefined;
      // A clock that stands still, or is set back again and again, would keep calls recent.
      const forGood = waited < longestUnderWay ? this.overrun(at, (name) => place.used(name) - place.mayBeFreed(name)) : over;
      if (forGood !== undefined || stopped()) return refusalOfUsedUp(forGood ?? over);
      pause = Math.min(waited + shortestPause, longestPause);
      await new Promise((resolve) => setTimeout(resolve, pause));
      count.refresh();
    }
  }

  /** Calls beyond a limit that are under way do not count, because they wait and are not sent. @throws as `refusalOf` */
  useAt(at: string): readonly BudgetUse[] {
    const end = this.countOf(at).endPlace();
    return this.uses(at, (name, limit) => Math.max(end.used(name) - end.mayBeFreed(name), Math.min(end.used(name), limit)));
  }

  close(): void {
    for (const count of this.counts.values()) count.close();
    this.counts.clear();
  }

  private overrun(at: string, used: (name: string) => number): BudgetUse | undefined {
    return this.uses(at, used).find((use) => use.used >= use.limit);
  }

  private uses(at: string, used: (name: string, limit: number) => number): readonly BudgetUse[] {
    return periods.flatMap((period) => {
      const limit = this.options.limits[period];
      return limit === undefined ? [] : [{ period, limit, used: used(nameOf[period](at), limit) }];
    });
  }

  private countOf(at: string): LedgerCount {
    const path = this.options.fileOf(at);
    const count = this.counts.get(path) ?? new LedgerCount(path, this.options.owner);
    this.counts.set(path, count);
    return count;
  }
}

/** Tells why `count` calls are more than is left. A run is only stopped at the limit, because others may use less than they have. */
export function refusalOfPlan({ period, limit, used }: BudgetUse, count: number): PdiError {
  const left = Math.max(0, limit - used);
  const message = `this job needs ${pluralize(count, 'call')} that may be billed; of the budget of ${limit} a ${period}, ${left} are left`;
  return new PdiError('credits', message, { billed: 'no', retryable: true, hint: 'nothing was sent', rerun: moreOf(period) });
}

export function refusalOfUsedUp({ period, limit }: BudgetUse): PdiError {
  const when = period === 'month' ? 'this month' : 'today';
  return new PdiError('credits', `the budget of ${pluralize(limit, 'call')} a ${period} is used up ${when} (UTC)`, {
    billed: 'no',
    retryable: true,
    rerun: moreOf(period),
  });
}

const moreOf = (period: BudgetPeriod): string =>
  `raise it with --budget, or run the command again ${period === 'day' ? 'tomorrow' : 'next month'} (UTC)`;
