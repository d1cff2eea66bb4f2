/** A book of one process, of which nothing stays: `:memory:`, and the sandbox's on a Node without SQLite. It counts for the budget. */
import { UsageError } from '../errors.ts';
import { dayOf } from '../rows/days.ts';
import type { Book, RunBook, RunBookOptions } from './book.ts';
import { budgetUses, daysOf, type Limits } from './budget.ts';
import { type BookCall, keyOf, newPlacesIn, ownerName, type Settled, type Taken } from './calls.ts';

/** How many calls of each day may be billed. */
class CallsByDay {
  private readonly calls = new Map<string, number>();
  underWay = 0;

  uses = (limits: Limits, at: number) =>
    budgetUses(limits, (period) => {
      const [first, last] = daysOf(period, at);
      const within = [...this.calls].filter(([day]) => first <= day && day <= last);
      return within.reduce((sum, [, calls]) => sum + calls, 0);
    });

  add(at: number, calls: number): void {
    const day = dayOf(new Date(at).toISOString());
    this.calls.set(day, (this.calls.get(day) ?? 0) + calls);
  }
}

/** Answers are neither kept nor taken, as under `--max-age 0`, so that no call is held up by another. */
function runIn(calls: CallsByDay, { clock, facts, rules, cap }: RunBookOptions): RunBook {
  const end = async ({ ticket, outcome }: Settled): Promise<undefined> => {
    if (ticket.number === 0) return;
    calls.underWay -= 1;
    // The number of a ticket is the time of its call.
    if (outcome === 'not_billed') calls.add(ticket.number, -1);
  };
  const take = async (call: BookCall): Promise<Taken> => {
    if (call.hasPlace !== true && cap.left < 1) return 'capped';
    const at = clock();
    const over = calls.uses(rules.limits, at).find(({ used, limit }) => used >= limit);
    if (over !== undefined) return calls.underWay > 0 ? { full: over } : { over };
    calls.add(at, 1);
    calls.underWay += 1;
    const taken = { ticket: { call, number: at } };
    cap.reserve(newPlacesIn([taken]));
    return taken;
  };
  return {
    now: clock,
    keyOf: (question) => keyOf(ownerName(facts.owner), question),
    boughtAt: async () => undefined,
    find: async () => undefined,
    isCleared: async () => false,
    take,
    giveBack: async (ticket) => {
      await end({ ticket, outcome: 'not_billed' });
      return { call: { ...ticket.call, hasPlace: true }, number: 0 };
    },
    settle: end,
    lost: async () => new Map(),
    holds: () => true,
    close: async () => {},
  };
}

export function openMemoryBook(path: string): Book {
  const calls = new CallsByDay();
  const needsFile = (what: string) => (): never => {
    throw new UsageError(`${what} needs a book that stays, and this one is in memory`, {
      hint: 'name a file or a postgres:// address as PDI_BOOK',
    });
  };
  const none = async () => 0;
  const noAnswers = async () => ({ deleted: 0, kept: 0 });
  return {
    path,
    reports: {
      budgetUses: async (_owner, limits, at) => calls.uses(limits, at),
      spend: async () => [],
      keptAnswers: async () => [],
      answers: async () => [],
      billedUnanswered: async () => [],
      calls: async () => [],
      settleByLog: async () => {},
      answersThere: none,
      lostCalls: none,
      hasAnswer: async () => false,
      concludeDeadRuns: async () => {},
      forget: async () => ({ answers: 0, calls: 0 }),
      purge: noAnswers,
      purgeAll: noAnswers,
    },
    ofRun: (options) => runIn(calls, options),
    bookmarks: needsFile('a bookmark'),
    sharedPace: () => undefined,
    finishedJob: async () => undefined,
    keepFinishedJob: async () => {},
    state: needsFile('this'),
    check: async () => 'in memory: nothing stays',
    copyInto: needsFile('a copy'),
    whole: needsFile('a copy'),
    close: async () => {},
  };
}
