/** What travels from a job to the output: one row per input row, or one per record of a list. */
import type { PdiError } from '../errors.ts';
import type { InputRow, OwnCells } from './input-row.ts';
import type { ApiRecord } from './record.ts';

/** The words of the contract's `pdi_status` column, in the order that summaries name them. */
export const rowStatuses = ['ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped'] as const;
export type RowStatus = (typeof rowStatuses)[number];

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

/** The row of the output for a row of the input. By name: a spread takes a third of a job of a million rows. */
export const resultRow = (input: Pick<InputRow, 'text' | 'label' | 'own'>, { status, record, error, failure }: Outcome): ResultRow => ({
  status,
  record,
  error,
  failure,
  input: input.text ?? input.label ?? '',
  own: input.own,
});

/**
 * Rows on their way to the output; those that are there at the same time come together, and are written together. Where something
 * ended them early, a failure is the last that comes.
 */
export type ResultRows = AsyncIterable<readonly ResultRow[] | PdiError>;
