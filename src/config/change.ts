/** Does `pdi config get`, `set` and `unset`: one value of one profile, checked before it is stored. */
import { PdiError, UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { bindingName, bindNew, isBoundName, pinned, type Rebound, rebind } from './binding.ts';
import { type ConfigFolder, type NextWhole, updateConfig } from './config-file.ts';
import { textOf } from './profile.ts';
import type { Config } from './read-config.ts';
import { type Setting, settings, storedSettings } from './settings.ts';
import { parseProfileName, quoted } from './values.ts';

type Values = Readonly<Record<string, unknown>>;

/** @throws UsageError listing the names when a profile holds no such setting */
export function storedSetting(name: string): Setting<unknown> {
  const found = storedSettings.find((setting) => setting.name === name);
  if (found !== undefined) return found;
  const names = storedSettings.map((setting) => setting.name).join(', ');
  // What follows may be a key.
  const shown = name.replace(/=.*$/s, '=…');
  const hint = shown === name ? `settings: ${names}` : `write NAME VALUE, with a blank between; settings: ${names}`;
  throw new UsageError(`there is no setting ${quoted(shown)} in profiles`, { item: shown, hint });
}

/** Numbers and texts are stored in their one form, and a command line as it was typed. */
function storedForm(setting: Setting<unknown>, text: string): string | number {
  try {
    const value = setting.parse(text);
    return typeof value === 'string' || typeof value === 'number' ? value : text.trim();
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    throw new UsageError(`${setting.name}: ${error.message}`, { item: setting.name, hint: error.details.hint });
  }
}

function storedProfiles({ whole }: Config): Readonly<Record<string, unknown>> {
  return isObject(whole.profiles) ? whole.profiles : {};
}

function storedValues(config: Config, profile: string): Values {
  const profiles = storedProfiles(config);
  const values = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  return isObject(values) ? values : {};
}

function withValues(config: Config, profile: string, values: Values): NextWhole {
  const others = Object.entries(storedProfiles(config)).filter(([name]) => name !== profile);
  const kept = Object.keys(values).length === 0 ? others : [...others, [profile, values] as const];
  const inOrder = kept.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...config.whole, profiles: Object.fromEntries(inOrder) };
}

interface SetValue extends ConfigFolder {
  readonly profile: string;
  readonly name: string;
  readonly text: string;
  /** A key is bound to this base URL when the profile has none of its own. */
  readonly baseUrl?: string | undefined;
}

function changed(values: Values, name: string, value: string | number, baseUrl: string | undefined): Rebound {
  const { values: bound, notes } = isBoundName(name)
    ? bindNew(values, name, baseUrl)
    : name === settings.baseUrl.name
      ? rebind(values, String(value))
      : { values, notes: [] };
  return { values: { ...bound, [name]: value }, notes };
}

/** Gives the stored form, and notes about keys. @throws UsageError for a bad name, value or profile name, or for a broken file */
export async function setValue(request: SetValue): Promise<{ readonly value: string | number; readonly notes: readonly string[] }> {
  const { name, text, baseUrl } = request;
  const profile = parseProfileName(request.profile);
  const value = storedForm(storedSetting(name), text);
  return updateConfig(request, (config) => {
    const { values, notes } = changed(storedValues(config, profile), name, value, baseUrl);
    return { next: withValues(config, profile, values), result: { value, notes } };
  });
}

function without(values: Values, name: string): Values {
  const kept = name === settings.baseUrl.name ? pinned(values) : values;
  const gone = new Set(isBoundName(name) ? [name, bindingName(name)] : [name]);
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !gone.has(key)));
}

/** Gives false, with nothing written, when the profile did not have the value. Throws as `setValue`. */
export async function unsetValue(request: Omit<SetValue, 'text' | 'baseUrl'>): Promise<boolean> {
  const { profile, name } = request;
  storedSetting(name);
  return updateConfig(request, (config) => {
    const values = storedValues(config, profile);
    if (!Object.hasOwn(values, name)) return { result: false };
    return { next: withValues(config, profile, without(values, name)), result: true };
  });
}

/** Gives the stored text unmasked; undefined where there is none. @throws UsageError for an unknown name */
export function getValue(config: Config, profile: string, name: string): string | undefined {
  storedSetting(name);
  const found = config.profiles.get(profile);
  return found === undefined ? undefined : textOf(found, name);
}
