/** Decides which key is used, and reads it or asks its program for it. The key itself goes nowhere but into the result. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { attempt, interruption, PdiError, systemCodeOf } from '../errors.ts';
import {
  endOfProgram,
  failureOfProgram,
  programWords,
  startProgram,
  withoutKeys,
} from '../files/child-process.ts';
import type { Io } from '../io.ts';
import { boundNames, boundTo, normalBaseUrl } from './base-url.ts';
import { configDirectory } from './location.ts';
import { fileFailure, readConfig } from './read-config.ts';
import { type Profile, textOf, variable } from './resolve.ts';
import { maxKeyLength, parseKey, readAt } from './values.ts';

interface KeyRequest {
  readonly env: Io['env'];
  readonly profileFlag: boolean;
  readonly profile: Profile;
  readonly baseUrl: string | undefined;
  readonly stop: AbortSignal;
}

/** Gives the first place that has a key, and what stands there: the key, its file or its program. */
export function findKey({ env, profileFlag, profile, baseUrl }: Omit<KeyRequest, 'stop'>) {
  const given = (['PDI_API_KEY', 'PDI_API_KEY_FILE'] as const).map((source) => ({
    source,
    text: variable(env, source),
  }));
  // The whole base URL must be the one that a stored key belongs to: a gateway may serve several services, told apart by path.
  const usable = boundNames.filter(
    (name) => baseUrl !== undefined && boundTo(profile.values, name) === baseUrl,
  );
  const stored = usable.map((source) => ({ source, text: textOf(profile, source) }));
  // An explicit profile without a usable key leaves it to the environment.
  const places = profileFlag ? [...stored, ...given] : [...given, ...stored];
  return places.flatMap(({ source, text }) => (text === undefined ? [] : [{ source, text }]))[0];
}

/** @throws PdiError `auth` without a key or when key-command fails, `internal`, `interrupted`, UsageError for a key that no header holds */
export async function resolveKey(
  request: KeyRequest,
): Promise<{ readonly key: string; readonly source: string }> {
  const { profile, stop } = request;
  const found = findKey(request);
  if (found === undefined) throw missing(request);
  const { source, text } = found;
  if (source === 'PDI_API_KEY_FILE')
    return { key: checked(await keyInFile(text, stop), `${source} (${text})`), source };
  const where = source === 'PDI_API_KEY' ? source : `${source} of profile ${profile.name}`;
  const key =
    source === 'key-command' ? await runKeyCommand(programWords(text, where), request) : text;
  return { key: checked(key, where), source: where };
}

const checked = (key: string, source: string): string => readAt(source, () => parseKey(key));

const limitInSeconds = 10;
const maxOutput = 64 * 1024;

const noKey = (message: string, hint: string): PdiError =>
  new PdiError('auth', message, { billed: 'no', retryable: false, hint });

/** Gives the output, trimmed. @throws PdiError `auth` when the program fails, writes nothing or takes too long, `interrupted` at Ctrl-C */
export async function runKeyCommand(
  words: readonly string[],
  { env, stop }: Pick<KeyRequest, 'env' | 'stop'>,
  limitInMilliseconds = limitInSeconds * 1000,
): Promise<string> {
  if (stop.aborted) throw interruptedWhile('key-command was running');
  const child = await startProgram(words, {
    env: withoutKeys(env),
    // Without stdin a program that asks there gets end-of-file instead of a silent wait.
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  // Node's own `timeout` goes on, and holds up the end of pdi, where the program was not found.
  const timer = setTimeout(() => child.kill('SIGKILL'), limitInMilliseconds);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (piece) => {
    output += piece;
    if (output.length > maxOutput) child.kill('SIGKILL');
  });
  try {
    const ended = await endOfProgram(child, stop);
    if (stop.aborted || ended.signal === 'SIGINT')
      throw interruptedWhile('key-command was running');
    const reason =
      objection(child, output) ??
      failureOfProgram(ended) ??
      (output.trim() === '' ? 'wrote nothing' : undefined);
    if (reason === undefined) return output.trim();
    const hint =
      'run the command by itself to see why, or set another with pdi config set key-command';
    // Only the program's name is told, because its arguments and its output may hold secrets.
    throw noKey(`key-command ${JSON.stringify(words[0])} ${reason}`, hint);
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
  }
}

function objection({ killed }: ChildProcess, output: string): string | undefined {
  if (output.length > maxOutput) return 'wrote more than a key';
  return killed ? `gave no key within ${limitInSeconds} s` : undefined;
}

const interruptedWhile = (what: string): PdiError =>
  interruption(`interrupted while ${what}`, { billed: 'no' });

/** A named pipe (`<(command)`) may never send anything, so a stop ends its reading with an error. */
async function keyInFile(file: string, stop: AbortSignal): Promise<string> {
  const { readFile, stat } = await import('node:fs/promises');
  try {
    if (!(await stat(file)).isFIFO()) return await readFile(file, 'utf8');
    const { openFifo } = await import('../files/fifo.ts');
    const { addAbortSignal } = await import('node:stream');
    const { text } = await import('node:stream/consumers');
    return await text(addAbortSignal(stop, await openFifo(file, stop)));
  } catch (error) {
    if (stop.aborted) throw interruptedWhile('PDI_API_KEY_FILE was read');
    const reason = systemCodeOf(error) === 'ENOENT' ? new Error('there is no such file') : error;
    throw fileFailure('read the file that PDI_API_KEY_FILE names,', file, reason);
  }
}

function missing(request: KeyRequest): PdiError {
  const hint =
    'run `pdi config set api-key`, or set PDI_API_KEY or PDI_API_KEY_FILE, or store a key-command';
  return keyOfAnother(request) ?? noKey(`there is no API key for ${request.baseUrl}`, hint);
}

/** Tells of a profile that is for another base URL: a key that is stored in it would be bound to that one. */
export function keyOfAnother({
  profile,
  baseUrl,
}: Pick<KeyRequest, 'profile' | 'baseUrl'>): PdiError | undefined {
  if (baseUrl === undefined) return undefined;
  const stored = boundNames.find((name) => textOf(profile, name) !== undefined);
  const owner =
    stored === undefined
      ? normalBaseUrl(profile.values['base-url'])
      : boundTo(profile.values, stored);
  const elsewhere = `give the key for ${baseUrl} in PDI_API_KEY, or store it in a profile with that base URL`;
  if (stored === undefined) {
    if (owner === undefined || owner === baseUrl) return undefined;
    return noKey(
      `there is no API key for ${baseUrl}, and profile ${profile.name} is for ${owner}`,
      elsewhere,
    );
  }
  const what = `the ${stored} stored in profile ${profile.name} belongs to ${owner ?? 'no base URL yet'} and is not used for ${baseUrl}`;
  const bindIt = `run pdi --profile ${profile.name} config set base-url ${baseUrl}, or give the key in PDI_API_KEY`;
  return noKey(what, owner === undefined ? bindIt : elsewhere);
}

/** A message may repeat a key of another profile or place that was typed for an identifier. No key-command is run for it. */
export function unreadKeys(io: Pick<Io, 'env' | 'platform' | 'homeDirectory'>): readonly string[] {
  const file = variable(io.env, 'PDI_API_KEY_FILE');
  // A named pipe can be read only once.
  const inFile = () =>
    file !== undefined && statSync(file).isFile() ? [readFileSync(file, 'utf8').trim()] : [];
  const stored = () =>
    [...readConfig(configDirectory(io)).profiles.values()].map(
      (profile) => textOf(profile, 'api-key') ?? '',
    );
  // The failure that is about to be told matters more than one of these.
  return [inFile, stored]
    .flatMap((find) => attempt(find) ?? [])
    .filter((key) => key !== '' && key.length <= maxKeyLength);
}
