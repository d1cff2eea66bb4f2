/** Records to text. The format and where the text goes are independent choices. */
import { type PdiError, UsageError } from '../errors.ts';
import { isJsonFormat, type OutputFormat } from '../formats.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { jsonFormatter, ndjsonFormatter } from './json.ts';
import type { Layout } from './layout.ts';

/** What is to be written: text in UTF-8, or bytes as they are. */
export type Output = string | Uint8Array;

/** Both functions return what to write now, possibly nothing. `end` is called once, also after an early stop. */
export interface Formatter {
  /** Rows that arrived together. */
  rows(rows: readonly ResultRow[]): Output;
  end(): Output;
  /** After `end`: why rows were written in another form than was asked for. They may have been paid for, so they are written. */
  complaint?(): PdiError | undefined;
  /** After `end`: what there is to know about what was written. */
  remark?(): string | undefined;
}

export interface FormatOptions {
  /** Cells in a line of the terminal; for tables and cards. */
  readonly width: number;
  readonly color: boolean;
  /** `--delimiter`, as given; unset, a comma or the delimiter of the CSV input. */
  readonly delimiter?: string;
  /** Whether CSV starts with a header. */
  readonly header: boolean;
  /** Whether CSV starts with a byte-order mark, for Excel. */
  readonly bom: boolean;
  readonly formulaGuard: boolean;
  /** `--text-ids`: csv writes numeric identifiers so that spreadsheets keep every digit. */
  readonly textIds?: boolean;
  /** Whether the output is a terminal, which must be shown nothing that it obeys. */
  readonly terminal?: boolean;
  /** `--query`: a JMESPath expression, for json and ndjson. */
  readonly query?: string;
}

/**
 * The formatter of one output. What a format needs is loaded only when it is asked for.
 * @throws UsageError for a delimiter that is none, a query that is none, or one in a format that takes none.
 */
export async function createFormatter(format: OutputFormat, layout: Layout, options: FormatOptions): Promise<Formatter> {
  if (options.query !== undefined) return createQueryFormatter(format, layout, options.query);
  switch (format) {
    case 'json':
      return jsonFormatter(layout);
    case 'ndjson':
      return ndjsonFormatter(layout);
    case 'csv':
      return (await import('./csv.ts')).csvFormatter(layout, options);
    case 'xlsx':
      return (await import('./xlsx.ts')).xlsxFormatter(layout, options);
    case 'table':
      return createTableFormatter(layout, options);
  }
}

async function createTableFormatter(layout: Layout, options: FormatOptions): Promise<Formatter> {
  const formatter = (await import('./table.ts')).tableFormatter(layout, options);
  if (layout.picture === undefined) return formatter;
  return (await import('./pictures.ts')).withPicture(formatter, layout.picture, options);
}

async function createQueryFormatter(format: OutputFormat, layout: Layout, query: string): Promise<Formatter> {
  if (isJsonFormat(format)) return (await import('./query.ts')).queryFormatter(format, layout, query);
  throw new UsageError(`--query goes with -o json or ndjson, not ${format}`, {
    item: '--query',
    hint: '--fields chooses the columns of a table or csv',
  });
}
