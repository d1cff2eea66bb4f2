/** What a book tells of all accounts and base URLs, for `pdi spend` and `pdi store`, which also deletes from it. */
import * as z from 'zod/mini';
import type { BudgetUse, Limits } from './budget.ts';
import type { keyOf, Owner } from './calls.ts';

/** `at` is a time, which only the calls about one id have. */
export type SpendKey = 'day' | 'month' | 'command' | 'profile' | 'user' | 'host' | 'file' | 'at';

/** `settled`: its answer was lost, and the same call, sent again, was answered. */
export const spendCounts = ['billed', 'lost', 'settled', 'unpriced', 'not_billed'] as const;
export type SpendCounts = Readonly<Record<(typeof spendCounts)[number], number>>;
export interface SpendQuestion {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly by: readonly SpendKey[];
  /** Only the calls that asked about it, or whose hash stands in its place. */
  readonly about?: readonly string[];
  readonly profile?: string | undefined;
  /** Only the sandbox's calls, which cost nothing, or only the others. */
  readonly sandbox: boolean;
}

const time = z.pipe(
  z.number(),
  z.transform((at: number) => new Date(at).toISOString()),
);

/** A row of `spend`, by what an engine gives for a text. */
export const spendRowOf = <T extends z.ZodMiniType<string>>(text: T) =>
  z.object({
    day: z.optional(text),
    month: z.optional(text),
    command: z.optional(text),
    profile: z.optional(text),
    user: z.optional(text),
    host: z.optional(text),
    file: z.optional(text),
    at: z.optional(time),
    billed: z.number(),
    lost: z.number(),
    settled: z.number(),
    unpriced: z.number(),
    not_billed: z.number(),
  });

/** A row of `keptAnswers`, likewise. */
export const keptRowOf = <T extends z.ZodMiniType<string>>(text: T) =>
  z.object({
    operation: text,
    base_url: text,
    account: z.nullable(text),
    answers: z.number(),
    bytes: z.number(),
    oldest: time,
    latest: time,
  });

/** A row of `answers`, likewise, of a 404 too; the next ones are behind its place, which of a version is its key. */
export const keptBodyOf = (text: z.ZodMiniType<string>) =>
  z.object({ place: text, at: z.number(), missing: z.number(), body: text });
export type KeptBody = z.infer<ReturnType<typeof keptBodyOf>>;

/** Of which base URL, owner (a pattern of SQL) and operation, and behind which place. */
export type KeptOf = readonly [base: string, owner: string, operation: string, place: string];

export type BookedCall = z.infer<ReturnType<typeof bookedCallOf>>;

/** What becomes of a call by the service's log, if it still stands in the book as it did. */
export type EndByLog = BookedCall & { readonly after: string };

/** A row of `calls`, likewise. */
export const bookedCallOf = (text: z.ZodMiniType<string>) =>
  z.object({
    id: z.number(),
    at: z.number(),
    run: z.number(),
    outcome: text,
    billing: text,
    operation: text,
    item: text,
    command: text,
  });

export type AskedItems = readonly Parameters<typeof keyOf>[1][];

/** @throws PdiError `internal`, each of them */
export interface Reports {
  /** The use of each limit in the period of `at`; a call counts in the period in which it was sent. */
  budgetUses(owner: Owner, limits: Limits, at: number): Promise<readonly BudgetUse[]>;
  /** In the order of the keys. A call under way counts as `lost`, because it may have been billed. */
  spend(
    question: SpendQuestion,
  ): Promise<readonly (SpendCounts & { readonly [key in SpendKey]?: string | undefined })[]>;
  /** By base URL, account and operation, without what is past its age. */
  keptAnswers(now: number): Promise<
    readonly {
      readonly operation: string;
      readonly base_url: string;
      readonly account: string | null;
      readonly answers: number;
      readonly bytes: number;
      readonly oldest: string;
      readonly latest: string;
    }[]
  >;
  /** Some of those that are younger than their age, or of all `versions`, those of one question together. */
  answers(versions: boolean, ...of: KeptOf): Promise<readonly KeptBody[]>;
  /** How many answers there are, past their age or not. */
  answersThere(): Promise<number>;
  lostCalls(): Promise<number>;
  /** The items of calls that were billed, as the service's log has it, without an answer. */
  billedUnanswered(owner: Owner): Promise<readonly string[]>;
  /** Those that an owner sent between two moments, in that order; what a dead run had under way is lost. */
  calls(owner: Owner, from: number, to: number): Promise<readonly BookedCall[]>;
  settleByLog(owner: Owner, ends: readonly EndByLog[]): Promise<void>;
  hasAnswer(id: string, questions: AskedItems): Promise<boolean>;
  /** Also what a run had under way when it was killed is lost from here on. */
  concludeDeadRuns(): Promise<void>;
  /** Gives how many answers and waiting signals there were, and the calls in which a hash stands for the id from then on. */
  forget(
    id: string,
    questions: AskedItems,
  ): Promise<{ readonly answers: number; readonly calls: number }>;
  purge(upTo: number): Promise<{ readonly deleted: number; readonly kept: number }>;
  /** What was lost before is sent again from now on; what runs are asking now is theirs. */
  purgeAll(): ReturnType<Reports['purge']>;
}

export function totalOf(rows: readonly SpendCounts[]): SpendCounts {
  const total = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };
  for (const row of rows) for (const name of spendCounts) total[name] += row[name];
  return total;
}
