/** What the failure of a call means: for its row, and for the run. */
import type { PdiError } from '../errors.ts';
import type { RowStatus } from '../rows/result-row.ts';

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
