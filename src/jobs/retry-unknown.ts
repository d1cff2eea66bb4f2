/** `--retry-unknown` makes a call again whose answer was lost. What may have been billed stays so, whatever the next call brings. */
import type { Client } from '../client/client.ts';
import { PdiError, withMoreHint } from '../errors.ts';

export interface UnknownRetries {
  /** A call is made again so many times at most: 0 without the flag. */
  readonly times: number;
  /** It is told of a lost answer before call `attempt + 1`, and gives whether that call may be made. */
  readonly goesOn: (lost: PdiError, attempt: number) => Promise<boolean>;
  readonly lostBefore?: boolean;
}

/** Tells whether the run still goes on after the pause that a free call makes before it is sent again. */
export const pausing =
  ({ pause }: Pick<Client, 'pause'>): UnknownRetries['goesOn'] =>
  (_lost, attempt) =>
    pause(attempt).then(
      () => true,
      () => false,
    );

/** Gives the answer or the last failure, which may have been billed if an earlier answer was lost. `before` counts the earlier calls. */
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

function afterLoss(failure: PdiError, isLost: boolean): PdiError {
  if (isLost) {
    const hint = 'it was sent more than once, and may have been billed each time; see `pdi spend` before you repeat it';
    return new PdiError(failure.code, failure.message, { ...failure.details, hint });
  }
  const { code, message, details } = withMoreHint(failure, 'an earlier call got no answer and may have been billed (`pdi spend`)');
  const reason = `${details.reason ?? message}; an earlier answer was lost and may have been billed`;
  return new PdiError(code, message, { ...details, reason, billed: 'unknown' });
}
