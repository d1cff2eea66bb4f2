/** Rows of a job to an open output: whole rows, whatever happens on the way. */

import { type PdiError, UsageError } from '../errors.ts';
import { emptyTally, type Tally } from '../jobs/tally.ts';
import type { Formatter, Output } from '../output/formatter.ts';
import type { Sink } from '../output/sinks/sink.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';

/**
 * What became of the output: `written`, also where the reader went away; `kept`, a file that was there and whose place the rows were
 * not worth; `unanswered`, where no answer came at all, and nothing is written; `lost`, where rows could not be written: the failure
 * is why.
 */
export type Fate = 'written' | 'kept' | 'unanswered' | 'lost';

/** What came of it: rows written by status, records in all, and the failure that the rows ended with. */
export interface Delivered {
  readonly tally: Tally;
  readonly records: number;
  readonly failure?: Error | undefined;
  /** Whether the reader went away before the end. */
  readonly cut: boolean;
  readonly fate: Fate;
  /** The first error among the rows. */
  readonly firstError?: string;
}

/** Where rows are written to. */
export interface DeliveryTarget {
  readonly sink: Sink;
  readonly formatter: Formatter;
  readonly one: boolean;
  /** Whether such rows may take the place of the file that is there; asked when all are there. Unset, any may. */
  readonly worthReplacing: ((tally: Tally) => boolean) | undefined;
  readonly beforeRows: (() => void) | undefined;
  readonly onRows: ((count: number) => void) | undefined;
}

/** Writes all rows. A failure that they end with is given once what came before it is safely written; so is one to write them. */
export async function deliver(target: DeliveryTarget, rows: ResultRows): Promise<Delivered> {
  const counts: Counts = { tally: emptyTally(), records: 0 };
  try {
    const end = await writeAll(target, rows, counts);
    return { ...counts, ...end };
  } catch (error) {
    await target.sink.discard();
    return { ...counts, cut: false, fate: 'lost', failure: asError(error) };
  }
}

/** Makes whole what was bought before a failure, and puts it in its place. */
async function writeAll(target: DeliveryTarget, rows: ResultRows, counts: Counts): Promise<Pick<Delivered, 'fate' | 'cut' | 'failure'>> {
  const { sink, formatter, worthReplacing } = target;
  const { failure, answered, open } = await writeRows(target, rows, counts);
  const unanswered = failure !== undefined && !answered;
  if (unanswered || worthReplacing?.(counts.tally) === false) {
    await sink.discard();
    return { fate: unanswered ? 'unanswered' : 'kept', cut: !open, failure };
  }
  if (open) await write(target, formatter.end());
  await sink.commit();
  return { fate: 'written', cut: !open, failure: failure ?? formatter.complaint?.() };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** The rows, and a bug or an input that cannot be read as the last of them: those before it are rows like any other. */
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
  firstError?: string;
}

interface Written {
  readonly failure?: Error;
  /** Whether anything came before the failure: rows, or an answer that held none of them. */
  readonly answered: boolean;
  /** Whether the reader is still there. */
  readonly open: boolean;
}

/** False where nobody reads any more. */
function write({ sink, beforeRows }: DeliveryTarget, output: Output): Promise<boolean> {
  beforeRows?.();
  return sink.write(output);
}

async function writeRows(target: DeliveryTarget, rows: ResultRows, counts: Counts): Promise<Written> {
  const { formatter, one, onRows } = target;
  let answered = false;
  for await (const arrived of untilFailure(rows)) {
    if (arrived instanceof Error) return { failure: arrived, answered, open: true };
    const failure = one ? failureIn(arrived) : undefined;
    if (failure !== undefined) return { failure, answered, open: true };
    answered = true;
    if (!(await write(target, formatter.rows(arrived)))) return { answered, open: false };
    count(arrived, counts);
    onRows?.(arrived.length);
  }
  return { answered, open: true };
}

/** Takes note of rows that are written. */
function count(rows: readonly ResultRow[], counts: Counts): void {
  for (const { status, error } of rows) {
    counts.tally[status] += 1;
    if (status === 'ok') counts.records += 1;
    if (error !== undefined) counts.firstError ??= error;
  }
}

/** A single item's failure is the command's own. */
function failureIn([row]: readonly ResultRow[]): PdiError | undefined {
  if (row?.failure !== undefined) return row.failure;
  if (row?.status !== 'invalid') return undefined;
  const { input, error } = row;
  const subject = input === undefined || input === '' ? 'an empty identifier' : input;
  return new UsageError(`${subject}: ${error}`, { item: input, hint: 'nothing was sent; correct it and run the command again' });
}
