/** `pdi convert` writes records of an earlier run in another format. It needs no service, key or store. */
import type { OperationName, OperationWords } from '../contract/operations.ts';
import { pluralize, UsageError, withPipeInto } from '../errors.ts';
import { type ByteSource, openBytes } from '../input/bytes.ts';
import { findHeader } from '../input/column.ts';
import { openContent, recordsIn } from '../input/content.ts';
import { maxRecordLength } from '../input/json-records.ts';
import { type Format, formatOf, type Head, kindByName, lookAt } from '../input/kind.ts';
import { refuseOtherText } from '../input/other-formats.ts';
import type { SeparatedRow } from '../input/separated.ts';
import { deliver, endOf } from '../road/delivery.ts';
import { loadKnown } from '../road/input-source.ts';
import { knownNames } from '../road/named-columns.ts';
import type { Show } from '../road/plan.ts';
import { tellSeveral } from '../road/summary.ts';
import type { Tools } from '../road/tools.ts';
import { type FileForm, firstOf, mapped, type ResultRow, type ResultRows, startingWith } from '../rows/row.ts';
import { fromJson, type JsonRecords } from './from-json.ts';
import { fromTable, type TableRecords } from './from-table.ts';

/** The file of records, how it is read, and the operation that the records came from, as the user named it. */
interface RecordSource extends FileForm {
  readonly path: string;
  readonly first?: number | undefined;
  readonly from?: OperationName | undefined;
}

/** @throws UsageError for a file that cannot be read as records; with `--out` nothing is written then */
export async function runConvert(show: Show, tools: Tools, source: RecordSource, commands: OperationWords): Promise<void> {
  const { path, first, from } = source;
  const { io, stop, say } = tools;
  const withItsPipe = (error: unknown): never => {
    throw withPipeInto('pdi convert -', error);
  };
  const bytes = await openBytes(path, io, stop).catch(withItsPipe);
  try {
    const file = await openRecords(bytes, source).catch(withItsPipe);
    const wanted = { show, from, commands };
    const { rows, ...shape } = 'header' in file ? fromTable(file, wanted) : await fromJson(file, bytes.name, wanted, say);
    const delivered = await deliver(show, tools, { shape: { ...shape, isFile: true }, inputFile: path, allOrNothing: true }, () =>
      untilStop(tools, first === undefined ? rows : firstOf(rows, first)),
    );
    tellSeveral(show, say, delivered.count);
    const end = endOf(delivered, show, say);
    if (end !== undefined) throw end;
  } finally {
    bytes.close();
  }
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

/** @throws UsageError for an empty file, or one without records; a broken record is told when it is read */
export async function openRecords(source: ByteSource, form: RecordSource): Promise<JsonRecords | TableRecords> {
  const { name } = source;
  const { path } = form;
  const content = await openContent(source, form);
  if ('rows' in content) return { lineEnd: '\r\n', isOfWorkbook: true, ...(await tableRecords(content.rows(), name)) };
  refuseOtherText(content.head, true, name);
  const head = lookAt(content.head, { candidates: knownNames });
  // Records never come as lines. An empty NDJSON and an empty pipe hold none, but an empty CSV or JSON is a file that was cut off.
  const named = kindByName(path) === 'lines' ? undefined : kindByName(path);
  const promised = path === '-' && head.line === '' ? 'ndjson' : (form.format ?? named);
  const format = await formatOf(head, content.separator, { format: promised, candidates: knownNames, loadKnown }, name);
  if (head.line === '' && !format.mayBeEmpty) throw emptyFile(name);
  if (format.kind === 'lines') throw noRecords(name);
  const delimiter = content.separator ?? delimiterOfRecords(head, format, form);
  const read = recordsIn(content, { ...format, delimiter }, name, { maxLength: maxRecordLength });
  if ('rows' in read) return { lineEnd: format.lineEnd, ...(await tableRecords(read.rows, name)) };
  return { isList: format.kind === 'ndjson' || head.line.startsWith('['), records: read.records };
}

/** The first row is the header. Where that has one cell, those below it may hold what tells cells apart in other files. */
function delimiterOfRecords({ rows: [header] }: Head, { kind }: Format, { format }: FileForm): string {
  if (format !== 'tsv' && header !== undefined && header.cells.length > 1) return header.delimiter;
  return kind === 'tsv' ? '\t' : ',';
}

const emptyFile = (name: string): UsageError =>
  new UsageError(`${name}, line 1: the file is empty`, {
    item: name,
    hint: 'Write it again; an empty list of records is --input-format ndjson.',
  });

const noRecords = (name: string): UsageError =>
  new UsageError(`${name}, line 1: neither JSON nor NDJSON nor a CSV that pdi wrote`, {
    item: name,
    hint: 'If it is one of them, say which with --input-format json, ndjson, csv or tsv.',
  });

/** The header is the first row that is not blank. Where files were put together, it comes again. */
async function tableRecords(source: AsyncGenerator<readonly SeparatedRow[]>, name: string) {
  const { header, others } = await findHeader(source, { candidates: [], headerRow: 1 });
  if (header === undefined) throw noRecords(name);
  const records = withoutRows(startingWith([others], source), [header.raw, `\ufeff${header.raw}`]);
  return { header: header.cells, rows: mapped(records, (row) => checkedRow(row, header.cells.length, name)) };
}

async function* withoutRows(batches: AsyncIterable<readonly SeparatedRow[]>, left: readonly string[]) {
  for await (const batch of batches) yield batch.filter(({ raw }) => !left.includes(raw));
}

/** Spreadsheets leave out empty cells at the end of a row, but a last row without its line end was cut off. @throws UsageError */
function checkedRow(row: SeparatedRow, width: number, name: string): SeparatedRow {
  const { line, cells, isUnended } = row;
  const place = `${name}, line ${line}`;
  if (cells.slice(width).some((cell) => cell.trim() !== '')) {
    const hint = 'Quote a cell that holds a delimiter, or mend the header.';
    throw new UsageError(`${place}: ${pluralize(cells.length, 'cell')} where the header has ${width}`, { item: name, hint });
  }
  if (cells.length < width && isUnended === true) {
    const hint = 'The file was cut off: write it again, or end the line if it is whole.';
    throw new UsageError(`${place}: the row ends after ${pluralize(cells.length, 'cell')}, and without a line end`, { item: name, hint });
  }
  return row;
}
