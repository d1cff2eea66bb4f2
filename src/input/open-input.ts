/** Opens bulk input, a file or standard input in any of its formats (contract, section Bulk input). */
import { UsageError, withMoreHint } from '../errors.ts';
import type { Io } from '../io.ts';
import { type Input, type InputKind, type InputRow, NoRows, startingWith } from '../rows/input-row.ts';
import { BrokenText, type OnBrokenText } from './broken-text.ts';
import { type ByteSource, interruptedAtInput, openBytes } from './bytes.ts';
import { type ColumnWish, wantedNames } from './column.ts';
import { openContent, type SheetContent, type TextContent } from './content.ts';
import { jsonRows, ndjsonRows } from './json-rows.ts';
import { cellsOfFirst, type Format, type FormatRequest, firstCells, firstRowsOf, formatOf } from './kind.ts';
import { fromLine, lineBlocks, lineRows } from './lines.ts';
import { headerAt, rowsSearched } from './names.ts';
import { refuseOtherText } from './other-formats.ts';
import { separatedRows, sheetDelimiter } from './separated.ts';
import { openTable } from './table-rows.ts';

export interface InputRequest extends FormatRequest {
  readonly io: Pick<Io, 'stdin'>;
  /** Ctrl-C aborts it. Input that may never end then ends without an error about the rest. */
  readonly stop?: AbortSignal | undefined;
  readonly checked?: boolean;
}

/** @throws UsageError for a missing, empty or malformed input, PdiError `internal` for an unreadable one, `interrupted` after a stop */
export async function openInput(request: InputRequest): Promise<Input> {
  const source = await openBytes(request.path, request.io, request.stop);
  const { name, regular } = source;
  const broken = new BrokenText();
  // Broken text in a file is told before anything is sent. In a pipe it is told when its row is read.
  const onBroken = regular ? undefined : broken.note;
  try {
    const content = await openContent(source, request, { suffices: regular ? hasRows : mayEndSearch(request), onBroken });
    const opened = 'rows' in content ? await openSheetRows(content, request, name) : await openText(content, request, source, broken);
    if (source.stopped()) throw interruptedAtInput();
    return { ...opened, name, batches: broken.marked(opened.batches, source.stopped), close: source.close };
  } catch (error) {
    source.close();
    if (source.stopped()) throw interruptedAtInput();
    // Standard input without rows is a pipe that found nothing, which is a good answer too.
    if (error instanceof NoRows && request.path === '-') return withoutRows(name);
    throw error;
  }
}

type OpenedRows = Pick<Input, 'kind' | 'own'> & { readonly batches: Batches };

async function openSheetRows({ rows, notices, whichSheet }: SheetContent, request: InputRequest, name: string): Promise<OpenedRows> {
  for (const notice of notices) request.notice?.(notice);
  const { batches, ...header } = await openTable(rows, sheetDelimiter, { ...request, isSheet: true }, name).catch((error: unknown) => {
    throw whichSheet !== '' && error instanceof UsageError ? withMoreHint(error, whichSheet) : error;
  });
  return { kind: 'xlsx', own: { ...header, delimiter: sheetDelimiter, lineEnd: '\r\n', isOfWorkbook: true }, batches };
}

async function openText(
  { head, chunks, separator }: TextContent,
  request: InputRequest,
  { name, regular }: ByteSource,
  broken: BrokenText,
): Promise<OpenedRows> {
  if (!head.includes('\n') && /\r[^\r]/.test(head)) throw oldLineEnds(name);
  const wanted = wantedNames(request);
  refuseOtherText(head, headerAt(cellsOfFirst(head, wanted), wanted) !== undefined, name);
  const format = await formatOf(head, separator, request, name);
  const onBroken = regular ? undefined : broken.note;
  const opened = await openRows(format, { chunks, onBroken, onOtherHeader: broken.note }, request, name).catch((error: unknown) => {
    broken.refuse({ error });
    throw error;
  });
  broken.refuse(opened);
  if (regular && request.checked !== true) await readThrough(request, format);
  return { kind: format.kind, ...opened };
}

const hasRows = (head: string): boolean =>
  /^[[{]/.test(head) || firstRowsOf(head.slice(0, head.lastIndexOf('\n') + 1)).length >= rowsSearched;

/** A pipe may be slow, so it is read on only where a table is expected and its header has not come. */
function mayEndSearch(request: InputRequest): (head: string) => boolean {
  const { format, column, headerRow } = request;
  const wanted = wantedNames(request);
  return (head) => {
    const isTable = format === 'csv' || format === 'tsv' || column !== undefined || headerRow !== undefined || head.startsWith('#');
    return !isTable || hasRows(head) || headerAt([firstCells(head, wanted).cells], wanted) !== undefined;
  };
}

async function readThrough(request: InputRequest, format: Format): Promise<void> {
  const source = await openBytes(request.path, request.io);
  try {
    const content = await openContent(source, request);
    if ('chunks' in content) for await (const _ of mistakesIn(content.chunks, format, request, source.name));
  } finally {
    source.close();
  }
}

/** Rows are made only where a mistake of the file shows in them: broken JSON, and a quote that is not closed. */
function mistakesIn(chunks: AsyncGenerator<Buffer>, { kind, delimiter }: Format, wish: ColumnWish, name: string): AsyncIterable<unknown> {
  if (kind === 'json') return jsonRows(chunks, wish, name);
  const blocks = fromLine(lineBlocks(chunks, name), wish.headerRow);
  if (kind !== 'csv' && kind !== 'tsv') return blocks;
  return separatedRows(blocks, delimiter, name);
}

async function* nothing(): AsyncGenerator<never> {}

const withoutRows = (name: string): Input => ({ kind: 'lines', name, batches: nothing(), close: () => undefined });

type Batches = AsyncGenerator<readonly InputRow[]>;

async function openRows(
  format: Format,
  { chunks, onBroken, onOtherHeader }: { chunks: AsyncGenerator<Buffer>; onBroken: OnBrokenText | undefined; onOtherHeader: OnBrokenText },
  request: InputRequest,
  name: string,
): Promise<Omit<OpenedRows, 'kind'>> {
  const { kind, delimiter, lineEnd } = format;
  const isTable = kind === 'csv' || kind === 'tsv';
  if (request.headerRow !== undefined && !isTable) throw headerOfOther(kind, name);
  if (kind === 'lines' && request.column !== undefined) throw columnOfLines(request.column, name);
  const blocks = lineBlocks(chunks, name, { onBroken });
  if (kind === 'lines') return { batches: await started(lineRows(blocks), name, format) };
  if (!isTable) {
    const rows = kind === 'json' ? jsonRows(chunks, request, name) : ndjsonRows(blocks, request, name);
    return { batches: await started(rows, name, format) };
  }
  const rows = separatedRows(fromLine(blocks, request.headerRow), delimiter, name);
  const { header, rawHeader, batches } = await openTable(rows, delimiter, request, name, onOtherHeader);
  return { own: { header, rawHeader, delimiter, lineEnd }, batches };
}

/** It reads the first rows ahead, because an input without rows is an error, unless it is a list that says so. */
async function started(batches: Batches, name: string, { mayBeEmpty }: Format): Promise<Batches> {
  const first = await batches.next();
  if (!first.done) return startingWith([first.value], batches);
  if (mayBeEmpty) return nothing();
  throw new NoRows(name);
}

/** Such a file would be read as one row, or as a header without rows. */
const oldLineEnds = (name: string): UsageError =>
  new UsageError(`${name} has line ends of old Macintoshes (CR alone)`, {
    item: name,
    hint: 'Save it as CSV UTF-8, with other line ends.',
  });

const columnOfLines = (column: string, name: string): UsageError =>
  new UsageError(`${name} is read as lines, which have no column ${column}`, {
    item: name,
    hint: 'Say what it is with --input-format csv, tsv, ndjson or json.',
  });

const headerOfOther = (kind: InputKind, name: string): UsageError =>
  new UsageError(`${name} is read as ${kind}, which has no header`, {
    item: '--header-row',
    hint: 'Leave --header-row out, or say what the file is with --input-format.',
  });
