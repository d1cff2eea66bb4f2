/** The configuration file as any command reads it: plain JSON, no library. `pdi config` reads and writes it in file.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { reasonOf } from '../files/reasons.ts';
import { isNestedTooDeep, maxDepth } from '../json/depth.ts';
import { bindingName, boundNames } from './binding.ts';
import { syntaxErrorPosition } from './json-position.ts';
import type { Profile } from './profile.ts';
import type { Resolved } from './resolve.ts';
import { storedSettings } from './settings.ts';

export interface Config {
  readonly file: string;
  /** The file's whole object, also what this version knows nothing about: it survives a write. Empty when there is no file. */
  readonly whole: Readonly<Record<string, unknown>>;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const configFile = (directory: string): string => join(directory, 'config.json');

/** A file that the system does not let us read or write; its own words and code, no content. */
export function fileFailure(action: string, file: string, error: unknown): PdiError {
  return new PdiError('internal', `cannot ${action} ${file}: ${reasonOf(error)}`, {
    item: file,
    billed: 'no',
    hint: 'check that the path is right and that you have permission',
  });
}

/** Undefined when there is no file. */
function textOfFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw fileFailure('read', file, error);
  }
}

/** The parser's own message is not passed on: it quotes the file, which may hold a key. */
function broken(file: string, problem: string): UsageError {
  return new UsageError(`${file}: ${problem}; nothing was changed`, {
    item: file,
    hint: 'correct the file by hand, or move it away and set your values again with pdi config set',
  });
}

/** The object that the file's text is. Throws UsageError naming the file and the place. */
export function objectIn(file: string, text: string): Record<string, unknown> {
  const whole = parsed(file, text.replace(/^\uFEFF/, ''));
  if (!isRecord(whole)) throw broken(file, 'expected a JSON object');
  return whole;
}

function parsed(file: string, text: string): unknown {
  if (isNestedTooDeep(text)) throw broken(file, `nested deeper than ${maxDepth} levels`);
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = syntaxErrorPosition(text);
    throw broken(file, `line ${line}, column ${column}: not valid JSON`);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isScalar = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const knownNames: ReadonlySet<string> = new Set([...storedSettings.map(({ name }) => name), ...boundNames.map(bindingName)]);

/** Names that a profile gives a meaning to must be text or numbers; other names may hold anything. */
function profileOf(file: string, name: string, stored: unknown): Profile {
  if (!isRecord(stored)) throw broken(file, `profiles.${name} must be an object`);
  const wrong = Object.keys(stored).find((key) => knownNames.has(key) && !isScalar(stored[key]));
  if (wrong !== undefined) throw broken(file, `profiles.${name}.${wrong} must be a text or a number`);
  const scalars = Object.entries(stored).filter((entry): entry is [string, string | number] => isScalar(entry[1]));
  return { name, file, values: Object.fromEntries(scalars) };
}

/** What a folder without a file holds. */
export const emptyConfig = (directory: string): Config => ({ file: configFile(directory), whole: {}, profiles: new Map() });

/**
 * The configuration in a folder; no file is an empty configuration. Throws UsageError, naming the file and the place, when
 * it is not JSON or not shaped as `{"profiles": {NAME: {SETTING: VALUE}}}`; PdiError `internal` when it cannot be read.
 */
export function readConfig(directory: string): Config {
  const file = configFile(directory);
  const text = textOfFile(file);
  if (text === undefined) return emptyConfig(directory);
  return configOf(file, objectIn(file, text));
}

/** The configuration that a whole object is. Throws UsageError where it has another shape. */
export function configOf(file: string, whole: Readonly<Record<string, unknown>>): Config {
  const stored = whole.profiles ?? {};
  if (!isRecord(stored)) throw broken(file, 'profiles must be an object');
  const profiles = Object.entries(stored).map(([name, values]) => [name, profileOf(file, name, values)] as const);
  return { file, whole, profiles: new Map(profiles) };
}

/**
 * The profile that `settings.profile` resolved to. One that does not exist is empty when nobody asked for it by name, and a
 * UsageError listing the others when somebody did; `default` always exists.
 */
export function selectProfile(config: Config, selected: Resolved<string>): Profile {
  const { value: name, source, where } = selected;
  const found = config.profiles.get(name);
  if (found !== undefined) return found;
  if (source === 'default' || name === 'default') return { name, file: config.file, values: {} };
  const names = [...config.profiles.keys()].join(', ');
  throw new UsageError(`${where}: there is no profile ${name} in ${config.file}`, {
    item: name,
    hint: `${names === '' ? 'no profile exists yet' : `profiles: ${names}`}; pdi --profile ${name} config set NAME VALUE creates it`,
  });
}
