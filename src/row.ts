/** What travels from a job to the output: one row per input row, or one per record of a list. */

/** The words of the contract's `pdi_status` column, in the order that summaries name them. */
export const rowStatuses = ['ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped'] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** A row of CSV or TSV as the user wrote it, so that the answer can be joined to it without changing a byte. */
export interface OwnCells {
  /** The row's text as in the file, quotes and all, without its line end and without cells past the header. */
  readonly raw: string;
  /** No more than the header has. */
  readonly cells: readonly string[];
}

/** The file's own table, where the input is CSV or TSV: what a join needs to write it again. */
export interface OwnTable {
  readonly header: readonly string[];
  /** The header row as in the file, without BOM and line end. */
  readonly rawHeader: string;
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
}

export interface Row {
  /** What was asked for, as the user wrote it; absent for lists. */
  readonly input?: string;
  /** The API's own object; absent where there is none. A resolve without match has a record and `not_found`. */
  readonly record?: unknown;
  /** The record as it was sent, where that is JSON on one line; not yet fit for a terminal. */
  readonly json?: string | undefined;
  /** The one record that columns read from, where `record` is the list that answers the row. */
  readonly shown?: unknown;
  readonly status: RowStatus;
  /** One line, where status is not `ok`. */
  readonly error?: string | undefined;
  /** The input row's own columns, where the input is CSV. */
  readonly own?: OwnCells | undefined;
}
