/** Sets up what a run may buy: the cap, the book, and the buyer that every call goes through. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BookFile, BookPlace } from '../book/book-file.ts';
import type { BudgetUse } from '../book/budget.ts';
import type { Buyer, BuyerQuestion, Spent } from '../book/buyer.ts';
import { Cap } from '../book/cap.ts';
import { settings } from '../config/settings.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { orFailure, PdiError } from '../errors.ts';
import type { Context } from './context.ts';
import { memoize } from './memoize.ts';
import type { FoundBy, RunCost } from './run-cost.ts';

export interface Spending {
  readonly cap: Cap;
  readonly buyer: Buyer;
  readonly spent: Spent;
  readonly runCost: RunCost;
  readonly budgetUse: () => Promise<readonly BudgetUse[]>;
  /** The book for reports, opened once; undefined where there is none yet. */
  readonly reading: () => Promise<BookFile | undefined>;
  /** Tells for a plan why a question is not sent. Without a book, or a key that tells whose it is, nothing is known. */
  readonly inBook: <E extends Endpoint>(question: BuyerQuestion<E>) => Promise<'answered' | 'lost' | undefined>;
}

/** A bad setting ends a run, and its plan, before the first call: not after the last row. @throws UsageError */
export function refuseBadSettings(context: Context): void {
  context.setting(settings.maxBillable);
  context.setting(settings.budget);
  context.setting(settings.account);
  context.setting(settings.book);
  context.callSettings();
}

export const bookPath = (context: Context): string => context.setting(settings.book) ?? join(context.stateDirectory(), 'book.db');

export function bookPlace(context: Context): BookPlace {
  return { path: bookPath(context), patience: longestWait(context), notice: (words) => context.notice(words), clock: Date.now };
}

/** It is long enough for a call of another run to be answered. */
function longestWait(context: Context): number {
  const { timeoutMs, maxWaitMs } = context.callSettings();
  return timeoutMs + maxWaitMs;
}

/** Gives for how many milliseconds this run keeps what it buys. A sandbox's answers are invented: they are kept only if the user asks. */
function maxAgeOf(context: Context): number {
  const { value, source } = context.resolved(settings.maxAge);
  const isWanted = !context.sandboxed() || source === 'flag' || context.resolved(settings.book).source === 'environment';
  return isWanted ? value.milliseconds : 0;
}

/** Tells which later runs find what this one buys of such answers, without a journal. */
export function foundByOthers(context: Context, { stored }: Pick<Endpoint, 'stored'>): FoundBy {
  if (stored !== true || maxAgeOf(context) === 0) return 'no run';
  return context.flags.fresh === true ? 'runs without --fresh' : 'any run';
}

/** The book opens at the first call that may be billed, or at the first question about it. */
export async function openSpending(context: Context): Promise<Spending> {
  refuseBadSettings(context);
  const cap = new Cap(context.setting(settings.maxBillable));
  await context.service();
  const { Buyer } = await import('../book/buyer.ts');
  const buyer = new Buyer({
    client: () => context.client(),
    book: memoize(() => openBookOf(context, cap)),
    owner: memoize(() => context.owner()),
    cap,
    maxAge: maxAgeOf(context),
    retriesOfUnknown: context.flags.retryUnknown === true ? context.setting(settings.retries) : 0,
    longestWait: longestWait(context),
    redact: context.redact,
  });
  const runCost: RunCost = { spent: buyer.spent, foundBy: 'no run' };
  context.runCost = runCost;
  const reading = readerOf(context);
  const budgetUse = () => (hasBudget(context) ? budgetUseOf(context, reading) : Promise.resolve([]));
  const inBook = async <E extends Endpoint>(question: BuyerQuestion<E>) =>
    existsSync(bookPath(context)) && (await hasOwner(context)) ? buyer.knows(question) : undefined;
  return { cap, buyer, spent: buyer.spent, runCost, budgetUse, reading, inBook };
}

async function openBookOf(context: Context, cap: Cap) {
  const { openBook } = await import('../book/book.ts');
  const place = bookPlace(context);
  const maxAge = context.setting(settings.maxAge);
  const { baseUrl } = await context.service();
  const book = await openBook({
    ...place,
    facts: {
      owner: await context.owner(),
      profile: context.selectedProfile().value,
      command: context.command,
      origin: new URL(baseUrl).origin,
      sandbox: context.sandboxed(),
    },
    rules: {
      fresh: context.flags.fresh === true,
      retryUnknown: context.flags.retryUnknown === true,
      limits: context.setting(settings.budget),
    },
    cap,
    pid: context.io.pid,
    onFirstKept: () =>
      context.notice(
        `bought answers are kept in ${place.path} for ${maxAge}, and taken from there instead of being bought again; --max-age 0 or \`pdi config set max-age 0\` turns it off`,
      ),
  });
  context.onDispose(() => book.close());
  return book;
}

/** Nobody is asked for a key in vain. @throws what is wrong with the key, unless there is none */
async function hasOwner(context: Context): Promise<boolean> {
  const owner = await orFailure(() => context.owner());
  if (!(owner instanceof PdiError)) return true;
  if (owner.code === 'auth') return false;
  throw owner;
}

function hasBudget(context: Context): boolean {
  const { month, day } = context.setting(settings.budget);
  return month !== undefined || day !== undefined;
}

/** A session asks again and again, so the book stays open until its end. */
function readerOf(context: Context): () => Promise<BookFile | undefined> {
  let opened: BookFile | undefined;
  const opening = memoize(async () => {
    const { openBookIfThere } = await import('../book/book-file.ts');
    opened = await openBookIfThere(bookPlace(context));
    if (opened === undefined) opening.forget();
    return opened;
  });
  context.onDispose(async () => opened?.close());
  return opening;
}

async function budgetUseOf(context: Context, reading: () => Promise<BookFile | undefined>): Promise<readonly BudgetUse[]> {
  const [{ budgetUses }, { ownerName }] = await Promise.all([import('../book/budget.ts'), import('../book/owner.ts')]);
  const [limits, owner] = [context.setting(settings.budget), ownerName(await context.owner())];
  const file = await reading();
  return file === undefined ? unused(limits) : file.read(() => budgetUses(file, owner, limits, Date.now()));
}

const unused = (limits: { readonly month?: number | undefined; readonly day?: number | undefined }): readonly BudgetUse[] =>
  (['month', 'day'] as const).flatMap((period) => {
    const limit = limits[period];
    return limit === undefined ? [] : [{ period, limit, used: 0 }];
  });

/** Gives the use of the budget for reports and plans; undefined if it is not known whose calls count, as without a key. */
export async function knownBudgetUse(context: Context): Promise<readonly BudgetUse[] | undefined> {
  const uses = await orFailure(() => budgetUseOf(context, readerOf(context)));
  return uses instanceof PdiError ? undefined : uses;
}
