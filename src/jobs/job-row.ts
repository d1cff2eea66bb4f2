/** A row as a job gives it: with the failure behind a status that is not `ok`. */
import type { PdiError } from '../errors.ts';
import type { Row, RowStatus } from '../row.ts';

export interface JobRow extends Row {
  readonly failure?: PdiError | undefined;
}

/** Rows on their way to the output; those that are there at the same time come together, and are written together. */
export type JobRows = AsyncIterable<readonly JobRow[]>;

/** Failures that end a run: nothing that follows could succeed. */
export const isFatal = ({ code }: PdiError): boolean =>
  code === 'auth' || code === 'credits' || code === 'rate_limited' || code === 'interrupted' || code === 'internal';

/** What a call's failure makes of its row. */
export function statusOf(failure: PdiError): RowStatus {
  // The service's word on the item itself, even where an earlier answer was lost.
  if (failure.code === 'not_found') return 'not_found';
  if (failure.code === 'usage') return 'invalid';
  if (failure.details.billed === 'unknown') return 'unknown';
  return isFatal(failure) ? 'skipped' : 'failed';
}
