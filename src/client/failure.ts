/**
 * Decides whether a call without an answer is sent again, and turns what happened into an error that the user can act on, with a code, one
 * line and a hint. Pure.
 */
import type { Billing, Endpoint } from '../contract/endpoint.ts';
import { checkHealth } from '../contract/health.ts';
import { type Billed, type FailureCode, type FailureDetails, ServiceError } from '../errors.ts';
import type { ErrorBody } from './decode.ts';

export type Happening =
  | { readonly kind: 'refused' | 'unreachable' | 'lost' | 'misshapen' }
  | { readonly kind: 'status'; readonly status: number; readonly outOfCredits: boolean };

/** After a lost answer, an unreadable body or a 5xx other than 503, nobody knows whether the service carried the call out. */
export function mayBeCarriedOut(happening: Happening): boolean {
  if (happening.kind !== 'status') return happening.kind === 'lost' || happening.kind === 'misshapen';
  return !happening.outOfCredits && happening.status >= 500 && happening.status !== 503;
}

/** What was not carried out, or is free, was not charged. */
export const billedAfter = (billing: Billing, happening: Happening): Billed =>
  billing !== 'free' && mayBeCarriedOut(happening) ? 'unknown' : 'no';

/** A retry must be harmless (nothing can be charged twice) and useful. */
export function mayRetry(billing: Billing, happening: Happening): boolean {
  if (billedAfter(billing, happening) !== 'no') return false;
  if (happening.kind !== 'status') return happening.kind === 'refused' || happening.kind === 'lost';
  return !happening.outOfCredits && (happening.status === 429 || happening.status >= 500);
}

export interface Circumstances {
  readonly endpoint: Endpoint;
  readonly item?: string | undefined;
  /** It is the reason of the transport or the misshapen field, in words. */
  readonly reason?: string | undefined;
  /** The answer was a page of HTML, which says nothing about the item. */
  readonly isPage?: boolean | undefined;
  readonly refusal?: ErrorBody | undefined;
  /** Only where the request names a resource by its id can that resource be what was not found. */
  readonly namesResource?: boolean | undefined;
  /** An earlier attempt may have been carried out. */
  readonly lostBefore?: boolean | undefined;
}

export function failureOf(happening: Happening, circumstances: Circumstances): ServiceError {
  const { endpoint, item, refusal } = circumstances;
  const billed = billedAfter(endpoint.billing, happening);
  const status = happening.kind === 'status' ? happening.status : undefined;
  const code = codeOf(happening, circumstances);
  const subject = item === undefined ? endpoint.title : `${endpoint.title}, ${item}`;
  const reason = reasonOf(happening, code, circumstances);
  return new ServiceError(code, `${subject}: ${reason}`, {
    reason,
    status,
    errorCode: refusal?.errorCode,
    item,
    billed,
    retryable: mayRetry(endpoint.billing, happening),
    ...adviceOn(happening, code, circumstances, billed === 'unknown'),
  });
}

function codeOf(happening: Happening, { isPage }: Circumstances): FailureCode {
  if (happening.kind !== 'status') return 'unavailable';
  if (happening.outOfCredits) return 'credits';
  if (isPage === true && happening.status === 404) return 'unavailable';
  return codeByStatus[happening.status] ?? 'unavailable';
}

const codeByStatus: Readonly<Record<number, FailureCode>> = {
  400: 'usage',
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  422: 'usage',
  429: 'rate_limited',
};

function reasonOf(happening: Happening, code: FailureCode, { endpoint, reason, isPage, refusal }: Circumstances): string {
  if (happening.kind !== 'status') return reason ?? 'no answer';
  const { status, outOfCredits } = happening;
  const words = outOfCredits ? 'out of credits' : isPage === true && code === 'auth' ? 'refused' : wordsOf(status, endpoint);
  const detail = refusal?.message ?? reason;
  return detail === undefined ? `${words} (${status})` : `${words} (${status}): ${detail}`;
}

function wordsOf(status: number, { key }: Endpoint): string {
  if (status === 401 && key === 'none') return 'refused';
  return wordsByStatus[status] ?? (status >= 500 ? 'the service failed' : 'an unexpected answer');
}

const wordsByStatus: Readonly<Record<number, string>> = {
  400: 'the request was refused',
  401: 'the API key was refused',
  403: 'not permitted',
  404: 'not found',
  422: 'the request was refused as malformed',
  429: 'still rate limited',
  503: 'the service is unavailable',
};

type Advice = Pick<FailureDetails, 'hint' | 'rerun'>;

function adviceOn(happening: Happening, code: FailureCode, circumstances: Circumstances, unknown: boolean): Advice {
  const { isPage } = circumstances;
  if (unknown)
    return {
      hint: `${isPage === true ? `${pageHint}; ` : ''}it may have been billed, so it was not sent again; see \`pdi spend\` before you repeat it`,
    };
  if (isPage === true && !(happening.kind === 'status' && happening.status >= 500)) return { hint: pageHint };
  if (happening.kind === 'unreachable') return { hint: 'check the base URL (`pdi config list` shows it), the proxy and the certificates' };
  if (happening.kind === 'misshapen') return { hint: rootHint };
  if (code === 'not_found') return { hint: hintForNotFound(circumstances) };
  if (code === 'auth' && circumstances.endpoint.key === 'none') return { hint: rootHint };
  if (code === 'unavailable' && circumstances.endpoint === checkHealth)
    return { hint: 'try again later, or poll with `pdi health --wait SECONDS`' };
  if (code === 'unavailable' && happening.kind === 'status' && happening.status < 500) return { hint: oddStatusHint };
  return advice[code] ?? {};
}

const pageHint =
  'something stands between pdi and the service, such as a proxy or a login page: check the base URL (`pdi config list` shows it) and the proxy';

const oddStatusHint = 'check the base URL, and report it to the service: this answer is not documented';

function hintForNotFound({ endpoint, lostBefore, namesResource }: Circumstances): string {
  if (lostBefore === true && endpoint.method === 'DELETE') return 'an earlier attempt of this call failed and may have been carried out';
  return namesResource === true ? 'check the id, or have it shared with the API (Share to API)' : rootHint;
}

const rootHint = 'check that the base URL is the versioned root of the API (…/api/v1)';

const advice: Readonly<Partial<Record<FailureCode, Advice>>> = {
  usage: { hint: 'correct the value: this call was not billed', rerun: 'run the command again' },
  auth: { hint: 'check the key with `pdi config check`, or set another with `pdi config set api-key`' },
  unavailable: { hint: '`pdi health` tells whether the service is up', rerun: 'try again later' },
  rate_limited: { rerun: 'wait and run the command again, or allow longer waits with --max-wait and --retries' },
  credits: { hint: 'ask for more credits; nothing more was sent' },
};
