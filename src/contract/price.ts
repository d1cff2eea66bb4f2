/** What the document says of the price of a call, and what follows from it. */
import { type Billed, PdiError } from '../errors.ts';

/** As section "What the service does" names the price of an operation. */
export type Billing = 'free' | 'charged' | 'unstated';

export interface Priced {
  readonly billing: Billing;
  /** A page on which nothing is found is not billed (section "Investor-interest feed", rule 8). */
  readonly freeIfEmpty?: true;
}

/** Such a call is written down before it is sent, and not sent again while nobody knows what became of it. */
export const mayCost = <P extends Pick<Priced, 'billing'>>(
  call: P,
): call is P & { readonly billing: Exclude<Billing, 'free'> } => call.billing !== 'free';

/** How a call ended: `lost` may have been billed, and has no answer; of `unpriced`, as of a 404, the document states no price. */
export type CallOutcome = 'billed' | 'not_billed' | 'lost' | 'unpriced';

/** What the book writes of a call that has ended, and what is told of it. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly billed: Billed;
}

const notBilled: CallEnd = { outcome: 'not_billed', billed: 'no' };

/** Of an answer only the number of its records counts. */
export function fateOf(
  { billing, freeIfEmpty }: Priced,
  result: PdiError | { readonly records: readonly unknown[] },
): CallEnd {
  if (billing === 'free') return notBilled;
  const isCharged = billing === 'charged';
  if (!(result instanceof PdiError)) {
    if (freeIfEmpty === true && result.records.length === 0) return notBilled;
    return isCharged
      ? { outcome: 'billed', billed: 'yes' }
      : { outcome: 'unpriced', billed: 'unknown' };
  }
  const { billed } = result.details;
  if (billed === 'yes') return { outcome: isCharged ? 'billed' : 'unpriced', billed };
  if (billed === 'unknown') return { outcome: 'lost', billed };
  // The document states no price for a 404; after other refusals nothing was carried out.
  return isMissing(result) ? { outcome: 'unpriced', billed: 'no' } : notBilled;
}

/** The service's own word that there is no such record. */
export const isMissing = ({ code, details }: PdiError): boolean =>
  code === 'not_found' && details.status === 404;

/** `Free`, or what a call costs. */
export function priceWords({ billing, freeIfEmpty }: Priced): string {
  if (billing === 'free') return 'Free';
  if (billing === 'unstated') return 'Price not documented';
  return freeIfEmpty === true
    ? 'Charged: 1 a page, free where nothing is found'
    : 'Charged: 1 a call';
}
