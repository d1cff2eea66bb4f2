/** Why an attempt brought no answer, whether the call is sent again, and the error that the user can act on. Pure. */
import type { Endpoint, Question, RequestParts } from '../contract/endpoint.ts';
import { checkHealth } from '../contract/health.ts';
import { mayCost, type Priced } from '../contract/price.ts';
import { type Billed, type FailureDetails, ServiceError } from '../errors.ts';
import type { FailureCode } from '../exit.ts';

export interface ErrorBody {
  readonly errorCode?: string | undefined;
  readonly message?: string | undefined;
}

/** `refused` and `unreachable` were not executed, but `refused` may succeed later; the fate of `lost` and `misshapen` is unknown. */
export class NoAnswer extends Error {
  constructor(
    readonly kind: 'refused' | 'unreachable' | 'lost' | 'misshapen' | 'status',
    message: string,
    readonly facts: {
      readonly status?: number;
      readonly outOfCredits?: boolean;
      /** A page of HTML says nothing about the item. */
      readonly isPage?: boolean;
      readonly refusal?: ErrorBody;
      readonly beforeAnyByte?: boolean;
    } = {},
  ) {
    super(message);
  }
}

/** After a lost answer, an unreadable body or a 5xx other than 503, nobody knows whether the service carried the call out. */
export function mayBeCarriedOut({ kind, facts: { status = 0, outOfCredits } }: NoAnswer): boolean {
  if (kind !== 'status') return kind === 'lost' || kind === 'misshapen';
  return outOfCredits !== true && status >= 500 && status !== 503;
}

export const billedAfter = (call: Priced, why: NoAnswer): Billed =>
  mayCost(call) && mayBeCarriedOut(why) ? 'unknown' : 'no';

/** A retry must be harmless (nothing can be charged twice) and useful. */
export function mayRetry(call: Priced, why: NoAnswer): boolean {
  const { status = 0, outOfCredits } = why.facts;
  if (billedAfter(call, why) !== 'no') return false;
  if (why.kind !== 'status') return why.kind === 'refused' || why.kind === 'lost';
  return outOfCredits !== true && (status === 429 || status >= 500);
}

interface FailedCall extends Question {
  readonly item?: string | undefined;
  readonly lostBefore: boolean;
}

export function failureOf(why: NoAnswer, call: FailedCall): ServiceError {
  const { endpoint, item } = call;
  const { status, refusal } = why.facts;
  const billed = billedAfter(endpoint, why);
  const code = codeOf(why);
  const reason = reasonOf(why, code, endpoint);
  return new ServiceError(
    code,
    `${item === undefined ? endpoint.title : `${endpoint.title}, ${item}`}: ${reason}`,
    {
      reason,
      status,
      errorCode: refusal?.errorCode,
      item,
      billed,
      retryable: mayRetry(endpoint, why),
      ...adviceOn(why, code, call, billed === 'unknown'),
    },
  );
}

function codeOf({ kind, facts: { status = 0, outOfCredits, isPage } }: NoAnswer): FailureCode {
  if (kind !== 'status') return 'unavailable';
  if (outOfCredits === true) return 'credits';
  if (isPage === true && status === 404) return 'unavailable';
  return statuses[status]?.[0] ?? 'unavailable';
}

const statuses: Readonly<Record<number, readonly [code: FailureCode, words: string]>> = {
  400: ['usage', 'the request was refused'],
  401: ['auth', 'the API key was refused'],
  403: ['auth', 'not permitted'],
  404: ['not_found', 'not found'],
  422: ['usage', 'the request was refused as malformed'],
  429: ['rate_limited', 'still rate limited'],
  503: ['unavailable', 'the service is unavailable'],
};

function reasonOf(
  { kind, message, facts: { status = 0, outOfCredits, isPage, refusal } }: NoAnswer,
  code: FailureCode,
  { key }: Endpoint,
) {
  if (kind !== 'status') return message || 'no answer';
  const isRefused = code === 'auth' && (isPage === true || (status === 401 && key === 'none'));
  const words = outOfCredits === true ? 'out of credits' : wordsOf(status, isRefused);
  const detail = refusal?.message ?? message;
  return detail === '' ? `${words} (${status})` : `${words} (${status}): ${detail}`;
}

function wordsOf(status: number, isRefused: boolean): string {
  if (isRefused) return 'refused';
  return statuses[status]?.[1] ?? (status >= 500 ? 'the service failed' : 'an unexpected answer');
}

function adviceOn(
  { kind, facts: { status = 0, isPage } }: NoAnswer,
  code: FailureCode,
  call: FailedCall,
  unknown: boolean,
): FailureDetails {
  if (unknown)
    return {
      hint: `${isPage === true ? `${pageHint}; ` : ''}it may have been billed, so it was not sent again; see \`pdi spend\` before you repeat it`,
    };
  if (isPage === true && status < 500) return { hint: pageHint };
  if (kind === 'unreachable')
    return {
      hint: 'check the base URL (`pdi config list` shows it), the proxy and the certificates',
    };
  if (kind === 'misshapen') return { hint: rootHint };
  if (code === 'not_found') return { hint: hintForNotFound(call) };
  if (code === 'auth' && call.endpoint.key === 'none') return { hint: rootHint };
  if (code === 'unavailable' && kind === 'status' && status < 500) return { hint: oddStatusHint };
  if (code === 'unavailable' && call.endpoint === checkHealth)
    return { hint: 'try again later, or poll with `pdi health --wait SECONDS`' };
  return advice[code] ?? {};
}

const pageHint =
  'something stands between pdi and the service, such as a proxy or a login page: check the base URL (`pdi config list` shows it) and the proxy';

const oddStatusHint =
  'check the base URL, and report it to the service: this answer is not documented';

function hintForNotFound({ endpoint, request, lostBefore }: FailedCall): string {
  if (lostBefore && endpoint.method === 'DELETE')
    return 'an earlier attempt of this call failed and may have been carried out';
  return namesResource(request)
    ? 'check the id, or share it with the API (Share to API)'
    : rootHint;
}

/** Only what an id names, in the path or as the scope of a search, can be what was not found. */
const namesResource = ({ path, query = {} }: RequestParts): boolean =>
  Object.keys(path).length > 0 ||
  Object.entries(query).some(([name, value]) => name.endsWith('_id') && value !== undefined);

const rootHint = 'check that the base URL is the versioned root of the API (…/api/v1)';

const advice: Readonly<Partial<Record<FailureCode, FailureDetails>>> = {
  usage: { hint: 'correct the value: this call was not billed', rerun: 'run the command again' },
  auth: {
    hint: 'check the key with `pdi config check`, or set another with `pdi config set api-key`',
  },
  unavailable: { hint: '`pdi health` tells whether the service is up', rerun: 'try again later' },
  rate_limited: {
    rerun: 'wait and run the command again, or allow longer waits with --max-wait and --retries',
  },
  credits: { hint: 'ask for more credits; nothing more was sent' },
};
