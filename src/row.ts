/** What travels from a job to the output: one row per input row, or one per record of a list. */

/** The words of the contract's `pdi_status` column. */
export type RowStatus = 'ok' | 'not_found' | 'invalid' | 'unknown' | 'failed' | 'skipped';

/** The CSV input row that a row answers, for the join of CSV in and CSV out. */
export interface OwnColumns {
  /** The row as it stood in the file, without its line end. */
  readonly raw: string;
  /** The same row, parsed. */
  readonly cells: readonly string[];
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
  readonly own?: OwnColumns | undefined;
}
