/** Reads the configuration file for any command as plain JSON. change.ts writes it. */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PdiError, shellWord, systemCodeOf, UsageError } from '../errors.ts';
import { mendingOf, modesIn, ownUser, reasonOf, stickyBit } from '../files/private.ts';
import { ExactNumber, faultIn, isObject, maxDepth, parseJson } from '../json/exact.ts';
import { nearestFirst } from '../rows/nearest.ts';
import { bindingName, boundNames } from './base-url.ts';
import type { Profile, Resolved } from './resolve.ts';
import { storedSettings } from './settings.ts';

interface Config {
  readonly file: string;
  /** It is the file's whole object, so that fields unknown to this version survive a write. It is empty when there is no file. */
  readonly whole: Readonly<Record<string, unknown>>;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const configFile = (directory: string): string => join(directory, 'config.json');

/** The message holds the system's words, but no content of the file. */
export function fileFailure(action: string, file: string, error: unknown): PdiError {
  const { hint, retryable } = mendingOf(error);
  return new PdiError('internal', `cannot ${action} ${file}: ${reasonOf(error)}`, {
    item: file,
    billed: 'no',
    hint: retryable ? hint : 'check that the path is right and that you have permission',
    retryable,
  });
}

function textOfFile(file: string): string | undefined {
  try {
    // A named pipe may never send anything.
    if (statSync(file).isFIFO()) throw new Error('it is not a regular file');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw fileFailure('read', file, error);
  }
}

const writableForOthers = 0o022;

/** Its key-command is run and its base URL gets the key, so nobody else may write or replace it. @throws UsageError naming file or folder */
export function refuseUntrusted(file: string): void {
  const user = ownUser();
  if (user < 0 || !existsSync(file)) return;
  for (const path of new Set([file, dirname(file), dirname(realpathSync(file))])) {
    const { uid, mode } = statSync(path);
    const isFolder = path !== file;
    // In a shared folder with the sticky bit, such as /tmp, nobody can replace the file of another.
    const isOpen = (mode & writableForOthers) !== 0 && !(isFolder && (mode & stickyBit) !== 0);
    if (isOpen && modesIn(dirname(path)) === 'open') throw onOpenDisk(file);
    if (isOpen)
      throw untrusted(
        file,
        `${path} can be written by others`,
        `read what the file says, then \`chmod go-w ${shellWord(path)}\``,
      );
    if (uid === user || uid === 0) continue;
    const copy =
      'read what it says, and make a copy of your own, or name another folder with PDI_CONFIG_DIR';
    throw untrusted(file, `${path} belongs to another user`, copy);
  }
}

/** A mode that the disk does not take protects nothing, and its owner cannot mend it there. */
export const onOpenDisk = (file: string): UsageError =>
  new UsageError(
    `${file} is on a disk that keeps no modes, as one of Windows, of a network or exFAT: others may read and write it`,
    { item: file, hint: 'name a folder on a disk of this machine with PDI_CONFIG_DIR' },
  );

const untrusted = (file: string, problem: string, hint: string): UsageError =>
  new UsageError(`${file} is not used: ${problem}, so its key-command and base URL may be theirs`, {
    item: file,
    hint,
  });

/** The parser's own message is not passed on, because it quotes the file, which may hold a key. */
function broken(file: string, problem: string): UsageError {
  return new UsageError(`${file}: ${problem}; nothing was changed`, {
    item: file,
    hint: 'correct the file by hand, or move it away and set your values again with pdi config set',
  });
}

/** Gives the object in the file's text. @throws UsageError naming the file and the place */
export function objectIn(file: string, text: string): Record<string, unknown> {
  const whole = parsed(file, text.replace(/^\uFEFF/, ''));
  if (!isObject(whole)) throw broken(file, 'expected a JSON object');
  return whole;
}

function parsed(file: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw broken(file, `nested deeper than ${maxDepth} levels`);
    const lines = text.slice(0, faultIn(text).at).split('\n');
    throw broken(
      file,
      `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}: not valid JSON`,
    );
  }
}

/** A text or a number; of a long number every digit counts, because a key may be one. */
const scalarIn = (value: unknown): string | number | undefined =>
  value instanceof ExactNumber
    ? String(value)
    : typeof value === 'string' || typeof value === 'number'
      ? value
      : undefined;

const knownNames: ReadonlySet<string> = new Set([
  ...storedSettings.map(({ name }) => name),
  ...boundNames.map(bindingName),
]);

function profileOf(file: string, name: string, stored: unknown): Profile {
  if (!isObject(stored)) throw broken(file, `profiles.${name} must be an object`);
  const wrong = Object.keys(stored).find(
    (key) => knownNames.has(key) && scalarIn(stored[key]) === undefined,
  );
  if (wrong !== undefined)
    throw broken(file, `profiles.${name}.${wrong} must be a text or a number`);
  const scalars = Object.entries(stored).flatMap(([key, value]) => {
    const scalar = scalarIn(value);
    return scalar === undefined ? [] : [[key, scalar] as const];
  });
  return { name, file, values: Object.fromEntries(scalars) };
}

export const emptyConfig = (directory: string): Config => ({
  file: configFile(directory),
  whole: {},
  profiles: new Map(),
});

/** No file is an empty configuration. @throws UsageError where it is not JSON or has another shape, PdiError `internal` when unreadable */
export function readConfig(directory: string): Config {
  const file = configFile(directory);
  refuseUntrusted(file);
  const text = textOfFile(file);
  if (text === undefined) return emptyConfig(directory);
  const whole = objectIn(file, text);
  const stored = whole.profiles ?? {};
  if (!isObject(stored)) throw broken(file, 'profiles must be an object');
  const profiles = Object.entries(stored).map(
    ([name, values]) => [name, profileOf(file, name, values)] as const,
  );
  return { file, whole, profiles: new Map(profiles) };
}

/** Names written by hand that nobody reads, such as `profiles.default.max_billable`. A newer pdi may know them. */
export function unknownNames({ whole: { profiles } }: Config): readonly string[] {
  const named = (values: unknown) =>
    isObject(values) ? Object.keys(values).filter((name) => !knownNames.has(name)) : [];
  return Object.entries(isObject(profiles) ? profiles : {}).flatMap(([profile, values]) =>
    named(values).map((name) => `profiles.${profile}.${name}`),
  );
}

/** A profile that does not exist is empty when it is `default` or was not asked for. @throws UsageError when it was asked for by name */
export function selectProfile(config: Config, selected: Resolved<string>): Profile {
  const { value: name, source, where } = selected;
  const found = config.profiles.get(name);
  if (found !== undefined) return found;
  if (source === 'default' || name === 'default') return { name, file: config.file, values: {} };
  const names = config.profiles.size === 0 ? '' : nearestFirst(name, [...config.profiles.keys()]);
  throw new UsageError(`${where}: there is no profile ${name} in ${config.file}`, {
    item: name,
    hint: `${names === '' ? 'no profile exists yet' : `profiles: ${names}`}; pdi --profile ${name} config set NAME VALUE creates it`,
  });
}
