/** Finds the value of a setting in this run, and its source: flag, then environment, then profile, then default. */
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Setting } from './settings.ts';
import { quoted, readAt } from './values.ts';

export interface Profile {
  readonly name: string;
  readonly file: string;
  /** They are by setting name, as stored, with `api-key-for` and `key-command-for` (base-url.ts). */
  readonly values: Readonly<Record<string, string | number>>;
}

export interface Resolved<T> {
  readonly value: T;
  readonly source: 'flag' | 'environment' | 'profile' | 'default';
  readonly where: string;
}

export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function textOf(profile: Profile, name: string): string | undefined {
  const value = Object.hasOwn(profile.values, name) ? profile.values[name] : undefined;
  return value === undefined ? undefined : String(value);
}

export function variable(env: Io['env'], name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : env[name];
  return value === '' ? undefined : value;
}

export function switchedOn(env: Io['env'], name: string): boolean {
  const word = (env[name] ?? '').trim();
  if (/^(1|true|yes)$/i.test(word)) return true;
  if (/^(0|false|no|)$/i.test(word)) return false;
  throw new UsageError(`${name}: expected 1, true or yes, or 0, false or no, got ${quoted(word)}`, {
    item: name,
    hint: `change ${name} or unset it`,
  });
}

/** There is no `profile` for commands that choose or change profiles. @throws UsageError naming where a bad value stands */
export function resolveSetting<T>(
  setting: Setting<T>,
  flags: Readonly<Record<string, unknown>>,
  env: Io['env'],
  profile?: Profile,
): Resolved<T> {
  const { name, flag, environment, unstored } = setting;
  const valueAt = (place: string, text: string, hint: string): T =>
    readAt(place, () => setting.parse(text), hint);
  const typed = flag === undefined ? undefined : flags[camelCase(name)];
  if (typed !== undefined) {
    const where = `--${name}`;
    return { value: valueAt(where, String(typed), 'see pdi --help'), source: 'flag', where };
  }
  const set = variable(env, environment);
  if (environment !== undefined && set !== undefined) {
    return {
      value: valueAt(environment, set, `change ${environment} or unset it`),
      source: 'environment',
      where: environment,
    };
  }
  const stored = unstored === true || profile === undefined ? undefined : textOf(profile, name);
  if (profile === undefined || stored === undefined)
    return { value: setting.fallback, source: 'default', where: 'default' };
  const where = `profile ${profile.name}`;
  const hint = `run pdi --profile ${profile.name} config set ${name} VALUE, or config unset ${name}`;
  return {
    value: valueAt(`${profile.file}: ${where}: ${name}`, stored, hint),
    source: 'profile',
    where,
  };
}
