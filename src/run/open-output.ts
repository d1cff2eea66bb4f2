/** Opens the place for rows before anything is sent: stdout or `--out`, in the chosen format. */
import { type Column, columnAt, recordSchema } from '../contract/columns.ts';
import type { CardName, Endpoint, PictureName } from '../contract/endpoint.ts';
import { FileExists, UsageError } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { widthOf } from '../io.ts';
import type { Tally } from '../jobs/tally.ts';
import {
  createFormatter,
  hasOwnColumns,
  isJsonFormat,
  isTabSeparated,
  type OutputFormat,
  reasonNotForTerminals,
  refuseForeignName,
  refuseIdleTableFlags,
} from '../output/formats.ts';
import type { Formatter } from '../output/formatter.ts';
import { chooseColumns, type Layout, titlesBeside, titleWord } from '../output/layout.ts';
import { MisfitRows } from '../output/misfit-rows.ts';
import { openSink } from '../output/sinks/open-sink.ts';
import type { FileMemory, Sink } from '../output/sinks/sink.ts';
import type { RowFilter } from '../output/where.ts';
import type { KnownFields } from '../output/where-fields.ts';
import type { OwnTable } from '../rows/input-row.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import { type Delivered, deliver } from './delivery.ts';
import type { FreeProgress } from './free-progress.ts';
import { HalfCharacters } from './half-characters.ts';
import { fetchedAtColumn, originColumns } from './origins.ts';
import { matchesColumn } from './several-matches.ts';
import { inputReader } from './with-input.ts';

export interface Delivery {
  /** The records are answers of this operation, so a field of another type than documented is told. */
  readonly answers?: Endpoint;
  readonly columns: readonly Column[];
  readonly columnsOnRequest?: readonly Column[];
  readonly columnAt?: (path: string) => Column | undefined;
  readonly openLists?: readonly string[];
  readonly card?: CardName | undefined;
  readonly picture?: PictureName | undefined;
  readonly flat?: boolean;
  readonly one: boolean;
  readonly job: boolean;
  readonly own?: OwnTable | undefined;
  /** This column of the answers stands in the own rows already, with the same values. */
  readonly repeated?: string | undefined;
  /** The command that answered the own rows, if it is not this one. */
  readonly titledBy?: string | undefined;
  readonly journal?: FileMemory | undefined;
  /** A free job notes how far FILE is, and goes on there. */
  readonly progress?: FreeProgress | undefined;
  readonly inputFile?: string | undefined;
  /** Cells come from a csv that was guarded already, or was not to be, so they are written as they are. */
  readonly copied?: Pick<OwnTable, 'lineEnd'>;
  /** The records come from a file, which is read as a list even if it holds one record. */
  readonly isFile?: boolean;
  /** A failure leaves no file. Without it the rows before a failure become a file, because they were paid for. */
  readonly allOrNothing?: boolean;
  /** Tells, after the last row, whether the rows may replace a file that is not from this job. If unset, any rows may. */
  readonly worthReplacing?: (tally: Tally) => boolean;
  /** Called before rows go to stdout, and before a remark on stderr, because both may share the terminal of the bar. */
  readonly makeWay?: () => void;
  readonly onRows?: (count: number) => void;
}

export const columnsOfEndpoint = (endpoint: Endpoint): Pick<Delivery, 'columns' | 'columnsOnRequest' | 'columnAt' | 'openLists'> => ({
  openLists: endpoint.openLists ?? [],
  columns: endpoint.columns,
  columnsOnRequest: endpoint.stored === true ? originColumns : [],
  columnAt: (path) => columnAt(recordSchema(endpoint), path),
});

interface OpenOutput {
  /** Writes all rows, and returns a failure after the rows before it are safely written. Without any answer it writes nothing. */
  deliver(rows: ResultRows): Promise<Delivered>;
}

/** @throws UsageError for an unknown field, a bad delimiter, or a file that may not be written */
export async function openOutput(context: Context, delivery: Delivery): Promise<OpenOutput> {
  const format = context.format();
  const obstacle = context.isForTerminal() ? reasonNotForTerminals(format) : undefined;
  if (obstacle !== undefined) throw new UsageError(obstacle, { item: `-o ${format}`, hint: 'name a file with --out FILE, or pipe it' });
  const { formatter, filter, one } = await formatting(context, delivery);
  const sink = context.program === undefined ? await sinkOf(context, delivery) : await sinkOfProgram(context, context.program, delivery);
  const { answers } = delivery;
  const misfits = answers && new MisfitRows(answers, delivery.columns);
  // A run that ends before its first row must leave no temporary file.
  context.onDispose(() => sink.discard());
  return {
    deliver: async (rows) => {
      const beforeRows = context.isForStdout() ? delivery.makeWay : undefined;
      const mayStay = sink.replacesAnother === true ? delivery.worthReplacing : undefined;
      const worthReplacing = context.program === undefined ? mayStay : hasRows;
      // What stdout has already shown is closed in good order, whatever follows.
      const allOrNothing = delivery.allOrNothing === true && !context.isForStdout();
      const target = {
        sink,
        formatter,
        one,
        allOrNothing,
        worthReplacing,
        beforeRows,
        onRows: delivery.onRows,
        progress: delivery.progress,
      };
      const halves = new HalfCharacters();
      const marked = misfits?.marked(rows) ?? rows;
      const delivered = await deliver(target, halves.counting(filter?.rows(marked) ?? marked));
      const remarks = [formatter.remark?.(), filter?.remark, ...(misfits?.remarks ?? []), halves.remark];
      for (const remark of delivered.fate === 'written' && !delivered.cut ? remarks : []) {
        if (remark === undefined) continue;
        delivery.makeWay?.();
        context.notice(remark);
      }
      // If the reader is gone, it is unknown which rows are missing, so a stopped run reports the interruption.
      const failure = delivered.cut && context.stop.aborted ? context.interrupted() : (delivered.failure ?? filter?.complaint);
      return { ...delivered, failure };
    },
  };
}

/** `one` means a single record, though its rows may be the elements of a list. */
interface Formatting {
  readonly formatter: Formatter;
  readonly filter: RowFilter | undefined;
  readonly one: boolean;
}

/** Refuses in a plan what a run would refuse of these flags. @throws as `openOutput` does for flags */
export async function refuseBadFormatting(
  context: Context,
  delivery: Pick<Delivery, 'columns' | 'columnsOnRequest' | 'columnAt' | 'one' | 'job'>,
): Promise<void> {
  await formatting(context, delivery);
}

async function formatting(context: Context, delivery: Delivery): Promise<Formatting> {
  const { flags, io } = context;
  const { job, own } = delivery;
  const format = context.format();
  refuseForeignName(flags.out, format);
  refuseIdleTableFlags(flags, format);
  const filter = flags.where === undefined ? undefined : await filterOf(context, flags.where, delivery);
  const listed = filter === undefined ? delivery : { ...delivery, one: false, card: undefined };
  const lists = await listsOf(flags.explode, format, listed.columns);
  const list = lists === undefined ? flags.explode : undefined;
  const { one, card, picture, flat, ...known } = list === undefined ? listed : await exploded(listed, list);
  const choice = chosenColumns(context, known);
  const repeated = own !== undefined && hasOwnColumns(format) && !choice.chosen ? delivery.repeated : undefined;
  const layout: Layout = {
    ...choice,
    columns: choice.columns.filter(({ name }) => name !== repeated),
    command: context.command,
    flat: flat === true,
    one,
    job,
    ...inputReader(context, delivery),
    ...(own !== undefined && hasOwnColumns(format) && { own, titleOf: titlesBeside(own, titleWord(delivery.titledBy ?? context.command)) }),
    ...(card !== undefined && context.isForTerminal() && { card }),
    ...(picture !== undefined && wantsPictures(context) && { picture }),
  };
  const delimiter = flags.delimiter ?? (isTabSeparated(flags.out) ? '\t' : undefined);
  const formatter = await createFormatter(format, layout, {
    width: widthOf(context.isForTerminal() ? io.stdout : {}),
    color: context.color(),
    header: flags.header && delivery.progress?.from === undefined,
    bom: flags.bom === true && delivery.progress?.from === undefined,
    formulaGuard: flags.formulaGuard && delivery.copied === undefined,
    ...delivery.copied,
    textIds: flags.textIds === true,
    terminal: context.isForTerminal(),
    ...(flags.query !== undefined && { query: flags.query }),
    ...(list !== undefined && { explode: list }),
    ...(lists !== undefined && { lists }),
    ...(delimiter !== undefined && { delimiter }),
  });
  if (flags.query !== undefined && flags.explode === undefined) await checkQuery(flags.query, format, layout, listed);
  return { formatter, filter, one: listed.one };
}

/** @throws UsageError for an expression that is none, and where the rows are not those of a list */
async function filterOf(context: Context, expression: string, delivery: Delivery): Promise<RowFilter> {
  const { one, isFile } = delivery;
  if (one && isFile !== true) {
    const hint = 'leave it out; --fields and --query choose from one record';
    throw new UsageError('--where keeps records of a list, and this command gives one record', { item: '--where', hint });
  }
  const [{ RowFilter }, { refuseBareWords, undocumentedFields }] = await Promise.all([
    import('../output/where.ts'),
    import('../output/where-fields.ts'),
  ]);
  const filter = new RowFilter(expression);
  if (delivery.columns.length > 0) refuseBareWords('--where', expression, fieldsOfDelivery(delivery), 'record');
  // A file may have columns of the user's own, and costs nothing.
  const unknown = isFile === true ? [] : undocumentedFields(expression, fieldsOfDelivery(delivery));
  if (unknown.length > 0) context.notice(`--where names ${unknown.join(', ')}, which the API does not document for this command`);
  return filter;
}

/** A query sees the document of json, or each record of ndjson; with `--fields` it sees those alone. */
async function checkQuery(query: string, format: OutputFormat, { one, chosen, columns }: Layout, delivery: Delivery): Promise<void> {
  // The answer to a row may itself be a list, and nothing tells the fields of a file of any kind.
  const isUnknown = delivery.columns.length === 0 || delivery.columns.includes(matchesColumn);
  if (isUnknown || delivery.flat === true || !isJsonFormat(format)) return;
  const { refuseBareWords } = await import('../output/where-fields.ts');
  const all = fieldsOfDelivery(delivery);
  const names = columns.map(({ name }) => name);
  const fields = chosen ? { names, has: (path: string) => names.includes(path) || all.has(path) } : all;
  refuseBareWords('--query', query, fields, format === 'json' && !one ? 'records' : 'record');
}

/** A filter sees the whole record, of which the columns are a part, and the status of a row. */
function fieldsOfDelivery({ columns, columnAt: at, openLists = [] }: Delivery): KnownFields {
  const names = [...columns.map(({ name }) => name), 'input', 'pdi_status', 'pdi_error', 'pdi_input'];
  return {
    names,
    openLists,
    // What the user gave has any fields.
    has: (path) =>
      names.some((name) => name === path || name.startsWith(`${path}.`)) || /^pdi_input\./.test(path) || at?.(path) !== undefined,
  };
}

/** Several lists are sheets of a workbook. @throws UsageError for several in another format, and for an unknown one */
async function listsOf(
  explode: string | undefined,
  format: OutputFormat,
  columns: readonly Column[],
): Promise<readonly Column[] | undefined> {
  const names = [...new Set(explode?.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length < 2) return undefined;
  if (format !== 'xlsx') {
    const hint = `explode one list a run; another list of the same answers costs nothing, and -o xlsx gives each a sheet`;
    throw new UsageError(`--explode ${explode}: ${format} shows the elements of one list`, { item: '--explode', hint });
  }
  return (await import('../output/explode.ts')).listColumns(columns, names);
}

/** Elements of a list are rows, so one record is no longer one row, and counts of rows are no counts of records. */
async function exploded(delivery: Delivery, list: string): Promise<Delivery> {
  const { columnOfElement, explodedColumns } = await import('../output/explode.ts');
  const { columns, columnAt: at } = delivery;
  return {
    ...delivery,
    columns: explodedColumns(columns, list),
    ...(at !== undefined && { columnAt: columnOfElement(at, list) }),
    one: false,
    card: undefined,
    picture: undefined,
  };
}

/** Columns that sum up others are for tables, and for whoever names them. */
function chosenColumns(
  context: Context,
  { columns, columnsOnRequest = [], columnAt: at }: Pick<Delivery, 'columns' | 'columnsOnRequest' | 'columnAt'>,
): Pick<Layout, 'columns' | 'chosen'> {
  const { fields } = context.flags;
  const format = context.format();
  const usual = format === 'table' ? columns : columns.filter(({ onlyInTable }) => onlyInTable !== true);
  const fetched = hasOwnColumns(format) && columnsOnRequest.includes(fetchedAtColumn) ? [fetchedAtColumn] : [];
  const all = [...usual, ...fetched];
  const onRequest = [...columnsOnRequest, ...columns.filter((column) => !all.includes(column))];
  return chooseColumns({ all, fields, onRequest, columnAt: at });
}

const sinkOf = ({ flags, io, stop }: Context, { journal, progress, inputFile }: Delivery): Promise<Sink> => {
  const memory = journal && {
    leftSo: journal.leftSo,
    willLeave: (file: FileState) => journal.willLeave(file),
    keep: progress?.from?.bytes,
  };
  return openSink({ stdout: io.stdout, file: flags.out, force: flags.force === true, journal: memory, inputFile, stop });
};

/** A plan refuses what a run would. @throws PdiError `internal` for a program that is not there */
export async function refuseMissingProgram({ program: words, io: { env, platform } }: Context): Promise<void> {
  if (words === undefined) return;
  const { refuseMissing } = await import('../output/sinks/program-sink.ts');
  refuseMissing({ words, env, platform });
}

async function sinkOfProgram(context: Context, words: readonly [string, ...string[]], { makeWay }: Delivery): Promise<Sink> {
  const [{ programSink }, { withoutKeys }] = await Promise.all([
    import('../output/sinks/program-sink.ts'),
    import('../files/child-process.ts'),
  ]);
  const { platform } = context.io;
  const env = withoutKeys(context.io.env, (text) => context.redact(text) !== text);
  const onOutput = (text: string): void => {
    makeWay?.();
    context.writeStderr(text);
  };
  return programSink({ words, env, platform, stop: context.stop, onOutput });
}

const hasRows = ({ ok }: Tally): boolean => ok > 0;

/** Pictures appear only on a terminal, if the user chose no fields and no output. `--out -` therefore gives no pictures. */
export const wantsPictures = (context: Context): boolean => {
  const { fields, out, quiet } = context.flags;
  return context.isForTerminal() && fields === undefined && out === undefined && quiet !== true;
};

/** Throws `error`. If FILE exists, the hint adds the cost of a new run. `calls` says it in words; undefined means that it is free. */
export async function withPriceOfAnother(
  error: unknown,
  { billing }: Pick<Endpoint, 'billing'>,
  calls: () => Promise<string | undefined> | string | undefined,
): Promise<never> {
  const price = error instanceof FileExists && billing !== 'free' ? await calls() : undefined;
  if (price === undefined || !(error instanceof FileExists)) throw error;
  const { item, hint } = error.details;
  throw new UsageError(error.message, { item, hint: `${hint}: either makes ${price}` });
}
