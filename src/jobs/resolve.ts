/** The resolver: distinct identifiers in batches of 50, several batches at once, rows out in input order, memory level. */
import type { Client } from '../client/client.ts';
import { resolveLimit } from '../contract/service.ts';
import { PdiError } from '../errors.ts';
import type { Classified, Invalid } from '../input/identifier.ts';
import type { InputRow } from '../input/row.ts';
import { type Answers, jobRow, type Outcome } from './answers.ts';
import { type BatchItem, resolveBatch } from './batch.ts';
import type { Course } from './course.ts';
import { rowObjection } from './each.ts';
import type { JobRow } from './job-row.ts';
import { inOrder, limiter } from './ordered.ts';

export interface ResolveJob {
  readonly client: Client;
  readonly batches: AsyncIterable<readonly InputRow[]>;
  readonly classify: (text: string, row: InputRow) => Classified | Invalid;
  readonly answers: Answers;
  readonly course: Course;
  readonly concurrency: number;
}

/** Consecutive rows, and the identifiers among them that nobody has asked for yet. */
interface Segment {
  readonly rows: { readonly row: InputRow; readonly outcome: Outcome | Promise<Outcome> }[];
  readonly items: BatchItem[];
  /** Gives the items their outcomes, in order. */
  readonly settle: ((outcome: Outcome) => void)[];
}

/** A segment ends here even if its rows brought less than a batch of new identifiers. */
const mostRows = 2000;

/** Yields each input row once, a segment's together. Throws, after the last row, what ended the job early. */
export async function* resolve(job: ResolveJob): AsyncGenerator<readonly JobRow[]> {
  const atOnce = limiter(job.concurrency);
  let skipped = 0;
  for await (const rows of inOrder(segments(job), job.concurrency * 2, (segment) => answered(job, segment, atOnce))) {
    for (const { status } of rows) if (status === 'skipped') skipped += 1;
    yield rows;
  }
  job.course.conclude(skipped);
}

async function* segments(job: ResolveJob): AsyncGenerator<Segment> {
  let segment: Segment = { rows: [], items: [], settle: [] };
  for await (const batch of job.batches) {
    for (const row of batch) {
      add(job, segment, row);
      if (segment.items.length < resolveLimit && segment.rows.length < mostRows) continue;
      yield segment;
      segment = { rows: [], items: [], settle: [] };
    }
  }
  if (segment.rows.length > 0) yield segment;
}

function add({ classify, answers }: ResolveJob, segment: Segment, row: InputRow): void {
  const objection = rowObjection(row);
  const classified = objection === undefined ? classify(row.text ?? '', row) : { invalid: objection };
  if ('invalid' in classified) {
    segment.rows.push({ row, outcome: { status: 'invalid', error: classified.invalid } });
    return;
  }
  let outcome = answers.find(classified.key);
  if (outcome === undefined) {
    outcome = new Promise<Outcome>((settle) => segment.settle.push(settle));
    segment.items.push(classified);
    answers.expect(classified.key, outcome);
  }
  segment.rows.push({ row, outcome });
}

/** Asks for a segment's new identifiers and gives all its rows their outcomes. */
async function answered(job: ResolveJob, { rows, items, settle }: Segment, atOnce: ReturnType<typeof limiter>): Promise<readonly JobRow[]> {
  if (items.length > 0) {
    const outcomes = await atOnce(() => resolveBatch(job, items));
    keep(job, items, outcomes);
    for (const [index, outcome] of outcomes.entries()) settle[index]?.(outcome);
  }
  const result: JobRow[] = [];
  for (const { row, outcome } of rows) result.push(jobRow(row, await outcome));
  return result;
}

/** Puts a batch's answers on disk before they are used; where the disk refuses, the run ends after these rows. */
function keep({ answers, course }: ResolveJob, items: readonly BatchItem[], outcomes: readonly Outcome[]): void {
  try {
    answers.arrived(items.flatMap(({ key }, index) => (outcomes[index] === undefined ? [] : [[key, outcomes[index]] as const])));
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    course.failed(error);
  }
}
