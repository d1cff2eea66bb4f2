/** What travels from a job to the output: one row per input row, or one per record of a list. */
import type { PdiError } from '../errors.ts';
import type { ApiRecord } from './record.ts';

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

/** What became of one row of the input: what a journal keeps of it, and what identical rows share. */
export interface Outcome {
  readonly status: RowStatus;
  /** Absent where there is none. A resolve without match has a record and `not_found`. */
  readonly record?: ApiRecord | undefined;
  /** One line, where status is not `ok`. */
  readonly error?: string | undefined;
  /** The failure behind a status that is not `ok`. */
  readonly failure?: PdiError | undefined;
}

/** A row on its way to the output: of a job with what was asked for, of a list a record alone. */
export interface ResultRow extends Outcome {
  /** What was asked for, as the user wrote it; absent for lists. */
  readonly input?: string;
  /** What columns read from in the place of the record. */
  readonly shown?: unknown;
  /** The input row's own columns, where the input is CSV. */
  readonly own?: OwnCells | undefined;
}

/** Rows on their way to the output; those that are there at the same time come together, and are written together. */
export type ResultRows = AsyncIterable<readonly ResultRow[]>;
