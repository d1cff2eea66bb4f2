/** Writes rows to an open output, so that the output holds only complete rows. */

import { type PdiError, UsageError } from '../errors.ts';
import { Reasons } from '../jobs/reasons.ts';
import { emptyTally, type Tally } from '../jobs/tally.ts';
import type { Formatter, Output } from '../output/formatter.ts';
import type { Sink } from '../output/sinks/sink.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import type { FreeProgress } from './free-progress.ts';

/**
 * The result for the output. `written`: rows are there, even if the reader left. `kept`: the old file stays, because no row has data.
 * `unanswered`: no answer came, and nothing is written. `lost`: rows could not be written, and `failure` says why.
 */
type Fate = 'written' | 'kept' | 'unanswered' | 'lost';

/** `tally` counts the written rows by status, `records` those that are ok; `failure` is what ended the rows. */
export interface Delivered {
  readonly tally: Tally;
  readonly records: number;
  readonly reasons: Reasons;
  readonly unknownItems: ReadonlySet<string>;
  /** So many rows hold a record about another id than the one asked for. */
  readonly aboutAnother: number;
  readonly linksInTexts: number;
  readonly failure?: Error | undefined;
  readonly cut: boolean;
  readonly fate: Fate;
  readonly firstError?: string;
}

interface DeliveryTarget {
  readonly sink: Sink;
  readonly formatter: Formatter;
  readonly one: boolean;
  readonly allOrNothing: boolean;
  readonly worthReplacing: ((tally: Tally) => boolean) | undefined;
  readonly beforeRows: (() => void) | undefined;
  readonly onRows: ((count: number) => void) | undefined;
  readonly progress: FreeProgress | undefined;
}

/** Writes all rows, and returns a failure of the rows or of writing. The rows before a failure of the rows are safely written. */
export async function deliver(target: DeliveryTarget, rows: ResultRows): Promise<Delivered> {
  const before = target.progress?.from?.tally;
  const tally: Tally = { ...emptyTally(), ...before };
  const counts: Counts = {
    tally,
    records: tally.ok,
    reasons: new Reasons(),
    unknownItems: new Set(),
    aboutAnother: 0,
    linksInTexts: 0,
  };
  try {
    const end = await writeAll(target, rows, counts);
    return { ...counts, ...end };
  } catch (error) {
    await target.sink.discard();
    return { ...counts, cut: false, fate: 'lost', failure: asError(error) };
  }
}

/** Rows that were bought before a failure still become a complete file. */
async function writeAll(target: DeliveryTarget, rows: ResultRows, counts: Counts): Promise<Pick<Delivered, 'fate' | 'cut' | 'failure'>> {
  const { sink, formatter, allOrNothing, worthReplacing } = target;
  const { failure, answered, open } = await writeRows(target, rows, counts);
  const unanswered = failure !== undefined && !answered;
  if (failure !== undefined && allOrNothing) {
    await sink.discard();
    return { fate: 'lost', cut: !open, failure };
  }
  if (unanswered || worthReplacing?.(counts.tally) === false) {
    await sink.discard();
    return { fate: unanswered ? 'unanswered' : 'kept', cut: !open, failure };
  }
  if (open) await write(target, formatter.end());
  await sink.commit();
  return { fate: 'written', cut: !open, failure: failure ?? formatter.complaint?.() };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** Yields a bug or an unreadable input as the last element, so that the rows before it are still written. */
async function* untilFailure(rows: ResultRows): AsyncGenerator<readonly ResultRow[] | Error> {
  try {
    yield* rows;
  } catch (error) {
    yield asError(error);
  }
}

interface Counts {
  readonly tally: Tally;
  records: number;
  readonly reasons: Reasons;
  readonly unknownItems: Set<string>;
  aboutAnother: number;
  linksInTexts: number;
  firstError?: string;
}

interface Written {
  readonly failure?: Error;
  readonly answered: boolean;
  readonly open: boolean;
}

function write({ sink, beforeRows }: DeliveryTarget, output: Output, reached?: (bytes: number) => void): Promise<boolean> {
  beforeRows?.();
  return sink.write(output, reached);
}

async function writeRows(target: DeliveryTarget, rows: ResultRows, counts: Counts): Promise<Written> {
  const { formatter, one, onRows, progress } = target;
  let answered = false;
  for await (const arrived of untilFailure(rows)) {
    if (arrived instanceof Error) return { failure: arrived, answered, open: true };
    const failure = one ? failureIn(arrived) : undefined;
    if (failure !== undefined) return { failure, answered, open: true };
    answered = true;
    for (const rows of progress?.partsOf(arrived) ?? [arrived])
      if (!(await write(target, formatter.rows(rows), progress?.after(rows)))) return { answered, open: false };
    count(arrived, counts);
    onRows?.(arrived.length);
  }
  return { answered, open: true };
}

function count(rows: readonly ResultRow[], counts: Counts): void {
  for (const row of rows) {
    counts.tally[row.status] += 1;
    if (row.status === 'ok') counts.records += 1;
    if (row.status === 'unknown' && row.input !== undefined) counts.unknownItems.add(row.input);
    if (row.aboutAnother !== undefined) counts.aboutAnother += 1;
    if (row.linkInText === true) counts.linksInTexts += 1;
    if (row.error === undefined || row.status === 'ok') continue;
    counts.firstError ??= row.error;
    counts.reasons.add(row);
  }
}

/** If there is only one item, its failure is the failure of the command. */
function failureIn([row]: readonly ResultRow[]): PdiError | undefined {
  if (row?.failure !== undefined) return row.failure;
  if (row?.status !== 'invalid') return undefined;
  const { input, error } = row;
  const subject = input === undefined || input === '' ? 'an empty identifier' : input;
  return new UsageError(`${subject}: ${error}`, { item: input, hint: 'nothing was sent; correct it and run the command again' });
}
