/** Opens the place for rows before anything is sent: stdout or `--out`, in the chosen format. */
import { type Column, columnAt, recordSchema } from '../contract/columns.ts';
import type { CardName, Endpoint, PictureName } from '../contract/endpoint.ts';
import { FileExists, pluralize, UsageError } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { widthOf } from '../io.ts';
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
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { type Delivered, deliver } from './delivery.ts';
import type { FreeProgress } from './free-progress.ts';
import { fetchedAtColumn, inputReader, matchesColumn, originColumns } from './pdi-columns.ts';
import type { Show } from './plan.ts';
import { RunCount } from './run-count.ts';
import type { Say, Tools } from './tools.ts';

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
  readonly worthReplacing?: (count: RunCount) => boolean;
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
  deliver(rows: ResultRows, count?: RunCount): Promise<Delivered>;
}

/** @throws UsageError for an unknown field, a bad delimiter, or a file that may not be written */
export async function openOutput(show: Show, tools: Tools, delivery: Delivery): Promise<OpenOutput> {
  const { format, program } = show;
  const obstacle = show.isForTerminal ? reasonNotForTerminals(format) : undefined;
  if (obstacle !== undefined) throw new UsageError(obstacle, { item: `-o ${format}`, hint: 'name a file with --out FILE, or pipe it' });
  const { formatter, filter, one } = await formatting(show, tools, delivery);
  const sink = program === undefined ? await sinkOf(show, tools, delivery) : await sinkOfProgram(program, tools, delivery);
  const { answers } = delivery;
  const misfits = answers && new MisfitRows(answers, delivery.columns);
  // A run that ends before its first row must leave no temporary file.
  tools.atEnd(() => sink.discard());
  return {
    deliver: async (rows, count = new RunCount(delivery.progress?.from?.tally)) => {
      const beforeRows = show.isForStdout ? delivery.makeWay : undefined;
      const mayStay = sink.replacesAnother === true ? delivery.worthReplacing : undefined;
      const worthReplacing = program === undefined ? mayStay : hasRows;
      // What stdout has already shown is closed in good order, whatever follows.
      const allOrNothing = delivery.allOrNothing === true && !show.isForStdout;
      const target = {
        sink,
        formatter,
        kept: (rows: readonly ResultRow[]) => filter?.keptOf(rows) ?? rows,
        one,
        allOrNothing,
        worthReplacing,
        beforeRows,
        onRows: delivery.onRows,
        progress: delivery.progress,
      };
      const delivered = await deliver(target, misfits?.marked(rows) ?? rows, count);
      const remarks = [formatter.remark?.(), filter?.remark, ...(misfits?.remarks ?? []), halvedWords(count)];
      for (const remark of delivered.fate === 'written' && !delivered.cut ? remarks : []) {
        if (remark === undefined) continue;
        delivery.makeWay?.();
        tools.say.notice(remark);
      }
      // If the reader is gone, it is unknown which rows are missing, so a stopped run reports the interruption.
      const failure = delivered.cut && tools.stop.aborted ? tools.interrupted() : (delivered.failure ?? filter?.complaint);
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
  show: Show,
  tools: Tools,
  delivery: Pick<Delivery, 'columns' | 'columnsOnRequest' | 'columnAt' | 'one' | 'job'>,
): Promise<void> {
  await formatting(show, tools, delivery);
}

async function formatting(show: Show, { io, say }: Tools, delivery: Delivery): Promise<Formatting> {
  const { command, format, isForTerminal } = show;
  const { job, own } = delivery;
  refuseForeignName(show.out, format);
  refuseIdleTableFlags(show, format);
  const filter = show.where === undefined ? undefined : await filterOf(show.where, say, delivery);
  const listed = filter === undefined ? delivery : { ...delivery, one: false, card: undefined };
  const lists = await listsOf(show.explode, format, listed.columns);
  const list = lists === undefined ? show.explode : undefined;
  const { one, card, picture, flat, ...known } = list === undefined ? listed : await exploded(listed, list);
  const choice = chosenColumns(show, known);
  const repeated = own !== undefined && hasOwnColumns(format) && !choice.chosen ? delivery.repeated : undefined;
  const layout: Layout = {
    ...choice,
    columns: choice.columns.filter(({ name }) => name !== repeated),
    command,
    flat: flat === true,
    one,
    job,
    ...inputReader(show, delivery),
    ...(own !== undefined && hasOwnColumns(format) && { own, titleOf: titlesBeside(own, titleWord(delivery.titledBy ?? command)) }),
    ...(card !== undefined && isForTerminal && { card }),
    ...(picture !== undefined && wantsPictures(show) && { picture }),
  };
  const delimiter = show.delimiter ?? (isTabSeparated(show.out) ? '\t' : undefined);
  const formatter = await createFormatter(format, layout, {
    width: widthOf(isForTerminal ? io.stdout : {}),
    color: show.color,
    header: show.header && delivery.progress?.from === undefined,
    bom: show.bom && delivery.progress?.from === undefined,
    formulaGuard: show.formulaGuard && delivery.copied === undefined,
    ...delivery.copied,
    textIds: show.textIds,
    terminal: isForTerminal,
    ...(show.query !== undefined && { query: show.query }),
    ...(list !== undefined && { explode: list }),
    ...(lists !== undefined && { lists }),
    ...(delimiter !== undefined && { delimiter }),
  });
  if (show.query !== undefined && show.explode === undefined) await checkQuery(show.query, format, layout, listed);
  return { formatter, filter, one: listed.one };
}

/** @throws UsageError for an expression that is none, and where the rows are not those of a list */
async function filterOf(expression: string, { notice }: Pick<Say, 'notice'>, delivery: Delivery): Promise<RowFilter> {
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
  if (unknown.length > 0) notice(`--where names ${unknown.join(', ')}, which the API does not document for this command`);
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
  { fields, format }: Show,
  { columns, columnsOnRequest = [], columnAt: at }: Pick<Delivery, 'columns' | 'columnsOnRequest' | 'columnAt'>,
): Pick<Layout, 'columns' | 'chosen'> {
  const usual = format === 'table' ? columns : columns.filter(({ onlyInTable }) => onlyInTable !== true);
  const fetched = hasOwnColumns(format) && columnsOnRequest.includes(fetchedAtColumn) ? [fetchedAtColumn] : [];
  const all = [...usual, ...fetched];
  const onRequest = [...columnsOnRequest, ...columns.filter((column) => !all.includes(column))];
  return chooseColumns({ all, fields, onRequest, columnAt: at });
}

function sinkOf({ out, force }: Show, { io, stop }: Tools, { journal, progress, inputFile }: Delivery): Promise<Sink> {
  const memory = journal && {
    leftSo: journal.leftSo,
    willLeave: (file: FileState) => journal.willLeave(file),
    keep: progress?.from?.bytes,
  };
  return openSink({ stdout: io.stdout, file: out, force, journal: memory, inputFile, stop });
}

/** A plan refuses what a run would. @throws PdiError `internal` for a program that is not there */
export async function refuseMissingProgram({ program: words }: Show, { io, childEnvironment: env }: Tools): Promise<void> {
  if (words === undefined) return;
  const { refuseMissing } = await import('../output/sinks/program-sink.ts');
  refuseMissing({ words, env, platform: io.platform });
}

async function sinkOfProgram(words: readonly [string, ...string[]], tools: Tools, { makeWay }: Delivery): Promise<Sink> {
  const { programSink } = await import('../output/sinks/program-sink.ts');
  const onOutput = (text: string): void => {
    makeWay?.();
    tools.say.write(text);
  };
  return programSink({ words, env: tools.childEnvironment, platform: tools.io.platform, stop: tools.stop, onOutput });
}

const hasRows = ({ tally }: RunCount): boolean => tally.ok > 0;

function halvedWords({ halved }: RunCount): string | undefined {
  if (halved === 0) return undefined;
  return `${pluralize(halved, 'row')} ${halved === 1 ? 'holds' : 'hold'} half a character (a lone surrogate), written as U+FFFD`;
}

/** Pictures appear only on a terminal, if the user chose no fields and no output. `--out -` therefore gives no pictures. */
export const wantsPictures = ({ isForTerminal, fields, out, quiet }: Show): boolean =>
  isForTerminal && fields === undefined && out === undefined && !quiet;

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
