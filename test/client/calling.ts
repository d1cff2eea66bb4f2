/** A client for one test: short times, no randomness, its log kept, closed at the end of the test. */
import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { operations } from '../../src/contract/operations.ts';
import { ServiceError } from '../../src/errors.ts';
import { type Handler, type Origin, startOrigin } from '../support/origin.ts';

type ClientOptions = Parameters<typeof createClient>[0];

export const testKey = 'test-key-4711';

/** A charged call and its answer, and a free one. */
export const { getPerson, resolvePeople } = operations;
export const person = { path: { personId: 'per_1' } };
export const ok = { json: { person_id: 'per_1' } };
export const batch = { path: {}, body: { to_resolve: [{ profnet_id: 'ada' }] } };

export interface Calling {
  readonly client: Client;
  readonly log: readonly string[];
}

export async function clientFor(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): Promise<Calling> {
  const log: string[] = [];
  const client = await createClient({
    baseUrl,
    key: async () => testKey,
    timeoutMs: 60_000,
    retries: 2,
    maxWaitMs: 60,
    concurrency: 4,
    userAgent: 'pdi/test',
    stop: new AbortController().signal,
    log: (line) => log.push(line),
    now: () => performance.now(),
    // Below the range of a real one: backoff starts at 12 ms instead of 125.
    random: () => -0.9,
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, log };
}

/** An origin that answers so, and a client of it. */
export async function serve(
  handler: Handler,
  options: Partial<ClientOptions> = {},
): Promise<Calling & Pick<Origin, 'baseUrl' | 'requests'>> {
  const origin = await startOrigin(handler);
  onTestFinished(() => origin.close());
  return {
    ...(await clientFor(origin.baseUrl, options)),
    baseUrl: origin.baseUrl,
    requests: origin.requests,
  };
}

/** What a call failed with, as a plain record. @throws Error where it did not fail, or not with a ServiceError */
export async function failureIn(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error('the call did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw error;
  return { code: error.code, message: error.message, ...error.details };
}
