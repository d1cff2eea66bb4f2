/** Finds the value of a setting in this run, and its source: flag, then environment, then profile, then default. */
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Setting } from './settings.ts';
import { quoted, readAt } from './values.ts';

/** The settings that a configuration file has under one name. */
export interface Profile {
  readonly name: string;
  readonly file: string;
  /** They are by setting name, as stored, with `api-key-for` and `key-command-for` (binding.ts). */
  readonly values: Readonly<Record<string, string | number>>;
}

export interface SettingSources {
  /** These are Commander's root options by camel-cased name. A missing or undefined one was not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Io['env'];
  /** It is absent while the profile itself is looked for, and for commands that change profiles. */
  readonly profile?: Profile | undefined;
}

type SettingSource = 'flag' | 'environment' | 'profile' | 'default';

export interface Resolved<T> {
  readonly value: T;
  readonly source: SettingSource;
  readonly where: string;
}

interface FoundSetting {
  readonly text: string;
  readonly source: SettingSource;
  readonly where: string;
  readonly place: string;
  readonly hint: string;
}

export const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function textOf(profile: Profile, name: string): string | undefined {
  const value = Object.hasOwn(profile.values, name) ? profile.values[name] : undefined;
  return value === undefined ? undefined : String(value);
}

export function variable(env: Io['env'], name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : env[name];
  return value === '' ? undefined : value;
}

/** @throws UsageError for a word that says neither yes nor no */
export function switchedOn(env: Io['env'], name: string): boolean {
  const word = (env[name] ?? '').trim();
  if (/^(1|true|yes)$/i.test(word)) return true;
  if (/^(0|false|no|)$/i.test(word)) return false;
  throw new UsageError(`${name}: expected 1, true or yes, or 0, false or no, got ${quoted(word)}`, {
    item: name,
    hint: `change ${name} or unset it`,
  });
}

function fromFlag({ name, flag }: Setting<unknown>, { flags }: SettingSources): FoundSetting | undefined {
  const key = camelCase(name);
  const value = flag !== undefined && Object.hasOwn(flags, key) ? flags[key] : undefined;
  if (value === undefined) return undefined;
  const where = `--${name}`;
  return { text: String(value), source: 'flag', where, place: where, hint: 'see pdi --help' };
}

function fromEnvironment({ environment }: Setting<unknown>, { env }: SettingSources): FoundSetting | undefined {
  const text = variable(env, environment);
  if (text === undefined || environment === undefined) return undefined;
  return { text, source: 'environment', where: environment, place: environment, hint: `change ${environment} or unset it` };
}

function fromProfile({ name, unstored }: Setting<unknown>, { profile }: SettingSources): FoundSetting | undefined {
  const text = unstored !== true && profile !== undefined ? textOf(profile, name) : undefined;
  if (text === undefined || profile === undefined) return undefined;
  const where = `profile ${profile.name}`;
  const hint = `run pdi --profile ${profile.name} config set ${name} VALUE, or config unset ${name}`;
  return { text, source: 'profile', where, place: `${profile.file}: ${where}: ${name}`, hint };
}

/** @throws UsageError for a bad value, naming the flag, the variable, or file, profile and key that it came from */
export function resolveSetting<T>(setting: Setting<T>, sources: SettingSources): Resolved<T> {
  const found = fromFlag(setting, sources) ?? fromEnvironment(setting, sources) ?? fromProfile(setting, sources);
  if (found === undefined) return { value: setting.fallback, source: 'default', where: 'default' };
  const { text, source, where, place, hint } = found;
  return { value: readAt(place, () => setting.parse(text), hint), source, where };
}
