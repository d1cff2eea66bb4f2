/** Opens a file of records that pdi wrote: JSON, NDJSON, CSV or a workbook, by its name or first bytes. */
import { pluralize, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { mapped, type OwnTable, startingWith } from '../rows/input-row.ts';
import { type ByteSource, openBytes } from './bytes.ts';
import { openContent } from './content.ts';
import { jsonRecords, maxRecordLength } from './json-records.ts';
import { delimiterOfTable, type InputForm, lineEndOf, type RecordKind, recordKindByContent, recordKindByName } from './kind.ts';
import { filledLines, type Line, lineBlocks } from './lines.ts';
import { refuseOtherText } from './other-formats.ts';
import { type SeparatedRow, separatedRows } from './separated.ts';

interface RecordsRequest extends InputForm {
  readonly io: Pick<Io, 'stdin'>;
  readonly stop?: AbortSignal | undefined;
  readonly format?: RecordKind | undefined;
  readonly known: readonly string[];
}

export interface JsonRecords {
  readonly kind: 'json';
  readonly isList: boolean;
  /** Each is the text of a record, and the line where it begins. */
  readonly records: AsyncGenerator<readonly Line[]>;
}

export interface TableRecords {
  readonly kind: 'table';
  readonly header: readonly string[];
  readonly lineEnd: OwnTable['lineEnd'];
  readonly isOfWorkbook?: true;
  /** No row has more cells than the header. */
  readonly rows: AsyncGenerator<readonly SeparatedRow[]>;
}

export type RecordFile = (JsonRecords | TableRecords) & { readonly name: string; close(): void };

/** @throws UsageError for a missing or empty file, or one without records; a broken record is told when it is read */
export async function openRecords(request: RecordsRequest): Promise<RecordFile> {
  const source = await openBytes(request.path, request.io, request.stop);
  const { name, close } = source;
  try {
    return { ...(await recordsIn(source, request)), name, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function recordsIn(source: ByteSource, request: RecordsRequest): Promise<JsonRecords | TableRecords> {
  const { path, format, known } = request;
  const { name } = source;
  const content = await openContent(source, request);
  if ('rows' in content) {
    return { kind: 'table', lineEnd: '\r\n', isOfWorkbook: true, ...(await tableRecords(content.rows, name)) };
  }
  const { head, chunks, separator } = content;
  refuseOtherText(head, true, name);
  const kind = format ?? recordKindByName(path) ?? (separator === undefined ? recordKindByContent(head, known) : 'csv');
  // An empty NDJSON and an empty pipe hold no records, but an empty CSV or JSON is a file that was cut off.
  const isEmpty = head.trim() === '';
  if (isEmpty && path !== '-' && kind !== 'ndjson') throw emptyFile(name);
  const blocks = lineBlocks(chunks, name, { maxLength: maxRecordLength });
  if (isEmpty || kind === 'ndjson') return { kind: 'json', isList: true, records: filledLines(blocks, (line) => line) };
  if (kind === undefined) throw noRecords(name);
  if (kind === 'json') return { kind, isList: head.trimStart().startsWith('['), records: jsonRecords(chunks, name) };
  const delimiter = separator ?? delimiterOfTable(kind, format, head, known);
  const rows = separatedRows(blocks, delimiter, name, { maxLength: maxRecordLength });
  return { kind: 'table', lineEnd: lineEndOf(head), ...(await tableRecords(rows, name)) };
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

/** Blank rows before the header are skipped. */
async function tableRecords(source: AsyncGenerator<readonly SeparatedRow[]>, name: string) {
  for (let next = await source.next(); !next.done; next = await source.next()) {
    const start = next.value.findIndex(({ raw }) => raw.trim() !== '');
    const [header, ...others] = start < 0 ? [] : next.value.slice(start);
    if (header === undefined) continue;
    return { header: header.cells, rows: mapped(startingWith([others], source), (row) => checkedRow(row, header.cells.length, name)) };
  }
  throw noRecords(name);
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
