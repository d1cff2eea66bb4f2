/** Finds out what a job would do by reading its input once, for `--dry-run` and for the cap. */
import type { Endpoint } from '../contract/endpoint.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { Outcome } from '../rows/result-row.ts';
import { DistinctTexts } from './distinct-texts.ts';
import { type Job, type Keyed, NoQuestion, questionOf } from './job.ts';

export interface PlannedJob {
  readonly rows: number;
  readonly distinct: number;
  readonly invalid: number;
  /** An earlier command passed these rows on without a record, so there is nothing to ask. */
  readonly not_found: number;
  /** The journal of an earlier run answers so many distinct items. */
  readonly in_journal: number;
  readonly in_book: number;
  /** The answers of so many distinct items were lost, and only `--retry-unknown` sends them again. It is left out where there are none. */
  readonly lost?: number;
  readonly requests: number;
  readonly billable: number;
}

interface PlanOptions<Q> {
  readonly input: AsyncIterable<readonly InputRow[]>;
  readonly journal?: { known(item: string): Pick<Outcome, 'status'> | undefined } | undefined;
  /** Tells why the book keeps a request from being sent. */
  readonly inBook?: ((question: Q) => Promise<'answered' | 'lost' | undefined>) | undefined;
  /** A plan of many more calls than these is not counted to its end. */
  readonly allowed?: number | undefined;
  /** So many open questions are given back, to be shown. */
  readonly keep: number;
}

/** A job of so many items is counted whole, so that its refusal says what would allow it. */
const alwaysCounted = 500_000;

/** Memory grows by some bytes with each distinct item. */
export async function planJob<Q extends Keyed>(
  job: Pick<Job<Endpoint, Q>, 'ask' | 'perRequest' | 'triesNext'> & { readonly endpoint: Pick<Endpoint, 'billing'> },
  { input, journal, inBook, allowed = Number.POSITIVE_INFINITY, keep }: PlanOptions<Q>,
): Promise<{ readonly plan: PlannedJob; readonly open: readonly Q[]; readonly isCut: boolean }> {
  const { endpoint, perRequest } = job;
  const items = new DistinctTexts();
  const open: Q[] = [];
  const counts = { rows: 0, invalid: 0, not_found: 0, in_journal: 0, in_book: 0 };
  let lost = 0;
  let isCut = false;
  for await (const batch of input) {
    for (const row of batch) {
      counts.rows += 1;
      const question = firstQuestion(row, job);
      if (question instanceof NoQuestion) {
        // Rows that are not read are followed by the mistake that ends the plan.
        if (question.status !== 'skipped') counts[question.status] += 1;
      } else if (items.add(question.key)) {
        const journaled = journal?.known(question.key);
        const booked = journaled === undefined ? await inBook?.(question) : undefined;
        if (journaled?.status === 'unknown' || booked === 'lost') lost += 1;
        else if (journaled !== undefined) counts.in_journal += 1;
        else if (booked !== undefined) counts.in_book += 1;
        else if (open.length < keep) open.push(question);
      }
    }
    const asked = items.size - counts.in_journal - counts.in_book - lost;
    isCut = asked > alwaysCounted && asked / perRequest > allowed;
    if (isCut) break;
  }
  const left = items.size - counts.in_journal - counts.in_book - lost;
  const requests = Math.ceil(left / perRequest);
  const billable = endpoint.billing === 'free' ? 0 : requests;
  return { plan: { ...counts, ...(lost > 0 && { lost }), distinct: items.size, requests, billable }, open, isCut };
}

/** Gives what a row asks first. Its next columns depend on the answers, unless this one is malformed. */
function firstQuestion<Q extends Keyed>(row: InputRow, job: Pick<Job<Endpoint, Q>, 'ask' | 'triesNext'>): Q | NoQuestion {
  const question = questionOf(row, job.ask);
  if (!(question instanceof NoQuestion) || row.next === undefined || job.triesNext !== true) return question;
  const next = firstQuestion(row.next, job);
  return next instanceof NoQuestion ? question : next;
}
