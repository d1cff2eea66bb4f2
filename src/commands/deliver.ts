/** Rows of a job to where they go: stdout or `--out`, in the format asked for. Whole rows, whatever happens on the way. */

import type { Context } from '../context.ts';
import type { Column } from '../contract/columns.ts';
import type { CardName, PictureName } from '../contract/endpoint.ts';
import { type PdiError, UsageError } from '../errors.ts';
import { usualWidth } from '../io.ts';
import type { JobRow, JobRows } from '../jobs/job-row.ts';
import { emptyTally, type Tally } from '../jobs/tally.ts';
import { createFormatter, type Formatter } from '../output/format.ts';
import { chooseColumns, type Layout } from '../output/layout.ts';
import { openSink, type Sink } from '../output/sink.ts';
import type { OwnTable } from '../row.ts';

export interface Delivery {
  readonly columns: readonly Column[];
  readonly card?: CardName | undefined;
  readonly picture?: PictureName | undefined;
  readonly one: boolean;
  /** Rows answer inputs, and have a status. */
  readonly job: boolean;
  readonly own?: OwnTable | undefined;
  /** `--out` is ours to replace: an earlier run of this job left it. */
  readonly ours?: boolean;
  readonly inputFile?: string | undefined;
  /** Whether such rows may take the place of a file that is not ours; asked when all are there. Unset, any may. */
  readonly worthReplacing?: (tally: Tally) => boolean;
  /** Told of each row once it is written. */
  readonly onRow?: () => void;
}

/**
 * What became of the place they went to: `written`, also where the reader went away; `kept`, a file that was there and whose
 * place the rows were not worth; `lost`, where they could not be written: the failure is why.
 */
export type Place = 'written' | 'kept' | 'lost';

/** What came of it: rows written by status, records in all, and the failure that the rows ended with. */
export interface Delivered {
  readonly tally: Tally;
  readonly records: number;
  readonly failure?: Failed;
  /** Whether the reader went away before the end. */
  readonly cut: boolean;
  readonly place: Place;
  /** The first error among the rows. */
  readonly firstError?: string;
}

/** Why rows ended early, or could not be written: told apart from having no reason. */
export class Failed {
  constructor(readonly reason: unknown) {}
}

/** An output that is open: errors about flags and files are thrown by `openOutput`, before anything is sent. */
export interface OpenOutput {
  /** Whether records that came as safe JSON are written as they came. */
  readonly asSent: boolean;
  /**
   * Writes all rows. A failure that they end with is returned once what came before it is safely written, be it a page
   * without a new record; so is one to write them. Where no answer came at all, it is thrown and nothing is written.
   */
  deliver(rows: JobRows): Promise<Delivered>;
}

/** @throws UsageError for an unknown field, a bad delimiter, or a file that may not be written */
export async function openOutput(context: Context, delivery: Delivery): Promise<OpenOutput> {
  const { flags, io } = context;
  const { one, job, own, card, picture } = delivery;
  const format = context.format();
  if (format === 'xlsx' && flags.out === undefined && io.stdout.isTTY === true) {
    throw new UsageError('a workbook is not for a terminal', { item: '-o xlsx', hint: 'name a file with --out FILE, or pipe it' });
  }
  const layout: Layout = {
    ...chooseColumns(delivery.columns, flags.fields),
    one,
    job,
    ...(own !== undefined && (format === 'csv' || format === 'xlsx') && { own }),
    ...(card !== undefined && isForTerminal(context) && { card }),
    ...(picture !== undefined && wantsPictures(context) && { picture }),
  };
  const formatter = await createFormatter(format, layout, {
    width: io.stdout.columns ?? usualWidth,
    color: context.color(),
    header: flags.header,
    bom: flags.bom === true,
    formulaGuard: flags.formulaGuard,
    textIds: flags.textIds === true,
    terminal: isForTerminal(context),
    ...(flags.query !== undefined && { query: flags.query }),
    ...(flags.delimiter !== undefined && { delimiter: flags.delimiter }),
  });
  const { ours = false, inputFile } = delivery;
  const sink = await openSink({ stdout: io.stdout, file: flags.out, force: flags.force === true, ours, inputFile });
  return {
    asSent: formatter.asSent === true,
    deliver: async (rows) => {
      const worthReplacing = ours || sink.replaces !== true ? undefined : delivery.worthReplacing;
      const delivered = await deliver({ sink, formatter, one, worthReplacing, onRow: delivery.onRow }, rows);
      // Without a reader nobody knows what was left over.
      if (delivered.cut && context.stop.aborted) throw context.interrupted();
      return delivered;
    },
  };
}

/** Pictures are for people at a terminal who did not choose what to see. */
export const wantsPictures = (context: Context): boolean =>
  isForTerminal(context) && context.flags.fields === undefined && context.flags.quiet !== true;

/** Bars and laid-out cards are for a terminal: a pipe or a file gets plain fields. */
const isForTerminal = ({ flags, io }: Context): boolean => io.stdout.isTTY === true && flags.out === undefined;

interface Target {
  readonly sink: Sink;
  readonly formatter: Formatter;
  readonly one: boolean;
  readonly worthReplacing: Delivery['worthReplacing'];
  readonly onRow: (() => void) | undefined;
}

async function deliver(target: Target, rows: JobRows): Promise<Delivered> {
  const counts: Counts = { tally: emptyTally(), records: 0 };
  let unanswered: Failed;
  try {
    const written = await writeRows(target, rows, counts);
    if (written.failure === undefined || written.answered) return await finish(target, written, counts);
    unanswered = written.failure;
  } catch (error) {
    await target.sink.discard();
    return { ...counts, cut: false, place: 'lost', failure: new Failed(error) };
  }
  await target.sink.discard();
  throw unanswered.reason;
}

/** Makes whole what was bought before a failure, and puts it in its place. */
async function finish({ sink, formatter, worthReplacing }: Target, { failure, open }: Written, counts: Counts): Promise<Delivered> {
  const cut = !open;
  if (worthReplacing?.(counts.tally) === false) {
    await sink.discard();
    return { ...counts, cut, place: 'kept', ...(failure !== undefined && { failure }) };
  }
  if (open) await sink.write(formatter.end());
  await sink.commit();
  const complaint = formatter.complaint?.();
  const reason = failure ?? (complaint && new Failed(complaint));
  return { ...counts, cut, place: 'written', ...(reason !== undefined && { failure: reason }) };
}

async function* untilFailure(rows: JobRows): AsyncGenerator<readonly JobRow[] | Failed> {
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

async function writeRows(target: Target, rows: JobRows, counts: Counts): Promise<Written> {
  let written = 0;
  let answered = false;
  for await (const arrived of untilFailure(rows)) {
    if (arrived instanceof Failed) return { failure: arrived, answered, open: true };
    const { taken, failure } = untilRefused(target, arrived, written);
    answered ||= taken.length > 0 || failure === undefined;
    if (!(await target.sink.write(target.formatter.rows(taken)))) return { answered, open: false };
    written += taken.length;
    for (const row of taken) {
      count(row, counts);
      target.onRow?.();
    }
    if (failure !== undefined) return { failure, answered, open: true };
  }
  return { answered, open: true };
}

/** The rows up to one that fails the whole command. */
function untilRefused({ one }: Target, rows: readonly JobRow[], written: number) {
  for (const [index, row] of rows.entries()) {
    const failure = failureInstead(row, one, written + index);
    if (failure !== undefined) return { taken: rows.slice(0, index), failure };
  }
  return { taken: rows };
}

/** Takes note of a row that is written. */
function count({ status, error }: JobRow, counts: Counts): void {
  counts.tally[status] += 1;
  if (status === 'ok') counts.records += 1;
  if (error !== undefined) counts.firstError ??= error;
}

/** A single item's failure is the command's own; so is a key that cannot be had: nothing was sent, there are no rows to speak of. */
function failureInstead({ failure, status, error, input }: JobRow, one: boolean, written: number): Failed | undefined {
  if (failure !== undefined) return one || (written === 0 && lacksKey(failure)) ? new Failed(failure) : undefined;
  if (!one || status !== 'invalid') return undefined;
  const subject = input === undefined || input === '' ? 'an empty identifier' : input;
  return new Failed(
    new UsageError(`${subject}: ${error}`, { item: input, hint: 'nothing was sent; correct it and run the command again' }),
  );
}

/** No answer of the service: it was not even asked. */
const lacksKey = ({ code, details }: PdiError): boolean => code === 'auth' && details.status === undefined;
