/** One call an item: person, revenue, searches, investors. Rows come back in input order, identical items are asked once. */
import type { Client } from '../client/client.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import type { Invalid } from '../input/identifier.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { Outcome, ResultRow } from '../rows/result-row.ts';
import { type Answers, jobRow, keep } from './answers.ts';
import { Asked } from './asked.ts';
import { type BuyAgain, buyAgain, pausing } from './buy-again.ts';
import type { Course } from './course.ts';
import { inOrder, limiter } from './ordered.ts';
import type { Item, Purchase, Purchased } from './purchase.ts';
import { NoQuestion, questionOf } from './question.ts';

/** What a row asks for: `key` is the same for rows that ask the same. */
export interface Question<E extends Endpoint> {
  readonly key: string;
  readonly request: RequestOf<E>;
  /** As the ledger holds it; the key where not given. */
  readonly item?: Item;
}

export interface EachJob<E extends Endpoint> {
  readonly client: Client;
  readonly purchase: Purchase;
  readonly endpoint: E;
  readonly batches: AsyncIterable<readonly InputRow[]>;
  /** What a row's identifier asks for, or why it can be seen to be malformed. */
  readonly question: (text: string, row: InputRow) => Question<E> | Invalid;
  readonly answers: Answers;
  readonly course: Course;
  readonly concurrency: number;
  /** How often a call is bought again whose answer was lost: 0 unless `--retry-unknown`. */
  readonly buyAgain: number;
}

/** Rows started ahead of the oldest unfinished one, per request at once: one slow answer does not idle the others. */
const rowsAhead = 8;

/** Yields each input row once. Throws, after the last row, what ended the job early. */
export async function* each<E extends Endpoint>(job: EachJob<E>): AsyncGenerator<readonly ResultRow[]> {
  const atOnce = limiter(job.concurrency);
  let skipped = 0;
  const work = async (row: InputRow): Promise<ResultRow> => jobRow(row, await answered(job, row, atOnce));
  // A full disk or a reader that went away: what is under way is paid for, so it is finished and written down.
  const whenLeft = () => {
    job.course.leave();
    job.client.finish();
  };
  for await (const rows of inOrder(job.batches, job.concurrency * rowsAhead, work, whenLeft)) {
    for (const { status } of rows) if (status === 'skipped') skipped += 1;
    yield rows;
  }
  job.course.conclude(skipped);
}

async function answered<E extends Endpoint>(job: EachJob<E>, row: InputRow, atOnce: ReturnType<typeof limiter>): Promise<Outcome> {
  const question = questionOf(row, job.question);
  if (question instanceof NoQuestion) return question;
  const { key } = question;
  const earlier = job.answers.asked(key)?.outcomeOf(key) ?? job.answers.known(key);
  if (earlier !== undefined) return earlier;
  // What is not asked any more is not worth remembering either.
  if (job.course.over) return unasked(job, key);
  const asked = new Asked();
  job.answers.expect(key, asked);
  try {
    const outcome = await atOnce(() => ask(job, question, asked));
    asked.settle([outcome]);
    return outcome;
  } catch (bug) {
    asked.fail(bug);
    throw bug;
  }
}

/** What becomes of an item that is not asked for: a lost answer of an earlier run stays so. */
const unasked = ({ answers, course }: Pick<EachJob<Endpoint>, 'answers' | 'course'>, key: string): Outcome =>
  answers.lost(key) ?? course.skipped;

async function ask<E extends Endpoint>(job: EachJob<E>, question: Question<E>, asked: Asked): Promise<Outcome> {
  const { course } = job;
  if (course.over) return unasked(job, question.key);
  const lost = job.answers.lost(question.key);
  let gaveUp = false;
  const goesOn: BuyAgain['goesOn'] = async (failure, attempt) => {
    course.lost(failure);
    gaveUp = course.over || !(await pausing(job.client)(failure, attempt)) || course.over;
    return !gaveUp;
  };
  try {
    const repeats = { times: job.buyAgain, goesOn, lostBefore: lost !== undefined };
    const { body, record, trouble } = await buyAgain((before) => buy(job, question, before), repeats);
    course.answered();
    if (trouble !== undefined) course.failed(trouble);
    const empty = Array.isArray(body) && body.length === 0;
    return kept(job, asked, empty ? { status: 'not_found', error: 'no match' } : { status: 'ok', record });
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    if (!gaveUp) course.failed(error);
    return kept(job, asked, course.outcomeOf(error));
  }
}

function kept<E extends Endpoint>(job: EachJob<E>, asked: Asked, outcome: Outcome): Outcome {
  keep(job, asked, [outcome]);
  return outcome;
}

function buy<E extends Endpoint>(
  { client, purchase, endpoint, answers }: EachJob<E>,
  question: Question<E>,
  before: number,
): Promise<Purchased<unknown>> {
  const { key, request, item = key } = question;
  return purchase(endpoint, item, () => {
    answers.sending(key);
    return client.call(endpoint, request, { item: key, before });
  });
}
