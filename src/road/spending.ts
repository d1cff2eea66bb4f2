/** Sets up what a run may buy: the cap, the book, and the buyer that every call goes through. */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Book } from '../book/book.ts';
import { type BudgetUse, budgetUses, Cap, refusalOfPlan } from '../book/budget.ts';
import type { Buyer } from '../book/buyer.ts';
import type { Owner } from '../book/calls.ts';
import type { Endpoint, Question } from '../contract/endpoint.ts';
import { listed, orFailure, PdiError, pluralize } from '../errors.ts';
import { ownLogin } from '../files/private.ts';
import { isStdout } from '../output/formats.ts';
import { memoize } from '../rows/memoize.ts';
import type { Plan, Rules } from './plan.ts';
import type { FoundBy, RunCost } from './report.ts';
import type { Tools } from './tools.ts';

export interface Spending {
  readonly cap: Cap;
  readonly buyer: Buyer;
  readonly runCost: RunCost;
  readonly budgetUse: () => Promise<readonly BudgetUse[]>;
  /** Why cap or budget have no room for so many calls: then nobody is asked, and nothing bought, in vain. */
  readonly refusalOf: (count: number) => Promise<PdiError | undefined>;
  /** Tells for a plan why a question is not sent. Without a book, or a key that tells whose it is, nothing is known. */
  readonly inBook: (question: Question) => Promise<'answered' | 'lost' | undefined>;
  /** When a question was last bought, for a plan that would buy it again. */
  readonly boughtAt: (question: Question) => Promise<number | undefined>;
}

export function foundByOthers({ keptFor, fresh }: Rules, { stored }: Endpoint): FoundBy {
  if (stored !== true || keptFor === 0) return 'no run';
  return fresh ? 'runs without --fresh' : 'any run';
}

/** The book opens at the first call that may be billed, or at the first question about it. */
export async function openSpending({ show, rules, calls }: Plan, tools: Tools): Promise<Spending> {
  const cap = new Cap(rules.cap);
  const { Buyer } = await import('../book/buyer.ts');
  const buyer = new Buyer({
    client: tools.client,
    book: memoize(() => openBookOf(show, rules, cap, tools)),
    place: tools.book,
    cap,
    maxAge: rules.keptFor,
    retriesOfUnknown: rules.retryUnknown ? calls.retries : 0,
    longestWaitMs: calls.timeoutMs + calls.maxWaitMs,
    redact: tools.say.redact,
  });
  const runCost: RunCost = { spent: buyer.spent, foundBy: 'no run', began: performance.now() };
  tools.runCost = runCost;
  const budgetUse = () => budgetUseOf(rules.limits, tools);
  const refusalOf = async (count: number) =>
    count === 0 ? undefined : (cap.refusalOfJob(count) ?? refusalOfPlan(await budgetUse(), count));
  const hasBook = async () => tools.book.isThere() && (await ownerIfKnown(tools)) !== undefined;
  const inBook = async (question: Question) => {
    const known = (await hasBook()) ? await buyer.find(question) : undefined;
    return known && (known.source === undefined ? 'lost' : 'answered');
  };
  const boughtAt = async (question: Question) =>
    (await hasBook()) ? buyer.boughtAt(question) : undefined;
  return { cap, buyer, runCost, budgetUse, refusalOf, inBook, boughtAt };
}

async function openBookOf({ command, out }: Plan['show'], rules: Rules, cap: Cap, tools: Tools) {
  const book = await tools.book.open();
  const { fresh, retryUnknown, limits, maxAge, keepVersions, profile, countedAs = command } = rules;
  if ((limits.month ?? limits.day ?? out) !== undefined) await tools.tellOfNewBook();
  const { baseUrl } = await tools.service();
  const named =
    rules.tag ??
    (out === undefined || isStdout(out) ? '' : resolve(tools.io.currentDirectory(), out));
  const who = {
    user: ownLogin(),
    host: hostname(),
    file: tools.say.redact(named),
  };
  const ofRun = book.ofRun({
    clock: Date.now,
    facts: {
      owner: await tools.owner(),
      profile,
      command: countedAs,
      origin: new URL(baseUrl).origin,
      sandbox: tools.isSandbox,
      ...who,
    },
    rules: { fresh, retryUnknown, limits, keepVersions },
    cap,
    limit: tools.book.isFar ? (await tools.client()).limit : undefined,
    pid: tools.io.pid,
    stop: tools.stop,
    onFirstKept: () =>
      tools.say.notice(
        `bought answers are kept in ${book.path} for ${maxAge}, and taken from there instead of being bought again; --max-age 0 or \`pdi config set max-age 0\` turns it off`,
      ),
  });
  tools.atEnd(() => ofRun.close());
  if (retryUnknown) await tellSecondBill(book, tools);
  return ofRun;
}

/** The service's log has shown that these were billed. */
async function tellSecondBill({ reports }: Book, tools: Tools): Promise<void> {
  const items = await reports.billedUnanswered(await tools.owner());
  if (items.length > 0)
    tools.say.notice(
      `--retry-unknown: ${pluralize(items.length, 'call')} without an answer, billed as the service's log has it, ${items.length === 1 ? 'costs' : 'cost'} a second time if this run asks again: ${listed(items)}`,
    );
}

/** Nobody is asked for a key in vain. @throws what else is wrong, such as a key that is none */
async function unlessWithoutKey<T>(work: () => Promise<T>): Promise<T | undefined> {
  const result = await orFailure(work);
  if (!(result instanceof PdiError)) return result;
  if (result.code === 'auth') return undefined;
  throw result;
}

export const ownerIfKnown = (tools: Tools): Promise<Owner | undefined> =>
  unlessWithoutKey(() => tools.owner());

export const plannedBudgetUse = (
  limits: Rules['limits'],
  tools: Tools,
): Promise<readonly BudgetUse[] | undefined> => unlessWithoutKey(() => budgetUseOf(limits, tools));

async function budgetUseOf(limits: Rules['limits'], tools: Tools): Promise<readonly BudgetUse[]> {
  if (limits.month === undefined && limits.day === undefined) return [];
  const owner = await tools.owner();
  const book = await tools.book.ifThere();
  return book?.reports.budgetUses(owner, limits, Date.now()) ?? budgetUses(limits, () => 0);
}

/** The use of the budget, where that is told beside something else; undefined where it is not known, as without a key or a book. */
export async function knownBudgetUse(
  limits: Rules['limits'],
  tools: Tools,
): Promise<readonly BudgetUse[] | undefined> {
  const uses = await orFailure(() => budgetUseOf(limits, tools));
  return uses instanceof PdiError ? undefined : uses;
}
