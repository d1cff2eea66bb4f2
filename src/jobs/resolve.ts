/** The resolver: distinct identifiers in batches of 50, several batches at once, rows out in input order, memory level. */
import type { Client } from '../client/client.ts';
import { resolveLimit } from '../contract/service.ts';
import type { Classified, Invalid } from '../input/identifier.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { Outcome, ResultRow } from '../rows/result-row.ts';
import { type Answers, jobRow, keep } from './answers.ts';
import { Asked } from './asked.ts';
import { type BatchItem, resolveBatch } from './batch.ts';
import type { Course } from './course.ts';
import { inOrder, limiter } from './ordered.ts';
import { NoQuestion, questionOf } from './question.ts';

export interface ResolveJob {
  readonly client: Client;
  readonly batches: AsyncIterable<readonly InputRow[]>;
  readonly classify: (text: string, row: InputRow) => Classified | Invalid;
  readonly answers: Answers;
  readonly course: Course;
  readonly concurrency: number;
}

/** Where a row's outcome is: known at once, at that place among the segment's own items, or to be waited for elsewhere. */
type Source = Outcome | number | (() => Promise<Outcome>);

/** Consecutive rows, and the identifiers among them that nobody has asked for yet. */
class Segment {
  readonly rows: { readonly row: InputRow; readonly source: Source }[] = [];
  readonly items: BatchItem[] = [];
  readonly asked = new Asked();
}

/** A segment ends here even if its rows brought less than a batch of new identifiers. */
const mostRows = 2000;

/** Yields each input row once, a segment's together. Throws, after the last row, what ended the job early. */
export async function* resolve(job: ResolveJob): AsyncGenerator<readonly ResultRow[]> {
  const atOnce = limiter(job.concurrency);
  let skipped = 0;
  for await (const together of inOrder(segments(job), job.concurrency * 2, (segment) => answered(job, segment, atOnce))) {
    for (const rows of together) {
      for (const { status } of rows) if (status === 'skipped') skipped += 1;
      yield rows;
    }
  }
  job.course.conclude(skipped);
}

/** One by one: what a segment need not ask for depends on those before it. */
async function* segments(job: ResolveJob): AsyncGenerator<readonly [Segment]> {
  let segment = new Segment();
  try {
    for await (const batch of job.batches) {
      for (const row of batch) {
        add(job, segment, row);
        if (segment.items.length < resolveLimit && segment.rows.length < mostRows) continue;
        yield [segment];
        segment = new Segment();
      }
    }
  } catch (error) {
    // Rows before a line that cannot be read are rows like any other.
    if (segment.rows.length > 0) yield [segment];
    throw error;
  }
  if (segment.rows.length > 0) yield [segment];
}

function add({ classify, answers }: ResolveJob, segment: Segment, row: InputRow): void {
  const classified = questionOf(row, classify);
  segment.rows.push({ row, source: classified instanceof NoQuestion ? classified : sourceOf(answers, segment, classified) });
}

function sourceOf(answers: Answers, segment: Segment, item: BatchItem): Source {
  const { key } = item;
  const asked = answers.asked(key);
  if (asked !== undefined) return () => asked.outcomeOf(key);
  const known = answers.known(key);
  if (known !== undefined) return known;
  answers.expect(key, segment.asked);
  return segment.items.push(item) - 1;
}

/** Asks for a segment's new identifiers and gives all its rows their outcomes. */
async function answered(job: ResolveJob, segment: Segment, atOnce: ReturnType<typeof limiter>): Promise<readonly ResultRow[]> {
  const { rows, asked } = segment;
  const own = await askedFor(job, segment, atOnce).catch((bug: unknown) => {
    asked.fail(bug);
    throw bug;
  });
  const result: ResultRow[] = [];
  for (const { row, source } of rows) {
    const outcome = typeof source === 'number' ? own[source] : typeof source === 'function' ? await source() : source;
    if (outcome === undefined) throw new Error('a batch has fewer outcomes than items');
    result.push(jobRow(row, outcome));
  }
  return result;
}

async function askedFor(job: ResolveJob, { items, asked }: Segment, atOnce: ReturnType<typeof limiter>): Promise<readonly Outcome[]> {
  if (items.length === 0) return [];
  const outcomes = await atOnce(() => resolveBatch(job, items));
  // What was not sent leaves no line in a journal: there may be a million of them.
  if (outcomes.some(({ status }) => status !== 'skipped')) keep(job, asked, outcomes);
  asked.settle(outcomes);
  return outcomes;
}
