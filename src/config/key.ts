/** Decides which key is used. The key itself goes nowhere but into the result. */
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type BoundName, boundNames, boundTo } from './binding.ts';
import { interruptedWhile, parseKeyCommand, runKeyCommand } from './key-command.ts';
import { type Profile, textOf } from './profile.ts';
import { fileFailure } from './read-config.ts';
import { variable } from './resolve.ts';
import { parseKey } from './values.ts';

export interface KeyRequest {
  readonly env: Io['env'];
  /** With `--profile` on the command line the profile comes before the environment. */
  readonly profileFlag: boolean;
  readonly profile: Profile;
  readonly baseUrl: string;
  readonly stop: AbortSignal;
}

interface ResolvedKey {
  readonly key: string;
  readonly source: string;
}

const environmentNames = ['PDI_API_KEY', 'PDI_API_KEY_FILE'] as const;

export type KeySource = (typeof environmentNames)[number] | BoundName;

/** Gives the places of a key in the order that decides: an explicit profile without a usable key leaves it to the environment. */
export const keySources = (profileFlag: boolean): readonly KeySource[] =>
  profileFlag ? [...boundNames, ...environmentNames] : [...environmentNames, ...boundNames];

type KeyFinder = (request: KeyRequest) => Promise<ResolvedKey | undefined>;

function checked(key: string, source: string): ResolvedKey {
  try {
    return { key: parseKey(key), source };
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    throw new UsageError(`${source}: ${error.message}`, { item: source, hint: error.details.hint });
  }
}

const fromVariable: KeyFinder = async ({ env }) => {
  const key = variable(env, 'PDI_API_KEY');
  return key === undefined ? undefined : checked(key, 'PDI_API_KEY');
};

const fromFile: KeyFinder = async ({ env, stop }) => {
  const file = variable(env, 'PDI_API_KEY_FILE');
  if (file === undefined) return undefined;
  const text = await readWhole(file, stop).catch((error: unknown) => {
    if (stop.aborted) throw interruptedWhile('PDI_API_KEY_FILE was read');
    const reason = systemCodeOf(error) === 'ENOENT' ? new Error('there is no such file') : error;
    throw fileFailure('read the file that PDI_API_KEY_FILE names,', file, reason);
  });
  return { ...checked(text, `PDI_API_KEY_FILE (${file})`), source: 'PDI_API_KEY_FILE' };
};

/** A named pipe (`<(command)`) may never send anything, so a stop ends its reading with an error. */
async function readWhole(file: string, stop: AbortSignal): Promise<string> {
  const { readFile, stat } = await import('node:fs/promises');
  if (!(await stat(file)).isFIFO()) return readFile(file, 'utf8');
  const { openFifo } = await import('../files/fifo.ts');
  const { addAbortSignal } = await import('node:stream');
  const { text } = await import('node:stream/consumers');
  return text(addAbortSignal(stop, await openFifo(file, stop)));
}

/** The whole base URL must be the one that the value belongs to, because a gateway may serve several services, told apart by path. */
export function usable(
  { profile, baseUrl }: { readonly profile: Profile; readonly baseUrl: string | undefined },
  name: BoundName,
): string | undefined {
  return baseUrl !== undefined && boundTo(profile.values, name) === baseUrl ? textOf(profile, name) : undefined;
}

const fromKeyCommand: KeyFinder = async (request) => {
  const command = usable(request, 'key-command');
  if (command === undefined) return undefined;
  const key = await runKeyCommand({ words: parseKeyCommand(command, 'key-command'), env: request.env, stop: request.stop });
  return checked(key, `key-command of profile ${request.profile.name}`);
};

const fromStoredKey: KeyFinder = async (request) => {
  const key = usable(request, 'api-key');
  return key === undefined ? undefined : checked(key, `api-key of profile ${request.profile.name}`);
};

const finders: Readonly<Record<KeySource, KeyFinder>> = {
  PDI_API_KEY: fromVariable,
  PDI_API_KEY_FILE: fromFile,
  'key-command': fromKeyCommand,
  'api-key': fromStoredKey,
};

function withheld({ profile, baseUrl }: KeyRequest, name: BoundName): PdiError {
  const owner = boundTo(profile.values, name);
  const what = `the ${name} stored in profile ${profile.name}`;
  if (owner !== undefined) {
    return new PdiError('auth', `${what} belongs to ${owner} and is not used for ${baseUrl}`, {
      billed: 'no',
      retryable: false,
      hint: `give the key for ${baseUrl} in PDI_API_KEY, or store it in a profile with that base URL`,
    });
  }
  const hint = `run pdi --profile ${profile.name} config set base-url ${baseUrl}, or give the key in PDI_API_KEY`;
  return new PdiError('auth', `${what} belongs to no base URL yet and is not used for ${baseUrl}`, {
    billed: 'no',
    retryable: false,
    hint,
  });
}

function missing(request: KeyRequest): PdiError {
  const stored = boundNames.find((name) => textOf(request.profile, name) !== undefined);
  if (stored !== undefined) return withheld(request, stored);
  return new PdiError('auth', `there is no API key for ${request.baseUrl}`, {
    billed: 'no',
    retryable: false,
    hint: 'run pdi config set api-key, or set PDI_API_KEY or PDI_API_KEY_FILE, or store a key-command',
  });
}

/** @throws PdiError `auth` without a key or when key-command fails, `internal`, `interrupted`, UsageError for a key that no header holds */
export async function resolveKey(request: KeyRequest): Promise<ResolvedKey> {
  for (const source of keySources(request.profileFlag)) {
    const found = await finders[source](request);
    if (found !== undefined) return found;
  }
  throw missing(request);
}
