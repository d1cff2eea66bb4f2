/** A profile: the settings that a configuration file holds under one name. */

export interface Profile {
  readonly name: string;
  /** The configuration file, for messages. */
  readonly file: string;
  /** By setting name, as stored; also `api-key-for` and `key-command-for`, see binding.ts. */
  readonly values: Readonly<Record<string, string | number>>;
}

/** A stored value as text; undefined where the profile has none. */
export function textOf(profile: Profile, name: string): string | undefined {
  const value = Object.hasOwn(profile.values, name) ? profile.values[name] : undefined;
  return value === undefined ? undefined : String(value);
}
