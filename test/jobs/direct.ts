/** Jobs over a client of the test's own, for what no service can bring about. */
import type { Client } from '../../src/client/client.ts';
import { getPerson } from '../../src/contract/person.ts';
import { Answers } from '../../src/jobs/answers.ts';
import { Course } from '../../src/jobs/course.ts';
import { type EachJob, each } from '../../src/jobs/each.ts';
import { type ResolveJob, resolve } from '../../src/jobs/resolve.ts';
import type { InputRow } from '../../src/rows/input-row.ts';

/** Rows with these identifiers. */
export const inputRows = (texts: readonly string[]): readonly InputRow[] => texts.map((text, index) => ({ line: index + 1, text }));

async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** A client whose calls all end so. */
export const failingClient = (fail: () => Promise<never>): Client => ({
  call: fail,
  pause: async () => {},
  finish: () => {},
  close: async () => {},
});

const parts = () => ({
  answers: new Answers({ capacity: 100 }),
  course: new Course({ interrupt: new AbortController().signal, stopOnError: false }),
  concurrency: 2,
  wanted: 'both' as const,
});

/** The rows of a `person` job. */
export function eachOf(client: Client, rows: readonly InputRow[], more: Partial<EachJob<typeof getPerson>> = {}) {
  return each({
    ...parts(),
    client,
    purchase: (_endpoint, _item, call) => call(),
    endpoint: getPerson,
    batches: oneByOne([rows]),
    question: (text) => ({ key: text, request: { path: { personId: text } } }),
    buyAgain: 0,
    ...more,
  });
}

/** The rows of a `resolve` job, a batch for each list. */
export function resolveOf(client: Client, batches: readonly (readonly InputRow[])[], more: Partial<ResolveJob> = {}) {
  const classify = (text: string) => ({ key: `id ${text}`, identifier: { profnet_id: text } });
  return resolve({ ...parts(), client, batches: oneByOne(batches), classify, ...more });
}

/** All rows that come, until it ends or fails. */
export async function collected<T>(groups: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const group of groups) all.push(...group);
  return all;
}

/** The same where a job ends early: what came before, and its failure. */
export async function collectedWithFailure<T>(groups: AsyncIterable<readonly T[]>): Promise<{ rows: readonly T[]; failure: unknown }> {
  const rows: T[] = [];
  try {
    for await (const group of groups) rows.push(...group);
  } catch (failure) {
    return { rows, failure };
  }
  throw new Error('the job ended well');
}
