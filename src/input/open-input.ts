/** Opens bulk input, a file or standard input in any of its formats (contract, section Bulk input). */
import { isBlankCell } from '../contract/identifier.ts';
import { orFailure, PdiError, UsageError, withMoreHint } from '../errors.ts';
import type { Io } from '../io.ts';
import { type Input, type InputRow, mapped, NoRows, startingWith } from '../rows/row.ts';
import { tellForeignId } from './column.ts';
import {
  type ByteSource,
  interruptedAtInput,
  openBytes,
  openContent,
  recordsIn,
  type SheetContent,
  type TextContent,
} from './content.ts';
import { decoded } from './encoding.ts';
import type { ColumnWish } from './header.ts';
import { jsonRowReader } from './json-rows.ts';
import { type Format, firstRow, formatOf } from './kind.ts';
import { type Line, mistakeIn, type OnBrokenText, refuse, refusedForAll } from './lines.ts';
import { hasLoneReturn, sheetDelimiter } from './separated.ts';
import { openTable } from './table-rows.ts';

interface InputRequest extends ColumnWish {
  readonly path: string;
  readonly io: Pick<Io, 'stdin'>;
  /** Ctrl-C aborts it. Input that may never end then ends without an error about the rest. */
  readonly stop?: AbortSignal | undefined;
  readonly checked?: boolean;
}

/** @throws UsageError for a missing, empty or malformed input, PdiError `internal` for an unreadable one, `interrupted` after a stop */
export async function openInput(inputRequest: InputRequest): Promise<Input> {
  const request = { ...inputRequest, column: inputRequest.column ?? inputRequest.named?.[0] };
  const source = await openBytes(request.path, request.io, request.stop);
  const { name, close, stopped } = source;
  try {
    const opened = await new Opening(request, source).open();
    if (stopped()) throw interruptedAtInput();
    return { ...opened, name, close };
  } catch (error) {
    close();
    if (stopped()) throw interruptedAtInput();
    // Standard input without rows is a pipe that found nothing, which is a good answer too.
    if (error instanceof NoRows && request.path === '-')
      return { kind: 'lines', name, batches: nothing(), close };
    throw error;
  }
}

async function* nothing(): AsyncGenerator<never> {}

type OpenedRows = Omit<Input, 'name' | 'close'>;

/** Of a pipe, the rows from the first bytes on that are no text are not sent, and the mistake is told after them. */
class Opening {
  private broken: { readonly mistake: UsageError; readonly line: number } | undefined;

  constructor(
    private readonly request: InputRequest,
    private readonly source: ByteSource,
  ) {}

  async open(): Promise<OpenedRows> {
    const { request, source } = this;
    const content = await openContent(source, request, this.onBroken);
    const opened = 'rows' in content ? await this.sheet(content) : await this.text(content);
    return { ...opened, batches: this.marked(opened) };
  }

  private get onBroken(): OnBrokenText {
    return this.source.regular ? refuse : this.note;
  }

  private get looksAhead(): boolean {
    return this.source.regular && this.request.checked !== true;
  }

  private readonly note: OnBrokenText = (mistake, line) => {
    this.broken ??= { mistake, line };
  };

  private async sheet({ rows, notices, whichSheet }: SheetContent): Promise<OpenedRows> {
    const { request, source, note } = this;
    for (const notice of notices) request.notice?.(notice);
    const form = { delimiter: sheetDelimiter, lineEnd: '\r\n', isOfWorkbook: true } as const;
    const wish = { ...request, isSheet: true };
    try {
      if (this.looksAhead)
        await readThrough(
          (await openTable(rows(), form, { ...wish, notice: undefined }, source.name, refuse)).rows,
        );
      return { kind: 'xlsx', ...rowsOf(await openTable(rows(), form, wish, source.name, note)) };
    } catch (error) {
      throw whichSheet !== '' && error instanceof UsageError
        ? withMoreHint(error, whichSheet)
        : error;
    }
  }

  private async text(content: TextContent): Promise<OpenedRows> {
    const { request, source } = this;
    const { name } = source;
    // Whatever is said of an empty pipe, such as where its header is, it found nothing.
    if (content.head === '' && request.path === '-') throw new NoRows(name);
    if (hasOldLineEnds(content.head, request.headerRow === undefined))
      throw mistakeIn(
        name,
        'has line ends of old Macintoshes (CR alone)',
        'Save it as CSV UTF-8, with other line ends.',
      );
    const format = await formatOf(content.head, content.separator, request, name);
    const opened = await this.rows(content, format).catch(async (error: unknown) => {
      throw await this.allOf(error, content, format);
    });
    if (this.broken !== undefined && opened.own?.rawHeader.includes('\uFFFD') === true)
      throw this.broken.mistake;
    if (this.looksAhead) await checkFile(request, format);
    return opened;
  }

  /** The names of columns are read anew in the encoding that the bytes seem to have, so that one refusal says all. */
  private async allOf(error: unknown, content: TextContent, format: Format): Promise<unknown> {
    const { broken, source } = this;
    const { encoding } = broken?.mistake.details.way ?? {};
    if (broken === undefined || encoding === undefined) return broken?.mistake ?? error;
    const chunks = decoded(startingWith([content.bytes], nothing()), encoding, source.name, refuse);
    const again = await orFailure(() => this.rows({ ...content, chunks }, format));
    return again instanceof PdiError
      ? refusedForAll(source.name, [broken.mistake, again])
      : broken.mistake;
  }

  private async rows(content: TextContent, format: Format): Promise<OpenedRows> {
    const { request, note } = this;
    const { name } = this.source;
    const { column, headerRow } = request;
    const { kind, mayBeEmpty, head: _, ...form } = format;
    const read = recordsIn(content, format, name, { firstLine: headerRow }, this.onBroken);
    if ('rows' in read)
      return { kind, ...rowsOf(await openTable(read.rows, form, request, name, note)) };
    if (headerRow !== undefined) {
      const hint = 'Leave --header-row out, or say what the file is with --input-format.';
      throw new UsageError(`${name} is read as ${kind}, which has no header`, {
        item: '--header-row',
        hint,
      });
    }
    if (kind === 'lines' && column !== undefined) {
      const hint = 'Say what it is with --input-format csv, tsv, ndjson or json.';
      throw mistakeIn(name, `is read as lines, which have no column ${column}`, hint);
    }
    const rowOf = kind === 'lines' ? rowOfLine : jsonRowReader(kind, request, name);
    const batches = kind === 'json' ? mapped(read.records, rowOf) : ofLines(read.records, rowOf);
    const first = await batches.next();
    if (first.done && !mayBeEmpty) throw new NoRows(name);
    await this.tellOfFirst(first.value?.[0], content.head);
    return { kind, batches: first.done ? batches : startingWith([first.value], batches) };
  }

  /** Of records, the head shows the fields of the first. */
  private async tellOfFirst(row: InputRow | undefined, head: string): Promise<void> {
    const names = Array.from(
      head.split('}', 1)[0]?.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g) ?? [],
      ([, key = '']) => key,
    );
    await tellForeignId(row?.field, names, this.request, this.source.name);
  }

  /** A stop may cut a character or a quoted cell apart, which is no mistake. @throws UsageError the mistake of the input, after the last row */
  private async *marked({ batches, own }: OpenedRows): AsyncGenerator<readonly InputRow[]> {
    const { stopped } = this.source;
    try {
      for await (const rows of batches) {
        if (this.broken !== undefined && stopped()) return;
        yield this.broken === undefined
          ? rows
          : rows.map((row) => this.markedRow(row, own?.isOfWorkbook === true));
      }
      if (this.broken !== undefined) throw this.broken.mistake;
    } catch (error) {
      if (!stopped()) throw this.broken?.mistake ?? error;
    }
  }

  /** A row of a text may go over several lines, and that of a sheet has one, whatever its cells hold. */
  private markedRow(row: InputRow, isOfSheet: boolean): InputRow {
    if (this.broken === undefined) return row;
    const { mistake, line } = this.broken;
    const lastLine = isOfSheet ? row.line : row.line + (row.own?.raw.split('\n').length ?? 1) - 1;
    const { next: _, ...alone } = row;
    return lastLine >= line
      ? { ...alone, invalid: `not sent: ${mistake.message}`, status: 'skipped' }
      : row;
  }
}

/** Such a file would be read as one row, or as a header without rows; another program may have ended its last line as usual. */
function hasOldLineEnds(head: string, isFromFirstRow: boolean): boolean {
  if (!head.includes('\n')) return /\r[^\r]/.test(head);
  return isFromFirstRow && !/^\s*[[{]/.test(head) && hasLoneReturn(firstRow(head) ?? '');
}

const rowsOf = ({ own, rows, rowOf }: Awaited<ReturnType<typeof openTable>>) => ({
  own,
  batches: mapped(rows, rowOf),
});

/** Where no row had the wanted field, those above the record that is refused for that are refused with it. */
async function* ofLines(
  batches: AsyncIterable<readonly Line[]>,
  rowOf: (line: Line) => InputRow,
): AsyncGenerator<readonly InputRow[]> {
  for await (const lines of batches) yield lines.map(rowOf);
}

const rowOfLine = (line: Line): InputRow =>
  isBlankCell(line.text) ? { line: line.line, text: undefined, label: line.text } : line;

/** Looks for mistakes before anything is sent. In one JSON text a record may be broken, so that all of them are parsed; lines are cut alone. */
async function checkFile(request: InputRequest, format: Format): Promise<void> {
  const source = await openBytes(request.path, request.io);
  const { name } = source;
  try {
    const content = await openContent(source, request);
    if ('rows' in content) return;
    const wish = { ...request, notice: undefined };
    const read = recordsIn(content, format, name, { firstLine: request.headerRow });
    if ('rows' in read)
      await readThrough((await openTable(read.rows, format, wish, name, refuse)).rows);
    else
      await readThrough(
        format.kind === 'json'
          ? mapped(read.records, jsonRowReader('json', wish, name))
          : read.records,
      );
  } finally {
    source.close();
  }
}

async function readThrough(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}
