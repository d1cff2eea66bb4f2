/** Turns answers into what the book keeps, and back, and says why an answer is not there. */
import * as z from 'zod/mini';
import type { Answer } from '../client/client.ts';
import { decode, InvalidResponse } from '../client/decode.ts';
import type { Endpoint, ResponseOf } from '../contract/endpoint.ts';
import { PdiError, ServiceError } from '../errors.ts';
import type { KeptAnswer } from './calls.ts';

/** The words of a 404, so that a later run can say the same. */
const notFoundWords = z.object({
  message: z.string(),
  reason: z.optional(z.string()),
  errorCode: z.optional(z.string()),
  hint: z.optional(z.string()),
});

/** An answer is kept by its own text, with every digit, and a 404 by its words; nothing else is. */
export function contentOf(result: Answer<unknown> | PdiError): Pick<KeptAnswer, 'missing' | 'body'> | undefined {
  if (!(result instanceof PdiError)) return { missing: false, body: result.record.text };
  const { message, details } = result;
  const { reason, errorCode, hint } = details;
  return isMissing(result) ? { missing: true, body: JSON.stringify({ message, reason, errorCode, hint }) } : undefined;
}

export const isMissing = ({ code, details }: PdiError): boolean => code === 'not_found' && details.status === 404;

export function fromBook<E extends Endpoint>(endpoint: E, answer: KeptAnswer, label = answer.item) {
  const fetchedAt = new Date(answer.at).toISOString();
  const result = answer.missing ? notFoundFailure(endpoint, answer, label, fetchedAt) : answerOf(endpoint, answer);
  return { result, source: 'book', fetchedAt } as const;
}

function answerOf<E extends Endpoint>(endpoint: E, { item, body }: KeptAnswer): Answer<ResponseOf<E>> | PdiError {
  try {
    return { status: 200, ...decode(endpoint, body) };
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error;
    return damaged(endpoint.title, item, error.message);
  }
}

function damaged(title: string, item: string, reason: string): PdiError {
  const message = `${title}, ${item}: the answer in the book is damaged: ${reason}`;
  return new PdiError('internal', message, { item, billed: 'no', hint: `\`pdi store forget ${item}\` lets it be bought again` });
}

function wordsIn(body: string): z.infer<typeof notFoundWords> | undefined {
  try {
    return z.parse(notFoundWords, JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The hint offers to ask again, because somebody may have shared it with the API since. */
function notFoundFailure({ title }: Endpoint, { body }: KeptAnswer, item: string, at: string): PdiError {
  const words = wordsIn(body);
  if (words === undefined) return damaged(title, item, 'it is no 404');
  const { message, reason, errorCode, hint } = words;
  const again = `this is the answer of ${at}, from the book; --fresh asks again`;
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

export function lateFailure({ title }: Endpoint, item: string): PdiError {
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
