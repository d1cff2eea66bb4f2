/** `pdi convert` writes records of an earlier run in another format. It needs no service, key or store. */
import { type Column, columnAt, isFigure, recordSchema } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { classify } from '../contract/person-identifier.ts';
import { wholeJobs } from '../contract/recognise.ts';
import { attempt, pluralize, type UsageError, withPipeInto } from '../errors.ts';
import { type ByteSource, openBytes, openContent, readAhead, recordsIn } from '../input/content.ts';
import { findHeader } from '../input/header.ts';
import { maxRecordLength } from '../input/json-records.ts';
import { type Format, formatOf, kindByName } from '../input/kind.ts';
import { mistakeIn } from '../input/lines.ts';
import { cellsIn, type SeparatedRow } from '../input/separated.ts';
import { isNested, isNumberText, type JsonObject, parseJson } from '../json/exact.ts';
import { guarded } from '../output/csv.ts';
import { isTabSeparated } from '../output/formats.ts';
import { fieldNamesIn, namesBehind, titleWord, uniqueNames } from '../output/layout.ts';
import { itemColumn } from '../output/read.ts';
import { deliver, endOf } from '../road/delivery.ts';
import { loadKnown } from '../road/input-source.ts';
import { knownNames, namedColumns } from '../road/named-columns.ts';
import type { Show } from '../road/plan.ts';
import { tellSeveral } from '../road/summary.ts';
import type { Say, Tools } from '../road/tools.ts';
import { isDay } from '../rows/days.ts';
import {
  ApiRecord,
  type FileForm,
  firstOf,
  mapped,
  type OwnTable,
  type ResultRow,
  type ResultRows,
} from '../rows/row.ts';
import { fromJson, jobFields, type RecordOrigin, refuseOther, rowOfJob } from './from-json.ts';

interface RecordSource extends FileForm, RecordOrigin {
  readonly path: string;
  readonly first?: number | undefined;
  readonly mayBeParquet?: true;
}

/** @throws UsageError for a file that cannot be read as records; then `--out` is not written */
export async function runConvert(show: Show, tools: Tools, source: RecordSource): Promise<void> {
  const { path, first } = source;
  const { say } = tools;
  const { rows, operation, delimiter, ...shape } = await openRows(show, tools, source, say);
  const records = operation === undefined ? 'records' : operations[operation].records;
  const delivered = await deliver(
    { ...show, delimiter },
    tools,
    { shape: { ...shape, records, isFile: true }, inputFiles: [path], allOrNothing: true },
    () => untilStop(tools, first === undefined ? rows : firstOf(rows, first)),
  );
  tellSeveral(show, say, delivered.count);
  const end = endOf(delivered, show, say);
  if (end !== undefined) throw end;
}

/** Opens the rows of a file that pdi wrote, with their columns as `show` needs them. @throws UsageError for a file that cannot be read as records */
export async function openRows(
  show: Show,
  { io, stop, atEnd }: Tools,
  source: RecordSource,
  say: Pick<Say, 'notice'>,
) {
  const withItsPipe = (error: unknown): never => {
    throw withPipeInto('pdi convert -', error);
  };
  const bytes = await openBytes(source.path, io, stop).catch(withItsPipe);
  atEnd(async () => bytes.close());
  const { name, regular } = bytes;
  const file = await openRecords(bytes, source, say).catch(withItsPipe);
  const shape =
    'header' in file
      ? fromTable(file, show, source)
      : await fromJson(file, name, show, source, say);
  const delimiter = 'header' in file ? keptDelimiter(show, file.delimiter) : show.delimiter;
  const isWorkbook = 'header' in file && file.isOfWorkbook === true;
  const isRounded = isWorkbook || 'isParquet' in file;
  return { ...shape, delimiter, name, regular, isWorkbook, isRounded };
}

/** A csv stays one of `;` where its input is, so that the same spreadsheet opens both. */
function keptDelimiter(
  { format, delimiter, out }: Show,
  ofInput: string | undefined,
): string | undefined {
  const keeps =
    format === 'csv' && delimiter === undefined && !isTabSeparated(out) && ofInput !== '\t';
  return keeps ? ofInput : delimiter;
}

/** A stop may cut a record apart, which is no mistake of the file. */
export async function* untilStop(
  { stop, interrupted }: Tools,
  rows: AsyncIterable<readonly ResultRow[]>,
): ResultRows {
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

async function openRecords(
  source: ByteSource,
  form: RecordSource,
  { notice }: Pick<Say, 'notice'>,
) {
  const { name } = source;
  const { path } = form;
  const { bytes, chunks } = await readAhead(source.chunks, ({ length }) => length >= 4);
  if (form.mayBeParquet === true && bytes.toString('latin1', 0, 4) === 'PAR1') {
    const { parquetRecords } = await import('./from-parquet.ts');
    return { isList: true, isParquet: true, records: parquetRecords(chunks, name) };
  }
  const content = await openContent({ ...source, chunks }, { ...form, candidates: knownNames });
  if ('rows' in content) {
    for (const remark of content.notices) notice(remark);
    return tableRecords(content.rows(), { lineEnd: '\r\n', isOfWorkbook: true }, name);
  }
  // Records never come as lines. An empty NDJSON and an empty pipe hold none, but an empty CSV or JSON is a file that was cut off.
  const named = kindByName(path) === 'lines' ? undefined : kindByName(path);
  const isEmpty = content.head.trim() === '';
  const promised = path === '-' && isEmpty ? 'ndjson' : (form.inputFormat ?? named);
  const format = await formatOf(
    content.head,
    content.separator,
    { inputFormat: promised, candidates: knownNames, loadKnown },
    name,
  );
  if (isEmpty && !format.mayBeEmpty)
    throw mistakeIn(
      name,
      'the file is empty',
      'Write it again; an empty list of records is --input-format ndjson.',
      { line: 1 },
    );
  if (format.kind === 'lines') throw noRecords(name);
  const delimiter = content.separator ?? delimiterOfRecords(format, form);
  const read = recordsIn(content, { ...format, delimiter }, name, { maxLength: maxRecordLength });
  if ('rows' in read) return tableRecords(read.rows, { lineEnd: format.lineEnd, delimiter }, name);
  return {
    isList: format.kind === 'ndjson' || format.head.line.startsWith('['),
    records: read.records,
  };
}

/** The first row is the header. Where that has one cell, those below it may hold what tells cells apart in other files. */
function delimiterOfRecords({ kind, head }: Format, { inputFormat }: FileForm): string {
  const [header] = head.rows;
  if (inputFormat !== 'tsv' && header !== undefined && header.cells.length > 1)
    return header.delimiter;
  return kind === 'tsv' ? '\t' : (rareDelimiter(header?.raw ?? '') ?? ',');
}

/** `--delimiter` takes any character. Names of columns that pdi gives tell which it was. */
function rareDelimiter(header: string): string | undefined {
  const marks = new Set(header.trimEnd().match(/[^\w."-]/gu));
  const namesBetween = (delimiter: string) =>
    cellsIn(header, { delimiter }).cells.filter((name) => knownNames.includes(name.trim()));
  return [...marks].find((mark) => namesBetween(mark).length > 1);
}

function noRecords(name: string): UsageError {
  const hint = 'If it is one of them, say which with --input-format json, ndjson, csv or tsv.';
  return mistakeIn(name, 'neither JSON nor NDJSON nor a CSV that pdi wrote', hint, { line: 1 });
}

/** The header is the first row that is not blank. Where files were put together, it comes again. */
async function tableRecords(
  source: AsyncGenerator<readonly SeparatedRow[]>,
  form: Pick<OwnTable, 'lineEnd' | 'isOfWorkbook'> & Partial<Pick<OwnTable, 'delimiter'>>,
  name: string,
) {
  const { header, below } = await findHeader(source, { candidates: [], headerRow: 1 });
  if (header === undefined) throw noRecords(name);
  const again = [header.raw, `\ufeff${header.raw}`];
  const rows = mapped(below, (row) =>
    again.includes(row.raw) ? undefined : checkedRow(row, header.cells.length, name),
  );
  return {
    ...form,
    header: form.isOfWorkbook === true ? withListName(header.cells) : header.cells,
    rows,
  };
}

/** A sheet of a list names the fields of its elements without the list. */
function withListName(header: readonly string[]): readonly string[] {
  const before = header.slice(0, header.indexOf(itemColumn.name) + 1);
  const lists = Object.values<Endpoint>(operations).flatMap(({ columns }) =>
    columns.flatMap(({ element = [] }) => [element]),
  );
  const titled = lists.map((fields) => [...before, ...fields.map(({ name }) => name)]);
  const isHeader = (names: readonly string[]): boolean =>
    names.length === header.length &&
    names.every((name, at) => name === header[at] || name.endsWith(`.${header[at]}`));
  return (before.length > 0 && titled.find(isHeader)) || header;
}

/** Spreadsheets leave out empty cells at the end of a row, but a last row without its line end was cut off. @throws UsageError */
function checkedRow(row: SeparatedRow, width: number, name: string): SeparatedRow {
  const { cells, isUnended } = row;
  if (cells.slice(width).some((cell) => cell.trim() !== '')) {
    const hint = 'Quote a cell that holds a delimiter, or correct the header.';
    throw mistakeIn(
      name,
      `${pluralize(cells.length, 'cell')} where the header has ${width}`,
      hint,
      row,
    );
  }
  if (cells.length < width && isUnended === true) {
    const hint = 'The file was cut off: write it again, or end the line if it is whole.';
    throw mistakeIn(
      name,
      `the row ends after ${pluralize(cells.length, 'cell')}, and without a line end`,
      hint,
      row,
    );
  }
  return row;
}

/** All cells stay as they are in an output that is a CSV again, unless `--fields` reach into a cell: a part of one is written anew. */
function fromTable(
  { header, lineEnd, isOfWorkbook, rows }: Awaited<ReturnType<typeof tableRecords>>,
  { format, explode, fields }: Show,
  { from, commands }: RecordOrigin,
) {
  const names = uniqueNames(header);
  const isJob = header.includes('pdi_status');
  const { operation } = namedColumns(header, { from, isJob });
  if (from !== undefined) refuseOther(operations[from], header);
  // Columns of a job before it are own columns, and keep their types all the same.
  const earlier = (isJob && from === undefined ? wholeJobs(header) : []).filter(
    (name) => name !== operation,
  );
  const [last = [], ...before] = [operation, ...earlier].map((name) =>
    typesOf(header, name, { isJob, commands }),
  );
  const withTypes = [...last, ...before.flat()].filter(
    ({ at }, index, all) => all.findIndex((one) => one.at === at) === index,
  );
  const documented = (path: string) => documentedIn([operation, ...earlier], path);
  const ours = last.filter(({ isOurs }) => isOurs);
  const columns = names.map(
    (name, at): Column => ({ name, kind: 'text', inTable: true, header: header[at] ?? name }),
  );
  const own = operation === undefined ? [] : operations[operation].columns;
  const isWhole = own.every(
    ({ name, element }: Column) =>
      element !== undefined || last.some(({ column }) => column.name === name),
  );
  for (const { column, at } of withTypes) {
    const { beside, ...typed } = column;
    // Where `--fields` chose, no column joins those.
    columns[at] = {
      ...columns[at],
      ...moved(isWhole ? column : typed, column.name, names[at] ?? column.name),
    };
  }
  const isJoined = ours.length < names.length;
  const statusAt = ours.find(({ column }) => column.name === 'pdi_status')?.at;
  const fieldsOfRecord = ours.filter(({ column }) => !jobFields.includes(column.name));
  const apiObject = objectBuilder(fieldsOfRecord);
  const besideCells = objectBuilder(
    fieldsOfRecord.filter(({ steps: [top = ''] }) => !names.includes(top)),
  );
  const ofJob = objectBuilder(
    names.flatMap((name, at) => (jobFields.includes(name) ? [{ steps: [name], at }] : [])),
  );
  // The cells of a workbook are text, which nobody guards.
  const plain = isOfWorkbook === true ? (cell: string) => cell : plainText;
  const isInCell = (path: string): boolean =>
    withTypes.some(({ at }) => path.startsWith(`${names[at]}.`));
  const at = (path: string): Column | undefined => (isInCell(path) ? documented(path) : undefined);
  // A row of an element is a new row, whose cells are written anew.
  const mayBeText = format === 'csv' && explode === undefined;
  const asText =
    mayBeText &&
    !fieldNamesIn(fields ?? '').some((name) => !names.includes(name) && at(name) !== undefined);
  const named = (values: readonly unknown[]) =>
    Object.fromEntries(names.map((name, at) => [name, values[at]]));
  const rowOf = ({ cells }: SeparatedRow): ResultRow => {
    const texts = names.map((_name, at) => cells[at] ?? '');
    if (isOfWorkbook === true)
      for (const { column, at } of withTypes) texts[at] = withTime(texts[at] ?? '', column);
    const values: unknown[] = texts.slice();
    const isAnswered = statusAt === undefined || texts[statusAt] === 'ok';
    for (const { column, at } of withTypes)
      values[at] = isAnswered || texts[at] !== '' ? typed(plain(texts[at] ?? ''), column) : null;
    // `--fields` may also choose an object whole, such as `company`.
    const shown = Object.assign(named(asText ? texts : values), besideCells(values));
    if (isJoined) return { record: new ApiRecord(named(values)), status: 'ok', shown };
    const object = apiObject(values);
    const row = rowOfJob(ofJob(values));
    if (row.status !== 'ok' && Object.values(object).every(isEmpty)) return { ...row, shown };
    const record = operation === 'resolvePeople' ? withQuery(object, row) : object;
    return { ...row, record: new ApiRecord(record), shown };
  };
  const copied = asText && isOfWorkbook !== true ? { copied: { lineEnd } } : {};
  return {
    columns,
    operation,
    columnAt: at,
    flat: isJoined,
    isOfCells: true,
    ...copied,
    rows: mapped(rows, rowOf),
  };
}

/** A join puts its own columns last, so the first of two is the user's. `--fields` may have chosen a path into a list. */
function typesOf(
  header: readonly string[],
  operation: OperationName | undefined,
  { isJob, commands }: Pick<RecordOrigin, 'commands'> & { readonly isJob: boolean },
) {
  const { isKnown: isResult } = namedColumns(header, { from: operation, isJob });
  const words = isJob && operation !== undefined ? commands[operation].words : undefined;
  const results =
    words === undefined
      ? header
      : namesBehind(header, titleWord(words), (name) => isResult({ name }));
  const { columns, isKnown } = namedColumns(results, { from: operation, isJob });
  return columns.flatMap((title, at) => {
    const isOurs = isKnown(title) && results.lastIndexOf(title.name) === at;
    const column = isOurs
      ? title
      : /\.\d/.test(title.name)
        ? documentedIn([operation], title.name)
        : undefined;
    return column === undefined ? [] : [{ column, at, steps: stepsOf(column), isOurs }];
  });
}

function documentedIn(
  found: readonly (OperationName | undefined)[],
  path: string,
): Column | undefined {
  const columns = found.map((name) =>
    name === undefined ? undefined : columnAt(recordSchema(operations[name]), path),
  );
  return columns.find((column) => column !== undefined);
}

/** The columns of an element begin with the name of their list. */
const moved = (
  { element, fields, beside, ...column }: Column,
  from: string,
  to: string,
): Column => ({
  ...column,
  name: to + column.name.slice(from.length),
  ...(beside !== undefined && { beside: moved({ ...beside, header: beside.name }, from, to) }),
  ...(element !== undefined && { element: element.map((one) => moved(one, from, to)) }),
  ...(fields !== undefined && { fields: fields.map((one) => moved(one, from, to)) }),
});

const firstDayOfSheets = '1900-03-01';

/** A sheet is read as if midnight were a day; a text that only looks like one stays. */
const withTime = (cell: string, { dateTime }: Column): string =>
  dateTime !== undefined && isDay(cell) && cell >= firstDayOfSheets ? `${cell} 00:00:00` : cell;

function typed(text: string, { kind, numeric, element }: Column): unknown {
  if (text === '') return kind === 'list' || element !== undefined ? [] : null;
  if (isFigure(kind) || numeric === true) return isNumberText(text) ? parseJson(text) : text;
  if (kind === 'flag') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
  if (kind === 'list') return text.split('; ');
  const nested = kind === 'json' ? attempt(() => parseJson(text)) : undefined;
  return isNested(nested) ? nested : text;
}

const digitsAsText = /^="(\d+)"$/;

/** Takes off an apostrophe that the formula guard writes before such a text, and the form of `--text-ids`. */
function plainText(cell: string): string {
  if (cell.startsWith("'") && guarded(cell.slice(1)) === cell) return cell.slice(1);
  return digitsAsText.exec(cell)?.[1] ?? cell;
}

/** The answer of a resolve repeats what was asked, which a csv has as its input. */
function withQuery(object: JsonObject, { input }: ResultRow): JsonObject {
  const asked = input === undefined ? undefined : classify(input);
  if (asked === undefined || 'invalid' in asked) return object;
  const query = Object.entries(asked.identifier).map(([kind, value]) => [
    kind,
    typeof value === 'string' ? input : value,
  ]);
  return { query: Object.fromEntries(query), ...object };
}

const isEmpty = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);

/** Which of several fields a cell came from, it does not tell. */
const stepsOf = ({ name, paths: [path = name, ...others] = [] }: Column): readonly string[] =>
  others.length > 0 ? [name] : path.split('.');

type CellPlaces = readonly { readonly steps: readonly string[]; readonly at: number }[];

function objectBuilder(places: CellPlaces): (values: readonly unknown[]) => JsonObject {
  const names = [...new Set(places.flatMap(({ steps }) => steps.slice(0, 1)))];
  const below = (name: string) =>
    places
      .filter(({ steps }) => steps[0] === name)
      .map(({ steps, at }) => ({ steps: steps.slice(1), at }));
  const builders = names.map((name) => [name, fieldBuilder(below(name))] as const);
  return (values) => Object.fromEntries(builders.map(([name, build]) => [name, build(values)]));
}

/** An object whose cells are all empty is null, and a list of such objects is empty. */
function fieldBuilder(places: CellPlaces): (values: readonly unknown[]) => unknown {
  const whole = places.find(({ steps }) => steps.length === 0);
  if (whole !== undefined) return (values) => values[whole.at];
  const build = objectBuilder(places);
  const isList = places.every(({ steps: [step = ''] }) => /^\d+$/.test(step));
  return (values) => {
    const object = build(values);
    const fields = Object.values(object);
    if (isList) return fields.every(isEmpty) ? [] : fields;
    return fields.every(isEmpty) ? null : object;
  };
}
