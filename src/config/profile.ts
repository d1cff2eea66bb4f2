/** A profile holds the settings that a configuration file has under one name. */

export interface Profile {
  readonly name: string;
  readonly file: string;
  /** They are by setting name, as stored, with `api-key-for` and `key-command-for` (binding.ts). */
  readonly values: Readonly<Record<string, string | number>>;
}

export function textOf(profile: Profile, name: string): string | undefined {
  const value = Object.hasOwn(profile.values, name) ? profile.values[name] : undefined;
  return value === undefined ? undefined : String(value);
}
