import { type Column, columnAt, recordSchema, topOf } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { misfitsIn, misfitsOfColumns } from '../contract/misfits.ts';
import { type OperationName, type OperationWords, operations } from '../contract/operations.ts';
import { explodedOperations, operationsOfRecords } from '../contract/recognise.ts';
import { UsageError } from '../errors.ts';
import { parsedRecord } from '../input/json-records.ts';
import { type Line, mistakeIn } from '../input/lines.ts';
import { separatedText } from '../input/separated.ts';
import { isNumber, isObject, type JsonObject } from '../json/exact.ts';
import { isJsonFormat, type OutputFormat } from '../output/formats.ts';
import { fieldNamesIn } from '../output/layout.ts';
import { itemColumn, valueAt, withValueAt } from '../output/read.ts';
import { besideRecords, earlierColumns, namedColumns, onlyOne } from '../road/named-columns.ts';
import type { Show } from '../road/plan.ts';
import {
  exploded,
  inputColumn,
  matchesColumn,
  membersAsRows,
  membersOf,
  type RecordShape,
} from '../road/shape.ts';
import type { Say } from '../road/tools.ts';
import {
  ApiRecord,
  mapped,
  type OwnCells,
  type OwnTable,
  type ResultRow,
  type RowStatus,
  readRecord,
  rowStatuses,
} from '../rows/row.ts';

/** The operation that the records came from, as the user named it, and the words of the commands. */
export interface RecordOrigin {
  readonly from?: OperationName | undefined;
  readonly commands: OperationWords;
}

/** So many records are looked at before the first is written, where columns are needed. */
const lookedAt = 1000;

export async function fromJson(
  {
    isList,
    records,
  }: { readonly isList: boolean; readonly records: AsyncGenerator<readonly Line[]> },
  name: string,
  show: Show,
  { from, commands }: RecordOrigin,
  { notice }: Pick<Say, 'notice'>,
) {
  const { format, fields, explode, where, query } = show;
  const needsColumns = !isJsonFormat(format) || fields !== undefined || explode !== undefined;
  // The fields tell a bare word of an expression. A second object at the top means that the first is not the only one.
  const wanted = needsColumns || (where ?? query) !== undefined ? lookedAt : isList ? 0 : 2;
  const read = mapped(records, (line) => readRow(line, name, needsColumns));
  const { first, all, isBroken } = await lookAhead(read, wanted);
  const sample = first.slice(0, lookedAt);
  const { operation, alike = [], ...shape } = conversionOf(sample, from);
  const { own, restored, column } = givenInput(sample, format);
  const { job } = shape;
  const columns = [...shape.columns, ...column];
  if (needsColumns && columns.length === 0 && !job && !isBroken)
    notice(`${name} has no records that tell the columns; --from COMMAND names them`);
  if (needsColumns && alike.length > 0) {
    const words = alike.map((operation) => `"${commands[operation].words}"`).join(', ');
    notice(
      `the records could be of ${words}, so their own fields are the columns; --from COMMAND names one`,
    );
  }
  const isSingle = !isList && first.length === 1 && first[0]?.record !== undefined;
  const members = operation && membersAsRows(show, operations[operation]);
  if (members !== undefined) {
    const rows = async function* () {
      for await (const together of all)
        yield together.flatMap((row) => membersOf(row, members.field));
    };
    return {
      operation,
      columns: members.columns,
      misfitsOf: misfitsOfColumns(members.columns),
      job,
      rows: rows(),
    };
  }
  const rows = needsColumns ? mapped(all, (row) => asAnswer(restored(row), operation, job)) : all;
  const showsInput = fields === undefined || fieldNamesIn(fields).includes(inputColumn.name);
  const hasInput = showsInput && sample.some(({ inputValue }) => inputValue !== undefined);
  const earlier = own && operation && earlierColumns(own, operations[operation]);
  return {
    ...shape,
    operation,
    columns,
    hasInput,
    isSingle,
    own,
    earlier,
    titledBy: operation && commands[operation].words,
    sample,
    rows,
  };
}

/** Where the file breaks among the rows that are wanted, it breaks again behind them. */
async function lookAhead(rows: AsyncGenerator<readonly ResultRow[]>, count: number) {
  const first: ResultRow[] = [];
  let failure: { readonly reason: unknown } | undefined;
  try {
    while (first.length < count) {
      const next = await rows.next();
      if (next.done) break;
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

interface Conversion extends RecordShape {
  readonly job: boolean;
  readonly operation?: OperationName | undefined;
  readonly alike?: readonly OperationName[];
}

/** So many records tell the operation; to check more of them against every schema would take long. */
const sampled = 100;

/** The columns are those of the operation that wrote the records. If none is told by them, they are the records' own fields. */
function conversionOf(rows: readonly ResultRow[], from: OperationName | undefined): Conversion {
  const values = rows.flatMap(({ record }) => (record === undefined ? [] : [record.value]));
  const records = values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isObject);
  const areJoined = records.some((record) => 'pdi_status' in record);
  const areElements = !areJoined && records.some((record) => itemColumn.name in record);
  const told = areElements ? explodedFrom(records.slice(0, sampled), from) : undefined;
  const areFlat = told === undefined && records.some(isFlat);
  const isPlain = from === undefined && !areElements && !areFlat;
  const found = isPlain ? operationsOfRecords(records.slice(0, sampled)) : [];
  const name =
    from ?? told?.name ?? (isPlain && areOfResolve(records) ? 'resolvePeople' : onlyOne(found));
  const waits = rows.some(({ record }) => record === undefined);
  if (from !== undefined) refuseOther(operations[from], namesIn(records));
  if (name === undefined || areFlat) return { ...ofFields(records, waits, from), alike: found };
  const endpoint: Endpoint = operations[name];
  const { askedBy } = endpoint;
  const isLookup = values.some((value) => Array.isArray(value));
  // An endpoint whose records do not repeat their input gives plain lists too.
  const job = waits || isLookup || (askedBy !== undefined && askedBy.length > 0);
  const findsSeveral = isLookup || (job && askedBy?.length === 0);
  const whole: RecordShape = { endpoint, columns: endpoint.columns, isSingle: false };
  const shape = told === undefined ? whole : ofElements(whole, endpoint, told.list);
  const isShown = ({ name }: Column): boolean =>
    (findsSeveral && name === matchesColumn.name) || records.some((record) => name in record);
  const others = besideRecords.filter(
    (column) => isShown(column) && !shape.columns.includes(column),
  );
  return { ...shape, job, operation: name, columns: [...shape.columns, ...others] };
}

const areOfResolve = (records: readonly JsonObject[]): boolean =>
  records.some((record) => isMiss(record, undefined)) &&
  records.every((record) =>
    Object.keys(record).every((name) => resolved.has(name) || name.startsWith('pdi_')),
  );

const resolved: ReadonlySet<string> = new Set(
  operations.resolvePeople.columns.map(({ name }) => name),
);

function ofElements(whole: RecordShape, endpoint: Endpoint, list: string): RecordShape {
  const schema = recordSchema(endpoint);
  return {
    ...exploded(whole, list),
    misfitsOf: (value) => misfitsIn(schema, isObject(value) ? asList(value, list) : value),
  };
}

function asList(record: JsonObject, list: string): JsonObject {
  const element = valueAt(record, list);
  return withValueAt(record, list, element === undefined || element === null ? [] : [element]);
}

function explodedFrom(records: readonly JsonObject[], from: OperationName | undefined) {
  const found = explodedOperations(records, from, asList);
  const lists = new Set(found.map(({ list }) => list));
  return lists.size === 1 && onlyOne(found.map(({ name }) => name)) !== undefined
    ? found[0]
    : undefined;
}

export function refuseOther({ columns, members }: Endpoint, names: readonly string[]): void {
  const paths = [...columns, ...(members?.columns ?? [])].flatMap(({ name, paths = [] }) => [
    name,
    ...paths,
  ]);
  const known = new Set(paths.map(topOf));
  if (names.length === 0 || names.some((name) => known.has(topOf(name)))) return;
  throw new UsageError('--from: the records have no field of that command', {
    item: '--from',
    hint: 'leave it out, or name another',
  });
}

/** A joined CSV and `--fields` give flat objects, which hold what they are to show and nothing else. */
const isFlat = (record: JsonObject): boolean =>
  'pdi_status' in record ||
  Object.keys(record).some(
    (name) => (name.includes('.') && fieldsOfAny.has(topOf(name))) || summaries.has(name),
  );

/** A field that nobody documents may have a dot in its name. */
const fieldsOfAny: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(operations).flatMap(({ columns }) =>
    columns.flatMap(({ name, paths = [] }) => [name, ...paths].map(topOf)),
  ),
);

const summaries: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(operations).flatMap(({ columns }) =>
    columns.flatMap(({ name, onlyInTable }) => (onlyInTable ? [name] : [])),
  ),
);

const namesIn = (records: readonly JsonObject[]): readonly string[] => [
  ...new Set(records.flatMap((record) => Object.keys(record))),
];

function ofFields(
  records: readonly JsonObject[],
  waits: boolean,
  from: OperationName | undefined,
): Conversion {
  const names = namesIn(records);
  const hasStatus = names.includes('pdi_status');
  const { columns, operation, isKnown } = namedColumns(names, { from, isJob: hasStatus });
  if (hasStatus)
    return { operation, columns, flat: true, isOfCells: true, isSingle: false, job: false };
  const endpoint: Endpoint | undefined =
    operation === undefined ? undefined : operations[operation];
  // `--fields` may also choose a path into a list.
  const deeper = ({ name }: Column): Column | undefined =>
    endpoint && columnAt(recordSchema(endpoint), name);
  const chosen = columns.map((column) => ({
    column,
    known: isKnown(column) ? column : deeper(column),
  }));
  const known = chosen.flatMap(({ known }) => known ?? []);
  // If all fields are one operation's, `--fields` chose them, and a job has a status beside them.
  const isJob =
    known.length === columns.length &&
    endpoint?.askedBy !== undefined &&
    endpoint.askedBy.length > 0;
  const shown = chosen.map(({ column, known = column }) => ({ ...known, inTable: column.inTable }));
  return {
    operation,
    columns: shown,
    flat: true,
    misfitsOf: misfitsOfColumns(known),
    isSingle: false,
    job: waits || isJob,
  };
}

/** Reads a record, or the object that stands for a row without one; `apart` puts its `pdi_input` beside it. @throws UsageError naming the line of anything else */
function readRow(line: Line, name: string, apart: boolean): ResultRow {
  const read = parsedRecord(line, name, readRecord);
  const given = apart ? inputIn(read.value) : undefined;
  if (given !== undefined)
    return { ...rowOf(new ApiRecord(withoutInput(read.value)), name, line), inputValue: given };
  return rowOf(read, name, line);
}

function rowOf(record: ApiRecord, name: string, line: Line): ResultRow {
  const { value } = record;
  if (isObject(value)) return standIn(value) ?? { record, status: 'ok' };
  if (Array.isArray(value) && value.every(isObject))
    return value.length > 0 ? { record, status: 'ok' } : { record, ...noMatch };
  const hint =
    'convert reads records as -o json, ndjson and csv write them, not the result of a --query.';
  throw mistakeIn(
    name,
    `no record: expected an object${Array.isArray(value) ? ' in the array' : ''}`,
    hint,
    line,
  );
}

const noMatch = { status: 'not_found', error: 'no match' } as const;

const statusIn = (value: unknown): RowStatus | undefined =>
  rowStatuses.find((status) => status === value);

export const jobFields: readonly string[] = ['input', 'pdi_status', 'pdi_error'];

export function rowOfJob({ input, pdi_status: status, pdi_error: error }: JsonObject): ResultRow {
  return {
    status: statusIn(status) ?? 'ok',
    ...(typeof input === 'string' && { input }),
    ...(typeof error === 'string' && { error }),
  };
}

function standIn(value: JsonObject): ResultRow | undefined {
  const keys = Object.keys(value);
  const isOfJob = keys.length === jobFields.length && keys.every((key) => jobFields.includes(key));
  return isOfJob && statusIn(value.pdi_status) !== undefined ? rowOfJob(value) : undefined;
}

/** Gives the row the input and status of its job, as far as the record still tells them. @throws UsageError without room for a status */
function asAnswer(row: ResultRow, operation: OperationName | undefined, job: boolean): ResultRow {
  const { record } = row;
  if (!job && record === undefined) {
    const hint = 'name the command that wrote it with --from COMMAND';
    throw new UsageError(
      'the first row without a record comes too late in the file: no column was made for its status',
      { hint },
    );
  }
  if (!job || record === undefined) return row;
  const value = record.value;
  const endpoint: Endpoint | undefined = operation && operations[operation];
  const input = endpoint?.askedBy
    ?.map((path) => valueAt(value, path))
    .find((one) => one !== undefined && one !== null);
  const found = typeof input === 'string' || isNumber(input) ? { input: String(input) } : {};
  return { ...row, ...(isMiss(value, operation) ? noMatch : {}), ...found };
}

/** With `--fields` a resolve writes nulls for an identifier without a match; no other record is without its id. */
function isMiss(value: unknown, operation: OperationName | undefined): boolean {
  if (!isObject(value)) return false;
  if (Array.isArray(value.matches)) return value.matches.length === 0;
  const mayMiss = operation === 'resolvePeople' || value.person_id === null;
  return (
    mayMiss &&
    Object.entries(value).every(([name, field]) => field === null || name.startsWith('pdi_'))
  );
}

const delimiter = ',';

/** In csv and the like, `pdi_input` is the input or own cells where each of these rows has it as a text, or as cells of a table; else it is a column. */
function givenInput(rows: readonly ResultRow[], format: OutputFormat) {
  const inputs = rows.map(({ inputValue }) => inputValue);
  const [first] = inputs;
  const isSame =
    typeof first === 'string'
      ? isText
      : (input: unknown) => isObject(input) && Object.values(input).every(isText);
  const asItIs = { own: undefined, restored: (row: ResultRow) => row, column: [] };
  if (inputs.every((input) => input === undefined)) return asItIs;
  if (isJsonFormat(format) || !inputs.every(isSame)) return { ...asItIs, column: [inputColumn] };
  if (!isObject(first))
    return {
      ...asItIs,
      restored: (row: ResultRow) => ({ ...row, input: String(row.inputValue ?? row.input ?? '') }),
    };
  const header = [...new Set(inputs.filter(isObject).flatMap((input) => Object.keys(input)))];
  const ownOf = (input: unknown): OwnCells => {
    const cells = header.map((name) => (isObject(input) ? String(input[name] ?? '') : ''));
    return { raw: separatedText(cells, delimiter), cells };
  };
  const own: OwnTable = {
    header,
    rawHeader: separatedText(header, delimiter),
    delimiter,
    lineEnd: '\r\n',
    read: placesOfIds(header),
  };
  return { ...asItIs, own, restored: (row: ResultRow) => ({ ...row, own: ownOf(row.inputValue) }) };
}

/** They say what was asked for also where there is no record. */
const placesOfIds = (header: readonly string[]): readonly number[] =>
  [...header.keys()].filter((at) => ['person_id', 'id'].includes(header[at] ?? ''));

const isText = (value: unknown): value is string => typeof value === 'string';

function inputIn(value: unknown): unknown {
  const record = Array.isArray(value) ? value[0] : value;
  return isObject(record) ? record[inputColumn.name] : undefined;
}

function withoutInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInput);
  if (!isObject(value)) return value;
  const { [inputColumn.name]: _, ...rest } = value;
  return rest;
}
