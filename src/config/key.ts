/** Decides which key is used. The key itself goes nowhere but into the result. */
import { readFileSync, statSync } from 'node:fs';
import { PdiError, systemCodeOf } from '../errors.ts';
import { programWords } from '../files/child-process.ts';
import type { Io } from '../io.ts';
import { type BoundName, boundNames, boundTo, isBoundName } from './binding.ts';
import { interruptedWhile, runKeyCommand } from './key-command.ts';
import { configDirectory } from './location.ts';
import { fileFailure, readConfig } from './read-config.ts';
import { type Profile, textOf, variable } from './resolve.ts';
import { parseKey, readAt } from './values.ts';

interface KeyPlaces {
  readonly env: Io['env'];
  /** With `--profile` on the command line the profile comes before the environment. */
  readonly profileFlag: boolean;
  readonly profile: Profile;
  readonly baseUrl: string | undefined;
}

export interface KeyRequest extends KeyPlaces {
  readonly stop: AbortSignal;
}

const environmentNames = ['PDI_API_KEY', 'PDI_API_KEY_FILE'] as const;

type KeySource = (typeof environmentNames)[number] | BoundName;

/** Gives the places of a key in the order that decides: an explicit profile without a usable key leaves it to the environment. */
const keySources = (profileFlag: boolean): readonly KeySource[] =>
  profileFlag ? [...boundNames, ...environmentNames] : [...environmentNames, ...boundNames];

/** Gives the first place that has a key, and what stands there: the key, its file or its program. */
export function findKey({ env, profileFlag, profile, baseUrl }: KeyPlaces) {
  // The whole base URL must be the one that a stored key belongs to: a gateway may serve several services, told apart by path.
  const isUsable = (name: BoundName) => baseUrl !== undefined && boundTo(profile.values, name) === baseUrl;
  for (const source of keySources(profileFlag)) {
    const stored = isBoundName(source) && isUsable(source) ? textOf(profile, source) : undefined;
    const text = isBoundName(source) ? stored : variable(env, source);
    if (text !== undefined) return { source, text };
  }
  return undefined;
}

/** @throws PdiError `auth` without a key or when key-command fails, `internal`, `interrupted`, UsageError for a key that no header holds */
export async function resolveKey(request: KeyRequest): Promise<{ readonly key: string; readonly source: string }> {
  const { env, profile, stop } = request;
  const found = findKey(request);
  if (found === undefined) throw missing(request);
  const { source, text } = found;
  const ofProfile = `${source} of profile ${profile.name}`;
  switch (source) {
    case 'PDI_API_KEY':
      return { key: checked(text, source), source };
    case 'PDI_API_KEY_FILE':
      return { key: checked(await keyInFile(text, stop), `${source} (${text})`), source };
    case 'key-command': {
      const printed = await runKeyCommand({ words: programWords(text, source), env, stop });
      return { key: checked(printed, ofProfile), source: ofProfile };
    }
    case 'api-key':
      return { key: checked(text, ofProfile), source: ofProfile };
  }
}

const checked = (key: string, source: string): string => readAt(source, () => parseKey(key));

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

function missing({ profile, baseUrl }: KeyRequest): PdiError {
  const failure = (message: string, hint: string) => new PdiError('auth', message, { billed: 'no', retryable: false, hint });
  const stored = boundNames.find((name) => textOf(profile, name) !== undefined);
  if (stored === undefined) {
    const hint = 'run pdi config set api-key, or set PDI_API_KEY or PDI_API_KEY_FILE, or store a key-command';
    return failure(`there is no API key for ${baseUrl}`, hint);
  }
  const owner = boundTo(profile.values, stored);
  const what = `the ${stored} stored in profile ${profile.name} belongs to ${owner ?? 'no base URL yet'} and is not used for ${baseUrl}`;
  return owner === undefined
    ? failure(what, `run pdi --profile ${profile.name} config set base-url ${baseUrl}, or give the key in PDI_API_KEY`)
    : failure(what, `give the key for ${baseUrl} in PDI_API_KEY, or store it in a profile with that base URL`);
}

/**
 * Gives the keys of all profiles and of PDI_API_KEY_FILE that a run has not read, because a message may repeat one that was typed in the
 * place of an identifier. A key-command is not run for it.
 */
export function unreadKeys(io: Pick<Io, 'env' | 'platform' | 'homeDirectory'>): readonly string[] {
  const file = variable(io.env, 'PDI_API_KEY_FILE');
  // A named pipe can be read only once.
  const inFile = () => (file !== undefined && statSync(file).isFile() ? [readFileSync(file, 'utf8').trim()] : []);
  const stored = () => [...readConfig(configDirectory(io)).profiles.values()].map((profile) => textOf(profile, 'api-key') ?? '');
  return [inFile, stored].flatMap(orNone).filter((key) => key !== '');
}

/** The failure that is about to be told matters more than one to read a file. */
function orNone(find: () => readonly string[]): readonly string[] {
  try {
    return find();
  } catch {
    return [];
  }
}
