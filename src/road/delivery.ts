/** The last part of every road: the place for rows opens before anything is sent, and holds only complete rows at the end. */

import type { JobFile } from '../book/job-file.ts';
import type { Column, FieldKind } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { misfitFinder } from '../contract/misfits.ts';
import { FileExists, PdiError, pluralize, UsageError } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { isJsonFormat, reasonNotForTerminals } from '../output/formats.ts';
import type { Output } from '../output/layout.ts';
import { MisfitRows } from '../output/misfit-rows.ts';
import { openSink, type Sink } from '../output/sinks/sink.ts';
import { ApiRecord, type ResultRow, type ResultRows, rowsOf } from '../rows/row.ts';
import type { Show } from './plan.ts';
import { type ProgressFacts, silent, startProgress } from './progress.ts';
import { RunCount } from './run-count.ts';
import { type Formatting, formatting, membersOf, type RecordShape } from './shape.ts';
import type { Say, Tools } from './tools.ts';

interface Delivery {
  readonly shape: RecordShape;
  /** The records are lists of this operation, and the members of each are its rows. */
  readonly lists?: Endpoint | undefined;
  readonly journal?: JobFile | undefined;
  /** So many bytes of a file that is there stay, and rows are added to it. */
  readonly keep?: number | undefined;
  readonly inputFiles?: readonly (string | undefined)[] | undefined;
  /** A failure leaves no file; otherwise the rows before it become one, because they were paid for. */
  readonly allOrNothing?: boolean;
  /** Is told, after the last row, what the file has that they would replace, and gives whether they may. If unset, they may. */
  readonly mayReplace?:
    | ((count: RunCount, failure: Error | undefined, file: FileState | undefined) => boolean)
    | undefined;
  readonly bar?: ProgressFacts | undefined;
  /** Says what another run costs, where FILE is there already; undefined where it costs nothing. */
  readonly costOfAnother?: () => Promise<string | undefined> | string | undefined;
}

/** `kept`: the old file stays, because the rows would make it poorer. `unanswered`: no answer came, nothing is written. `lost`: `failure` says why. */
type Fate = 'written' | 'kept' | 'unanswered' | 'lost';

export interface Delivered {
  readonly count: RunCount;
  readonly failure?: Error | undefined;
  readonly cut: boolean;
  readonly fate: Fate;
}

/** Returns a failure after the rows before it are safely written. @throws UsageError for fields or a file, before anything is read */
export async function deliver(
  show: Show,
  tools: Tools,
  delivery: Delivery,
  read: (count: RunCount) => ResultRows | Promise<ResultRows>,
): Promise<Delivered> {
  const { bar } = delivery;
  const output = await openOutput(show, tools, delivery).catch((error: unknown) =>
    throwWithCost(error, delivery.costOfAnother),
  );
  const count = new RunCount();
  const rows = await read(count);
  if (bar !== undefined) output.bar = await startProgress(tools, bar, show.showsProgress);
  return output.take(rows, count);
}

async function openOutput(show: Show, tools: Tools, delivery: Delivery): Promise<OpenOutput> {
  const { format, program, out: file, force } = show;
  const { journal, inputFiles, keep = 0 } = delivery;
  const obstacle = show.isForTerminal ? reasonNotForTerminals(format) : undefined;
  if (obstacle !== undefined)
    throw new UsageError(obstacle, {
      item: `-o ${format}`,
      hint: 'name a file with --out FILE, or pipe it',
    });
  const formatted = await formatting(show, tools, delivery.shape, keep > 0);
  const place = {
    stdout: tools.io.stdout,
    file,
    force,
    journal,
    keep: delivery.keep,
    inputFiles,
    stop: tools.stop,
  };
  const opened =
    program === undefined ? await openSink(place) : await sinkOfProgram(program, tools);
  const isCard = show.isForTerminal && format === 'table' && formatted.isSingle;
  const sink = isCard && show.pager !== undefined ? await paged(opened, show.pager, tools) : opened;
  // A run that ends before its first row must leave no temporary file.
  tools.atEnd(() => sink.discard());
  return new OpenOutput(show, tools, delivery, formatted, sink);
}

async function paged(
  sink: Sink,
  pager: string,
  { io, childEnvironment: env }: Tools,
): Promise<Sink> {
  const { pagerSink } = await import('../output/sinks/pager-sink.ts');
  return pagerSink(sink, { pager, rows: io.stdout.rows ?? Number.POSITIVE_INFINITY, env });
}

/** Records of a file stay as they came in json. Whoever wrote it may have left fields out. */
function misfitRows({ shape, lists }: Delivery, { format }: Show): MisfitRows | undefined {
  const {
    endpoint = lists,
    columns,
    isFile,
    misfitsOf = endpoint && misfitFinder(endpoint),
  } = shape;
  if (misfitsOf === undefined) return undefined;
  if (isFile !== true) return new MisfitRows(misfitsOf, columns);
  return isJsonFormat(format)
    ? undefined
    : new MisfitRows((value) => misfitsOf(value).filter(({ isMissing }) => !isMissing), columns);
}

class OpenOutput {
  /** It makes way before rows go to stdout, because both may share its terminal. */
  bar = silent;
  private readonly misfits: MisfitRows | undefined;

  constructor(
    private readonly show: Show,
    private readonly tools: Tools,
    private readonly delivery: Delivery,
    private formatting: Formatting,
    private readonly sink: Sink,
  ) {
    this.misfits = misfitRows(delivery, show);
  }

  async take(rows: ResultRows, count: RunCount): Promise<Delivered> {
    const { fate, cut, failure } = await this.written(rows, count).catch(async (error: unknown) => {
      await this.sink.discard();
      return { fate: 'lost', cut: false, failure: asError(error) } as const;
    });
    if ((fate === 'written' || fate === 'kept') && !cut) this.tellRemarks(count);
    const { stop, interrupted } = this.tools;
    // If the reader is gone, it is unknown which rows are missing, so a stopped run reports the interruption.
    return {
      count,
      fate,
      cut,
      failure: cut && stop.aborted ? interrupted() : (failure ?? this.formatting.filter?.complaint),
    };
  }

  private async written(rows: ResultRows, count: RunCount): Promise<Omit<Delivered, 'count'>> {
    const { sink, delivery, show } = this;
    const { failure, answered, cut } = await this.writeRows(rows, count).finally(() =>
      this.bar.end(),
    );
    const { formatting } = this;
    // What stdout has already shown is closed in good order, whatever follows.
    const isVoid = failure !== undefined && delivery.allOrNothing === true && !show.isForStdout;
    const unanswered = failure !== undefined && !answered;
    if (isVoid || unanswered || !this.isWorthItsPlace(count, failure)) {
      await sink.discard();
      return { fate: isVoid ? 'lost' : unanswered ? 'unanswered' : 'kept', cut, failure };
    }
    if (!cut) await this.write(formatting.formatter.end());
    await sink.commit();
    return { fate: 'written', cut, failure: failure ?? formatting.formatter.complaint?.() };
  }

  /** A program is not run for no row, and what is there stays where the rows would make it poorer. */
  private isWorthItsPlace(count: RunCount, failure: Error | undefined): boolean {
    if (this.show.program !== undefined) return count.tally.ok > 0;
    return this.delivery.mayReplace?.(count, failure, this.sink.replaces) !== false;
  }

  private async writeRows(
    rows: ResultRows,
    count: RunCount,
  ): Promise<{ readonly failure?: Error; readonly answered: boolean; readonly cut: boolean }> {
    const { misfits } = this;
    const { endpoint } = this.delivery.shape;
    const read = endpoint?.isMade === true ? this.shaped(rows) : rows;
    const field = this.delivery.lists?.members?.field;
    let answered = false;
    for await (const together of untilFailure(read)) {
      if (together instanceof Error) return { failure: together, answered, cut: false };
      const { filter, completed, isSingle, formatter } = this.formatting;
      const marked = misfits === undefined ? together : together.map(misfits.mark);
      // What of a list is not as documented is told, but its members are not marked for it.
      const members =
        field === undefined ? marked : together.flatMap((row) => membersOf(row, field));
      const arrived = completed === undefined ? members : members.map(completed);
      // If there is only one item, its failure is the failure of the command.
      const failure = isSingle ? arrived[0]?.failure : undefined;
      const shown = failure === undefined ? (filter?.keptOf(arrived) ?? arrived) : [];
      const written = failure ?? (await this.write(formatter.rows(shown)).catch(asError));
      count.add(arrived, written === true ? shown : []);
      if (failure !== undefined) return { failure, answered, cut: false };
      if (written instanceof Error) throw written;
      answered = true;
      if (!written) return { answered, cut: true };
      this.bar.rows(shown.length, shown.filter(({ source }) => source !== undefined).length);
    }
    return { answered, cut: false };
  }

  /** The first answer gives the output its shape; rows that come before it wait. */
  private async *shaped(rows: ResultRows): ResultRows {
    const { shapeOfAnswers } = await import('./answer-shape.ts');
    const waiting: (readonly ResultRow[] | PdiError)[] = [];
    let isShaped = false;
    for await (const one of rows) {
      waiting.push(one);
      if (!isShaped) {
        const known = waiting.flatMap((held) => (held instanceof PdiError ? [] : held));
        isShaped = known.some(({ record }) => record !== undefined);
        if (!isShaped) continue;
        const shape = shapeOfAnswers(this.delivery.shape, known);
        this.formatting = await formatting(this.show, this.tools, shape);
      }
      yield* waiting.splice(0);
    }
    yield* waiting;
  }

  private write(output: Output): Promise<boolean> {
    if (this.show.isForStdout) this.bar.makeWay();
    return this.sink.write(output);
  }

  private tellRemarks(count: RunCount): void {
    const { formatter, filter } = this.formatting;
    // Parquet has a remark of its own, which is enough where the answers were told of before.
    const misfits =
      this.delivery.shape.isFile === true && this.show.format === 'parquet'
        ? []
        : (this.misfits?.remarks ?? []);
    for (const remark of [formatter.remark?.(), filter?.remark, ...misfits, halvedWords(count)])
      if (remark !== undefined) this.tools.say.notice(remark);
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));

/** Yields a bug or an unreadable input as the last element, so that the rows before it are still written. */
async function* untilFailure(rows: ResultRows): AsyncGenerator<readonly ResultRow[] | Error> {
  try {
    yield* rows;
  } catch (error) {
    yield asError(error);
  }
}

/** A plan refuses what a run would. @throws PdiError `internal` for a program that is not there */
export async function refuseMissingProgram(
  { program: words }: Show,
  { io, childEnvironment: env }: Tools,
): Promise<void> {
  if (words === undefined) return;
  const { refuseMissing } = await import('../output/sinks/program-sink.ts');
  refuseMissing(words[0], env, io.platform);
}

async function sinkOfProgram(
  words: readonly [string, ...string[]],
  { io, say, stop, childEnvironment: env }: Tools,
): Promise<Sink> {
  const { programSink } = await import('../output/sinks/program-sink.ts');
  return programSink({
    words,
    env,
    platform: io.platform,
    stop,
    onOutput: (text) => say.write(text),
  });
}

function halvedWords({ halved }: RunCount): string | undefined {
  if (halved === 0) return undefined;
  return `${pluralize(halved, 'row')} ${halved === 1 ? 'holds' : 'hold'} half a character (a lone surrogate), written as U+FFFD`;
}

export async function throwWithCost(
  error: unknown,
  costOfAnother: Delivery['costOfAnother'],
): Promise<never> {
  const cost = error instanceof FileExists ? await costOfAnother?.() : undefined;
  if (cost === undefined || !(error instanceof FileExists)) throw error;
  const { item, hint } = error.details;
  throw new UsageError(error.message, { item, hint: `${hint}: either makes ${cost}` });
}

/** Gives what a run that reads ended with: a failure, or an empty result. Nothing where the reader left. */
export function endOf({ failure, count, cut }: Delivered, show: Show, say: Say): Error | undefined {
  return failure ?? (count.rows === 0 && !cut ? failureOfEmpty(show, say) : undefined);
}

export function failureOfEmpty(
  { failIfEmpty, format }: Show,
  { notice }: Say,
): PdiError | undefined {
  if (failIfEmpty) return nothingFound();
  if (format === 'table') notice('nothing found');
  return undefined;
}

export function refuseEmpty({ failIfEmpty }: Show, shown: number): void {
  if (failIfEmpty && shown === 0) throw nothingFound();
}

const nothingFound = () =>
  new PdiError('not_found', 'nothing found', {
    billed: 'no',
    retryable: false,
    hint: '--fail-if-empty makes this a failure',
  });

/** As `printRecords`: what deletes or stores something does it in `read`, so that no bad flag is told of afterwards. */
export const printRows = (
  show: Show,
  tools: Tools,
  columns: readonly Column[],
  read: () => Promise<readonly object[]>,
  isSingle = false,
): Promise<number> =>
  printRecords(show, tools, { columns, isSingle }, async () =>
    (await read()).map((record) => new ApiRecord(record)),
  );

/** Prints records that are read together, after the place for them is open, and tells how many `--where` kept. @throws what ended the output */
export async function printRecords(
  show: Show,
  tools: Tools,
  shape: RecordShape,
  read: () => Promise<readonly ApiRecord[]>,
): Promise<number> {
  const rows = async function* (): ResultRows {
    yield rowsOf(await read());
  };
  const { failure, count } = await deliver(show, tools, { shape }, rows);
  if (failure !== undefined) throw failure;
  return count.rows;
}

export const reportColumns = (
  kinds: Readonly<Record<string, FieldKind>>,
  inTable = true,
): readonly Column[] => Object.entries(kinds).map(([name, kind]) => ({ name, kind, inTable }));

export async function printText(
  text: string,
  { io, stop }: Tools,
  { out, force }: { readonly out?: string | undefined; readonly force?: boolean | undefined } = {},
): Promise<void> {
  const sink = await openSink({ stdout: io.stdout, file: out, force: force === true, stop });
  await sink.write(text);
  await sink.commit();
}
