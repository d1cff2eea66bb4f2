/** A job sends these rows to the output, one per input row, or one per record of a list. */
import type { PdiError } from '../errors.ts';
import type { InputRow, OwnCells } from './input-row.ts';
import type { ApiRecord } from './record.ts';

/** These are the words of the contract's `pdi_status` column, in the order of summaries. */
export const rowStatuses = ['ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped'] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** A journal keeps this for each row of the input, and identical rows share it. */
export interface Outcome {
  readonly status: RowStatus;
  /** A resolve without match has a record and `not_found`. */
  readonly record?: ApiRecord | undefined;
  readonly error?: string | undefined;
  readonly failure?: PdiError | undefined;
  /** It is missing for an answer of the service in this run. */
  readonly source?: 'book' | 'journal' | undefined;
  /** It is the time of the service's answer, ISO 8601 in UTC, for answers that may be kept. */
  readonly fetchedAt?: string | undefined;
  /** The record is about this other id, not about the one that was asked for. */
  readonly aboutAnother?: string | undefined;
}

/** A row of a job names what was asked for; a row of a list is a record alone. */
export interface ResultRow extends Outcome {
  readonly input?: string;
  readonly shown?: unknown;
  readonly own?: OwnCells | undefined;
  readonly field?: string | undefined;
  readonly given?: unknown;
  readonly linkInText?: true | undefined;
  /** Columns of the record that stay empty, because the service sent a value of another type. */
  readonly unfit?: ReadonlySet<string> | undefined;
}

/** The fields are copied by name, because a spread takes a third of the time of a job of a million rows. */
export const resultRow = (
  input: Pick<InputRow, 'text' | 'label' | 'own' | 'field' | 'given' | 'linkInText'>,
  { status, record, error, failure, source, fetchedAt, aboutAnother }: Outcome,
): ResultRow => ({
  status,
  record,
  error,
  failure,
  source,
  fetchedAt,
  aboutAnother,
  input: input.text ?? input.label ?? '',
  own: input.own,
  field: input.field,
  given: input.given,
  linkInText: input.linkInText,
});

/** Rows that are ready at the same time are written together. Where something ended them early, a failure comes last. */
export type ResultRows = AsyncIterable<readonly ResultRow[] | PdiError>;
