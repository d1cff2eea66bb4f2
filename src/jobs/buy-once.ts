/** Buys an answer unless the store has it, and keeps it there, so that no run, file, shard or process buys it a second time. */
import type { Answer } from '../client/call.ts';
import { decode, InvalidResponse } from '../client/decode.ts';
import type { Endpoint, RequestOf, RequestParts, ResponseOf } from '../contract/endpoint.ts';
import { PdiError, ServiceError } from '../errors.ts';
import type { AnswerContent, Asked, NotFound, StoredAnswer } from '../money/store/answer-line.ts';
import type { AnswerStore } from '../money/store/answer-store.ts';
import type { Outcome } from '../rows/result-row.ts';
import type { Purchased } from './purchase.ts';

export interface Bought<T> extends Pick<Outcome, 'source' | 'fetchedAt'> {
  readonly result: Purchased<T> | PdiError;
  /** It is set where the store kept the call from being sent. */
  readonly withheld?: true;
}

/** Gives what a request asks in the words of the store: `per_1`, or `name:sample harbor`. Equal spellings ask the same. */
export function askedBy<E extends Endpoint>({ method, path: template, spelling = {} }: Endpoint, request: RequestOf<E>): Asked {
  const { path, query = {} }: RequestParts = request;
  const parameters = Object.entries(query).map(([name, value]) => `${name}:${spelling[name]?.(String(value)) ?? value}`);
  return { operation: `${method} ${template}`, item: [...Object.values(path), ...parameters].join(' ') };
}

interface BuyOnceOptions<E extends Endpoint> {
  readonly store: AnswerStore | undefined;
  readonly endpoint: E;
  readonly request: RequestOf<E>;
  /** It names what is asked for in failures. Without it, the words of the store do. */
  readonly label?: string | undefined;
  readonly stopped: () => boolean;
}

/** Gives the stored answer, or what `buy` gives. While another process is buying the same, it waits for that one. */
export async function buyOnce<E extends Endpoint>(
  { store, endpoint, request, label, stopped }: BuyOnceOptions<E>,
  buy: () => Promise<Purchased<ResponseOf<E>> | PdiError>,
): Promise<Bought<ResponseOf<E>>> {
  if (store === undefined) return fromService(endpoint, await buy(), Date.now());
  const asked = askedBy(endpoint, request);
  const taken = await store.take(asked, stopped);
  if (taken === 'lost') return { result: lostFailure(endpoint, label ?? asked.item), withheld: true };
  if (taken === 'late') return { result: lateFailure(endpoint, label ?? asked.item), withheld: true };
  if ('answer' in taken) return fromStore(endpoint, taken.answer, label);
  const { purchase } = taken;
  const result = await buy().catch((bug: unknown) => {
    purchase.lose();
    throw bug;
  });
  const at = Date.now();
  const content = contentOf(result);
  if (content !== undefined) await purchase.keep(content, at);
  else if (result instanceof PdiError && result.details.billed === 'unknown') purchase.lose();
  else purchase.release();
  return fromService(endpoint, result, at);
}

/** Only an answer or a 404 has a time of fetching. */
const fromService = <T>({ stored }: Endpoint, result: Purchased<T> | PdiError, at: number): Bought<T> =>
  stored === true && (!(result instanceof PdiError) || isMissing(result)) ? { result, fetchedAt: new Date(at).toISOString() } : { result };

const isMissing = ({ code, details }: PdiError): boolean => code === 'not_found' && details.status === 404;

export function fromStore<E extends Endpoint>(endpoint: E, { content, item, at }: StoredAnswer, label = item): Bought<ResponseOf<E>> {
  const fetchedAt = new Date(at).toISOString();
  const result = 'body' in content ? answerOf(endpoint, item, content.body) : notFoundFailure(content.notFound, label, fetchedAt);
  return { result, source: 'store', fetchedAt };
}

function answerOf<E extends Endpoint>(endpoint: E, item: string, body: string): Answer<ResponseOf<E>> | PdiError {
  try {
    return { status: 200, ...decode(endpoint, body) };
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error;
    const message = `${endpoint.title}, ${item}: the answer in the store is damaged: ${error.message}`;
    return new PdiError('internal', message, { item, billed: 'no', hint: `\`pdi store forget ${item}\` lets it be bought again` });
  }
}

function contentOf(result: Purchased<unknown> | PdiError): AnswerContent | undefined {
  if (!(result instanceof PdiError)) return { body: result.record.text };
  const { message, details } = result;
  const { reason, errorCode, hint } = details;
  return isMissing(result) ? { notFound: { message, reason, errorCode, hint } } : undefined;
}

/** The hint offers to ask again, because somebody may have shared it with the API since. */
function notFoundFailure({ message, reason, errorCode, hint }: NotFound, item: string, at: string): PdiError {
  const again = `this is the answer of ${at}, from the store; --fresh asks again`;
  return new ServiceError('not_found', message, {
    status: 404,
    reason,
    errorCode,
    item,
    billed: 'no',
    retryable: false,
    hint: hint === undefined ? again : `${hint}; ${again}`,
  });
}

/** Stands for the answer of a call that is not sent again, because it may have been billed. */
export function lostFailure({ title }: Endpoint, item: string): PdiError {
  const reason = 'sent earlier, and the answer was lost: it may have been billed';
  return new ServiceError('unavailable', `${title}, ${item}: ${reason}`, {
    reason: `${reason} (--retry-unknown sends it again, which may be billed a second time)`,
    item,
    billed: 'unknown',
    retryable: false,
    hint: 'nothing was sent now; see `pdi spend`; --retry-unknown sends it again: 1 call that may be billed a second time',
  });
}

function lateFailure({ title }: Endpoint, item: string): PdiError {
  const reason = 'another run of pdi is buying it, and has no answer yet';
  return new ServiceError('unavailable', `${title}, ${item}: ${reason}`, {
    reason,
    item,
    billed: 'no',
    retryable: true,
    hint: 'nothing was sent',
    rerun: 'run the command again',
  });
}
