/** Records to text: what a format is. The format and where the text goes are independent choices. */
import type { PdiError } from '../errors.ts';
import type { ResultRow } from '../rows/result-row.ts';

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
