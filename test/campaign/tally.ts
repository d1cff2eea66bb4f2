/** Carries a campaign's cases out and counts what they did harm to. A case that finds nothing wrong has survived. */
import { setTimeout } from 'node:timers/promises';
import { seed } from './effort.ts';

/** What must never happen, as the table heads it; `broken` is all the rest: exit codes, half output, a ledger that is not the bill. */
export const harms = [
  'rows lost',
  'rows doubled',
  'billed twice',
  'wrong joins',
  'keys seen',
  'hangs',
  'unhandled',
  'broken',
] as const;
type Harm = (typeof harms)[number];

/** Notes a harm where `good` is false; says whether it was good. */
export type Check = (good: boolean, harm: Harm, what: string) => boolean;

export interface Case {
  readonly name: string;
  /** A number that it gives back is how many trials it was, such as kills; else it was one. */
  run(check: Check): Promise<unknown>;
}

export interface Result {
  readonly campaign: string;
  readonly tried: number;
  readonly survived: number;
  /** Each time that harm was done. */
  readonly harmed: readonly Harm[];
  /** Each harm with the case that did it. */
  readonly stories: readonly string[];
}

declare module 'vitest' {
  interface TaskMeta {
    /** Read by `reporter.ts`. */
    campaign?: Result;
  }
}

export interface Effort {
  /** Cases under way at once. */
  readonly atOnce: number;
}

/** Runs all cases; never rejects for a case. */
export async function carryOut(
  campaign: string,
  cases: readonly Case[],
  { atOnce }: Effort,
): Promise<Result> {
  const found: { readonly harm: Harm; readonly story: string }[] = [];
  const tell = (harm: Harm, what: string) =>
    void found.push({ harm, story: `${harm}: ${what} (seed ${seed})` });
  const rejected = (reason: unknown) => tell('unhandled', String(reason));
  process.on('unhandledRejection', rejected);
  let [tried, harmedCases] = [0, 0];
  const queue = cases.values();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      let harmed = false;
      // Not `+=` on an await: cases run beside each other.
      const trials = await attempt(one, (harm, what) => {
        harmed = true;
        tell(harm, `${one.name}: ${what}`);
      });
      tried += trials;
      if (harmed) harmedCases += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  process.off('unhandledRejection', rejected);
  const [harmed, stories] = [found.map(({ harm }) => harm), found.map(({ story }) => story)];
  return { campaign, tried, survived: tried - harmedCases, harmed, stories };
}

/** A case that takes longer hangs: a busy machine is slow, and no case is for ever. */
const hangsAfterMs = 600_000;

async function attempt(one: Case, note: (harm: Harm, what: string) => void): Promise<number> {
  const ended = new AbortController();
  const check: Check = (good, harm, what) => {
    if (!good && !ended.signal.aborted) note(harm, what);
    return good;
  };
  const late = setTimeout(hangsAfterMs, 'late', { signal: ended.signal }).catch(() => 'ended');
  try {
    const trials = await Promise.race([one.run(check), late]);
    if (trials === 'late') note('hangs', `not done within ${hangsAfterMs} ms`);
    return typeof trials === 'number' ? trials : 1;
  } catch (error) {
    note('broken', error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  } finally {
    ended.abort();
  }
}
