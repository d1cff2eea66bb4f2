/** A service for the commands under test, the program bound to it, and readers of what it said. */
import { expect, onTestFinished } from 'vitest';
import { isRecord } from '../../src/config/store.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { type Handler, type Origin, startOrigin } from '../support/origin.ts';
import { type RunOptions, type RunResult, run } from '../support/run.ts';

/** One command line: words, or a text that is split at its spaces. */
export type Pdi = (argv: string | readonly string[], options?: RunOptions) => Promise<RunResult>;

/** The key that commands of the tests send; its last four characters may be shown. */
export const key = 'key-of-the-tests-that-nobody-may-see-0042';

const words = (argv: string | readonly string[]): readonly string[] => (typeof argv === 'string' ? argv.split(' ') : argv);

/** The program without any service. */
export const pdi: Pdi = (argv, options) => run(words(argv), options);

const boundTo =
  (baseUrl: string, apiKey: string): Pdi =>
  (argv, options) =>
    run(words(argv), { ...options, env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: apiKey, ...options?.env } });

/** A sandbox for this test, and the program that asks it with the full key. */
export async function sandbox(options: SandboxOptions = {}): Promise<{ service: Sandbox; pdi: Pdi }> {
  const service = await startSandbox(options);
  onTestFinished(() => service.stop());
  return { service, pdi: boundTo(service.baseUrl, service.keys.full) };
}

/** An origin for this test that answers as told, and the program that asks it. */
export async function origin(handler: Handler): Promise<{ service: Origin; pdi: Pdi }> {
  const service = await startOrigin(handler);
  onTestFinished(() => service.close());
  return { service, pdi: boundTo(service.baseUrl, key) };
}

export const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

export function asRecord(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw new Error(`expected an object, found ${JSON.stringify(value)}`);
  return value;
}

/** stdout as one JSON object. */
export const objectOf = ({ stdout }: RunResult): Record<string, unknown> => asRecord(JSON.parse(stdout));

/** stdout as one JSON array of objects. */
export function arrayOf({ stdout }: RunResult): readonly Record<string, unknown>[] {
  const value: unknown = JSON.parse(stdout);
  if (!Array.isArray(value)) throw new Error(`expected an array, found ${stdout}`);
  return value.map(asRecord);
}

/** Every line of stderr is one JSON object, and exactly one is an error: that one, with no key more or less than promised. */
export function errorOf({ stderr }: RunResult): Record<string, unknown> {
  const errors = linesOf(stderr)
    .map((line) => asRecord(JSON.parse(line)))
    .filter((object) => 'error' in object)
    .map(({ error }) => asRecord(error));
  expect(errors, stderr).toHaveLength(1);
  const error = asRecord(errors[0]);
  expect(Object.keys(error)).toEqual(['code', 'message', 'status', 'errorCode', 'item', 'billed', 'retryable', 'hint']);
  expect(String(error.message)).not.toMatch(/\n|^\s|\s$/);
  return error;
}

/** The summary of a job on stderr. */
export function summaryOf({ stderr }: RunResult): Record<string, unknown> {
  const summaries = linesOf(stderr)
    .map((line) => asRecord(JSON.parse(line)))
    .filter((object) => 'summary' in object);
  expect(summaries, stderr).toHaveLength(1);
  return asRecord(summaries[0]?.summary);
}

/** The key header of each request that an origin saw. */
export const keysSeen = ({ requests }: Origin): readonly unknown[] => requests.map(({ headers }) => headers['x-api-key']);
