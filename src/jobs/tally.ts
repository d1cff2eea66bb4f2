/** Counts rows by status, and makes the error that a partly failed job ends with. */
import { PdiError, pluralize } from '../errors.ts';
import { type RowStatus, rowStatuses } from '../rows/result-row.ts';

export type Tally = Record<RowStatus, number>;

export const emptyTally = (): Tally => ({ ok: 0, not_found: 0, invalid: 0, unknown: 0, failed: 0, skipped: 0 });

const words: Readonly<Record<RowStatus, string>> = {
  ok: 'ok',
  not_found: 'not found',
  invalid: 'invalid',
  unknown: 'unknown',
  failed: 'failed',
  skipped: 'skipped',
};

export const rowsIn = (tally: Tally): number => rowStatuses.reduce((sum, status) => sum + tally[status], 0);

/** Gives a text such as `130 rows: 128 ok, 2 invalid`. */
export function describeTally(tally: Tally): string {
  const parts = rowStatuses.filter((status) => tally[status] > 0).map((status) => `${tally[status]} ${words[status]}`);
  return `${pluralize(rowsIn(tally), 'row')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** A later run may answer some rows, so the journal stays. */
export const isUnfinished = (tally: Tally): boolean => tally.unknown > 0 || isAskedAgain(tally);

/** The same command, run again, would ask for something. It sends what is unknown only with `--retry-unknown`. */
export const isAskedAgain = ({ failed, skipped }: Tally): boolean => failed + skipped > 0;

const whereToLook = 'pdi_status and pdi_error say what became of each row';

/** Gives `partial` where a row is neither ok nor of an accepted status. */
export function failureOfRows(tally: Tally, accepted: readonly RowStatus[], hint = whereToLook): PdiError | undefined {
  if (rowStatuses.every((status) => tally[status] === 0 || status === 'ok' || accepted.includes(status))) return undefined;
  return new PdiError('partial', `the job ended with ${describeTally(tally)}`, {
    billed: tally.unknown > 0 ? 'unknown' : 'no',
    retryable: isAskedAgain(tally),
    hint,
  });
}
