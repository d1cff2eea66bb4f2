/** Rows of a job to an open output: whole rows, whatever happens on the way. */

import { UsageError } from '../errors.ts';
import { emptyTally, type Tally } from '../jobs/tally.ts';
import type { Formatter, Output } from '../output/formatter.ts';
import type { Sink } from '../output/sinks/sink.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';

/**
 * What became of the output: `written`, also where the reader went away; `kept`, a file that was there and whose
 * place the rows were not worth; `lost`, where they could not be written: the failure is why.
 */
export type Fate = 'written' | 'kept' | 'lost';

/** What came of it: rows written by status, records in all, and the failure that the rows ended with. */
export interface Delivered {
  readonly tally: Tally;
  readonly records: number;
  readonly failure?: Failed;
  /** Whether the reader went away before the end. */
  readonly cut: boolean;
  readonly fate: Fate;
  /** The first error among the rows. */
  readonly firstError?: string;
}

/** Why rows ended early, or could not be written: told apart from having no reason. */
export class Failed {
  constructor(readonly reason: unknown) {}
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

/**
 * Writes all rows. A failure that they end with is returned once what came before it is safely written; so is one to write
 * them. Where no answer came at all, it is thrown and nothing is written.
 */
export async function deliver(target: DeliveryTarget, rows: ResultRows): Promise<Delivered> {
  const counts: Counts = { tally: emptyTally(), records: 0 };
  let unanswered: Failed;
  try {
    const written = await writeRows(target, rows, counts);
    if (written.failure === undefined || written.answered) return await finish(target, written, counts);
    unanswered = written.failure;
  } catch (error) {
    await target.sink.discard();
    return { ...counts, cut: false, fate: 'lost', failure: new Failed(error) };
  }
  await target.sink.discard();
  throw unanswered.reason;
}

/** Makes whole what was bought before a failure, and puts it in its place. */
async function finish(target: DeliveryTarget, { failure, open }: Written, counts: Counts): Promise<Delivered> {
  const { sink, formatter, worthReplacing } = target;
  const cut = !open;
  if (worthReplacing?.(counts.tally) === false) {
    await sink.discard();
    return { ...counts, cut, fate: 'kept', ...(failure !== undefined && { failure }) };
  }
  if (open) await write(target, formatter.end());
  await sink.commit();
  const complaint = formatter.complaint?.();
  const reason = failure ?? (complaint && new Failed(complaint));
  return { ...counts, cut, fate: 'written', ...(reason !== undefined && { failure: reason }) };
}

async function* untilFailure(rows: ResultRows): AsyncGenerator<readonly ResultRow[] | Failed> {
  try {
    yield* rows;
  } catch (error) {
    yield new Failed(error);
  }
}

interface Counts {
  readonly tally: Tally;
  records: number;
  firstError?: string;
}

interface Written {
  readonly failure?: Failed;
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
    if (arrived instanceof Failed) return { failure: arrived, answered, open: true };
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
function failureIn([row]: readonly ResultRow[]): Failed | undefined {
  if (row?.failure !== undefined) return new Failed(row.failure);
  if (row?.status !== 'invalid') return undefined;
  const { input, error } = row;
  const subject = input === undefined || input === '' ? 'an empty identifier' : input;
  return new Failed(
    new UsageError(`${subject}: ${error}`, { item: input, hint: 'nothing was sent; correct it and run the command again' }),
  );
}
