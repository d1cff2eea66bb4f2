/** `pdi convert` writes records of an earlier run in another format. It needs no service, key or store. */
import { type OperationName, operations } from '../contract/operations.ts';
import { withPipeInto } from '../errors.ts';
import type { RecordKind } from '../input/kind.ts';
import { type JsonRecords, openRecords, type RecordFile, type TableRecords } from '../input/open-records.ts';
import { isJsonFormat } from '../output/formats.ts';
import { titleWord } from '../output/layout.ts';
import { deliver, endOf } from '../road/delivery.ts';
import { knownNames } from '../road/named-columns.ts';
import type { Show } from '../road/plan.ts';
import { membersAsRows, membersOf, type RecordShape } from '../road/shape.ts';
import { tellSeveral } from '../road/summary.ts';
import type { Say, Tools } from '../road/tools.ts';
import { firstOf, mapped } from '../rows/input-row.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { asAnswer, conversionOf, givenInput, readRow } from './conversion.ts';
import { tableConversion } from './table-conversion.ts';

/** The file of records, and how it is read. */
interface RecordSource {
  readonly path: string;
  readonly format?: RecordKind | undefined;
  readonly sheet?: string | undefined;
  readonly encoding?: string | undefined;
  readonly first?: number | undefined;
  readonly from?: OperationName | undefined;
}

type CommandWords = Readonly<Record<OperationName, { readonly words: string }>>;

/** @throws UsageError for a file that cannot be read as records; with `--out` nothing is written then */
export async function runConvert(show: Show, tools: Tools, source: RecordSource, commands: CommandWords): Promise<void> {
  const { path, first, from, ...form } = source;
  const { io, stop } = tools;
  const file = await openRecords({ path, io, stop, ...form, known: knownNames }).catch((error: unknown) => {
    throw withPipeInto('pdi convert -', error);
  });
  try {
    const { rows, ...shape } =
      file.kind === 'json' ? await ofJson({ show, from, commands }, file, tools.say) : ofTable({ show, from, commands }, file);
    const delivered = await deliver(show, tools, { shape: { ...shape, isFile: true }, inputFile: path, allOrNothing: true }, () =>
      untilStop(tools, first === undefined ? rows : firstOf(rows, first)),
    );
    tellSeveral(show, tools.say, delivered.count);
    const end = endOf(delivered, show, tools.say);
    if (end !== undefined) throw end;
  } finally {
    file.close();
  }
}

interface Converted extends RecordShape {
  readonly rows: AsyncIterable<readonly ResultRow[]>;
}

/** `from` is the operation that the records came from, as the user named it. */
interface WantedConversion {
  readonly show: Show;
  readonly from: OperationName | undefined;
  readonly commands: CommandWords;
}

function ofTable({ show, from, commands }: WantedConversion, { header, lineEnd, isOfWorkbook, rows }: TableRecords): Converted {
  const commandOf = (operation: OperationName): string => titleWord(commands[operation].words);
  // A row of an element is a new row, whose cells are written anew.
  const mayBeText = show.format === 'csv' && show.explode === undefined;
  const { rowOf, asText, ...shape } = tableConversion(header, { from, commandOf }, { asText: mayBeText, fields: show.fields });
  return {
    ...shape,
    ...(asText && isOfWorkbook !== true && { copied: { lineEnd } }),
    rows: mapped(rows, ({ cells }) => rowOf(cells)),
  };
}

/** So many records are looked at before the first is written, where columns are needed. */
const lookedAt = 1000;

async function ofJson(
  { show, from, commands }: WantedConversion,
  { name, isList, records }: JsonRecords & Pick<RecordFile, 'name'>,
  { notice }: Say,
): Promise<Converted> {
  const { format, fields, explode } = show;
  const needsColumns = !isJsonFormat(format) || fields !== undefined || explode !== undefined;
  // A second object at the top means that the first is not the only one.
  const wanted = needsColumns ? lookedAt : isList ? 0 : 2;
  const { first, all, isBroken } = await lookAhead(
    mapped(records, (line) => readRow(line, name)),
    wanted,
  );
  // Rows arrive in groups of any size, which must not decide the columns.
  const sample = first.slice(0, lookedAt);
  const { own, restored = (row: ResultRow) => row } = (needsColumns ? givenInput(sample) : undefined) ?? {};
  const conversion = conversionOf(sample.map(restored), from);
  const { shape, operation, alike = [] } = conversion;
  const { columns, job } = shape;
  if (needsColumns && columns.length === 0 && !job && !isBroken)
    notice(`${name} has no records that tell the columns; --from COMMAND names them`);
  if (needsColumns && alike.length > 0) {
    const words = alike.map((operation) => `"${commands[operation].words}"`).join(', ');
    notice(`the records could be of ${words}, so their own fields are the columns; --from COMMAND names one`);
  }
  const one = !isList && first.length === 1 && first[0]?.record !== undefined;
  const members = operation && membersAsRows(show, operations[operation]);
  if (members !== undefined) {
    const rows = async function* () {
      for await (const together of all) yield together.flatMap((row) => membersOf(row, members.field));
    };
    return { columns: members.columns, job, rows: rows() };
  }
  const rows = needsColumns ? mapped(all, (row) => asAnswer(restored(row), conversion)) : all;
  return { ...shape, one, own, titledBy: operation && commands[operation].words, rows };
}

async function lookAhead(
  rows: AsyncGenerator<readonly ResultRow[]>,
  wanted: number,
): Promise<{ readonly first: readonly ResultRow[]; readonly isBroken: boolean; readonly all: AsyncGenerator<readonly ResultRow[]> }> {
  const first: ResultRow[] = [];
  let failure: { readonly reason: unknown } | undefined;
  try {
    while (first.length < wanted) {
      const next = await rows.next();
      if (next.done === true) break;
      first.push(...next.value);
    }
  } catch (reason) {
    failure = { reason };
  }
  const all = async function* (): AsyncGenerator<readonly ResultRow[]> {
    if (first.length > 0) yield first;
    if (failure !== undefined) throw failure.reason;
    yield* rows;
  };
  return { first, all: all(), isBroken: failure !== undefined };
}

/** A stop may cut a record apart, which is no mistake of the file. */
async function* untilStop({ stop, interrupted }: Tools, rows: AsyncIterable<readonly ResultRow[]>): ResultRows {
  try {
    for await (const batch of rows) {
      yield batch;
      if (stop.aborted) break;
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  if (stop.aborted) yield interrupted();
}
