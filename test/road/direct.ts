/** Jobs over a client of the test's own, for what no service can bring about. */
import type { Client } from '../../src/client/client.ts';
import { getPerson } from '../../src/contract/person.ts';
import { PdiError } from '../../src/errors.ts';
import { Asking, type JobRun } from '../../src/road/ask.ts';
import { lookupJob } from '../../src/road/lookup.ts';
import { StopRule } from '../../src/road/stop-rule.ts';
import type { InputRow, ResultRow, ResultRows } from '../../src/rows/row.ts';
import { buyerOf } from '../book/places.ts';

/** Rows with these identifiers. */
export const inputRows = (texts: readonly string[]): readonly InputRow[] =>
  texts.map((text, index) => ({ line: index + 1, text }));

async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

export const runOf = (client: Client, groups: readonly (readonly InputRow[])[]): JobRun => ({
  client,
  input: oneByOne(groups),
  buyer: buyerOf({ client }),
  journal: undefined,
  stopRule: new StopRule({ interrupt: new AbortController().signal, stopOnError: false }),
  triesNext: false,
  concurrency: 2,
});

async function* withFailure(rows: ResultRows, stopRule: StopRule): ResultRows {
  let skipped = 0;
  for await (const together of rows) {
    if (!(together instanceof PdiError))
      skipped += together.filter(({ status }) => status === 'skipped').length;
    yield together;
  }
  const failure = stopRule.failureOf(skipped);
  if (failure !== undefined) yield failure;
}

/** The rows of a `person` job. */
export function lookupOf(client: Client, rows: readonly InputRow[], more: Partial<JobRun> = {}) {
  const ask = (text: string) => ({
    key: text,
    endpoint: getPerson,
    request: { path: { personId: text } },
  });
  const run = { ...runOf(client, [rows]), ...more };
  return withFailure(
    new Asking(lookupJob({ endpoint: getPerson, identifierColumns: [], ask }), run).rows(),
    run.stopRule,
  );
}

/** The rows of a job that ends well; its failure is thrown. */
export async function collected(groups: ResultRows): Promise<readonly ResultRow[]> {
  const { rows, failure } = await drained(groups);
  if (failure !== undefined) throw failure;
  return rows;
}

/** The same where a job ends early: what came before, and its failure. */
export async function collectedWithFailure(
  groups: ResultRows,
): Promise<{ rows: readonly ResultRow[]; failure: PdiError }> {
  const { rows, failure } = await drained(groups);
  if (failure === undefined) throw new Error('the job ended well');
  return { rows, failure };
}

async function drained(groups: ResultRows) {
  const rows: ResultRow[] = [];
  for await (const group of groups) {
    if (group instanceof PdiError) return { rows, failure: group };
    rows.push(...group);
  }
  return { rows, failure: undefined };
}
