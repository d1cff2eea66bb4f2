/** Writes rows to an open output, so that the output holds only complete rows. */

import { type PdiError, UsageError } from '../errors.ts';
import type { Formatter, Output } from '../output/formatter.ts';
import type { Sink } from '../output/sinks/sink.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import type { FreeProgress } from './free-progress.ts';
import type { RunCount } from './run-count.ts';

/**
 * The result for the output. `written`: rows are there, even if the reader left. `kept`: the old file stays, because no row has data.
 * `unanswered`: no answer came, and nothing is written. `lost`: rows could not be written, and `failure` says why.
 */
type Fate = 'written' | 'kept' | 'unanswered' | 'lost';

/** `failure` is what ended the rows. */
export interface Delivered {
  readonly count: RunCount;
  readonly failure?: Error | undefined;
  readonly cut: boolean;
  readonly fate: Fate;
}

interface DeliveryTarget {
  readonly sink: Sink;
  readonly formatter: Formatter;
  /** Gives the rows that are to be written. */
  readonly kept: (rows: readonly ResultRow[]) => readonly ResultRow[];
  readonly one: boolean;
  readonly allOrNothing: boolean;
  readonly worthReplacing: ((count: RunCount) => boolean) | undefined;
  readonly beforeRows: (() => void) | undefined;
  readonly onRows: ((count: number) => void) | undefined;
  readonly progress: FreeProgress | undefined;
}

/** Writes and counts all rows, and returns a failure of the rows or of writing. The rows before a failure of the rows are safely written. */
export async function deliver(target: DeliveryTarget, rows: ResultRows, count: RunCount): Promise<Delivered> {
  try {
    return { count, ...(await writeAll(target, rows, count)) };
  } catch (error) {
    await target.sink.discard();
    return { count, cut: false, fate: 'lost', failure: asError(error) };
  }
}

/** Rows that were bought before a failure still become a complete file. */
async function writeAll(target: DeliveryTarget, rows: ResultRows, count: RunCount): Promise<Omit<Delivered, 'count'>> {
  const { sink, formatter, allOrNothing, worthReplacing } = target;
  const { failure, answered, open } = await writeRows(target, rows, count);
  const unanswered = failure !== undefined && !answered;
  if (failure !== undefined && allOrNothing) {
    await sink.discard();
    return { fate: 'lost', cut: !open, failure };
  }
  if (unanswered || worthReplacing?.(count) === false) {
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

interface Written {
  readonly failure?: Error;
  readonly answered: boolean;
  readonly open: boolean;
}

function write({ sink, beforeRows }: DeliveryTarget, output: Output, reached?: (bytes: number) => void): Promise<boolean> {
  beforeRows?.();
  return sink.write(output, reached);
}

async function writeRows(target: DeliveryTarget, rows: ResultRows, count: RunCount): Promise<Written> {
  const { kept, one, onRows } = target;
  let answered = false;
  for await (const arrived of untilFailure(rows)) {
    if (arrived instanceof Error) return { failure: arrived, answered, open: true };
    const failure = one ? failureIn(arrived) : undefined;
    const shown = failure === undefined ? kept(arrived) : [];
    const written = failure ?? (await writeParts(target, shown, count).catch(asError));
    count.add(arrived, written === true ? shown : []);
    if (failure !== undefined) return { failure, answered, open: true };
    if (written instanceof Error) throw written;
    answered = true;
    if (!written) return { answered, open: false };
    onRows?.(shown.length);
  }
  return { answered, open: true };
}

/** A free job notes how far FILE is, up to the first row that has to be asked again. */
async function writeParts(target: DeliveryTarget, rows: readonly ResultRow[], { tally }: RunCount): Promise<boolean> {
  const { formatter, progress } = target;
  for (const part of progress?.partsOf(rows) ?? [rows])
    if (!(await write(target, formatter.rows(part), progress?.after(part, tally)))) return false;
  return true;
}

/** If there is only one item, its failure is the failure of the command. */
function failureIn([row]: readonly ResultRow[]): PdiError | undefined {
  if (row?.failure !== undefined) return row.failure;
  if (row?.status !== 'invalid') return undefined;
  const { input, error } = row;
  const subject = input === undefined || input === '' ? 'an empty identifier' : input;
  return new UsageError(`${subject}: ${error}`, { item: input, hint: 'nothing was sent; correct it and run the command again' });
}
