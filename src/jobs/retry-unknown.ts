/** `--retry-unknown`: a call whose answer was lost is made again. What may have been billed stays so, whatever comes of the next. */
import type { Client } from '../client/client.ts';
import { PdiError, withMoreHint } from '../errors.ts';

export interface UnknownRetries {
  /** How often at most; 0 without the flag. */
  readonly times: number;
  /** Told of a lost answer before call `attempt + 1`; whether that may be made. */
  readonly goesOn: (lost: PdiError, attempt: number) => Promise<boolean>;
  readonly lostBefore?: boolean;
}

/** Whether the run still goes on after the pause that a free call makes before it is sent again. */
export const pausing =
  ({ pause }: Pick<Client, 'pause'>): UnknownRetries['goesOn'] =>
  (_lost, attempt) =>
    pause(attempt).then(
      () => true,
      () => false,
    );

/**
 * What `buy` gives, which is told how many calls were made before: the answer, or the failure of the last call; where an answer was
 * lost before that, as one that may have been billed.
 */
export async function retryUnknown<T>(
  buy: (before: number) => Promise<T | PdiError>,
  { times, goesOn, lostBefore = false }: UnknownRetries,
): Promise<T | PdiError> {
  let wasLost = lostBefore;
  for (let before = 0; ; before += 1) {
    const bought = await buy(before);
    if (!(bought instanceof PdiError)) return bought;
    const isLost = bought.details.billed === 'unknown';
    const again = isLost && before < times && (await goesOn(bought, before + 1));
    if (!again) return wasLost ? afterLoss(bought, isLost) : bought;
    wasLost = true;
  }
}

/** A failure of a call that had been sent before without an answer. */
function afterLoss(failure: PdiError, isLost: boolean): PdiError {
  if (isLost) {
    const hint = 'it was sent more than once, and may have been billed each time; see `pdi spend` before you repeat it';
    return new PdiError(failure.code, failure.message, { ...failure.details, hint });
  }
  const { code, message, details } = withMoreHint(failure, 'an earlier call got no answer and may have been billed (`pdi spend`)');
  const reason = `${details.reason ?? message}; an earlier answer was lost and may have been billed`;
  return new PdiError(code, message, { ...details, reason, billed: 'unknown' });
}
