/** `pdi config get`, `set` and `unset`: one value of one profile, checked before it is stored. */
import { PdiError, UsageError } from '../errors.ts';
import { bindingName, bindNew, isBoundName, pinned, type Rebound, rebind } from './binding.ts';
import { type ConfigFolder, type NextWhole, updateConfig } from './file.ts';
import { textOf } from './profile.ts';
import { type Setting, settings, storedSettings } from './settings.ts';
import { type Config, isRecord } from './store.ts';
import { parseProfileName, quoted } from './values.ts';

type Values = Readonly<Record<string, unknown>>;

/** The setting of that name. Throws UsageError listing the names when a profile holds no such setting. */
export function storedSetting(name: string): Setting<unknown> {
  const found = storedSettings.find((setting) => setting.name === name);
  if (found !== undefined) return found;
  const names = storedSettings.map((setting) => setting.name).join(', ');
  throw new UsageError(`there is no setting ${quoted(name)} in profiles`, { item: name, hint: `settings: ${names}` });
}

/** Numbers and texts are stored as they were read, in their one form; a command line as it was typed. */
function storedForm(setting: Setting<unknown>, text: string): string | number {
  try {
    const value = setting.parse(text);
    return typeof value === 'string' || typeof value === 'number' ? value : text.trim();
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    throw new UsageError(`${setting.name}: ${error.message}`, { item: setting.name, hint: error.details.hint });
  }
}

/** The profiles of a file that has been read: their shape is known to be right. */
function storedProfiles({ whole }: Config): Readonly<Record<string, unknown>> {
  return isRecord(whole.profiles) ? whole.profiles : {};
}

function storedValues(config: Config, profile: string): Values {
  const profiles = storedProfiles(config);
  const values = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  return isRecord(values) ? values : {};
}

/** A profile that holds nothing any more is dropped. */
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
  /** The base URL in force, which a key is bound to when the profile has none of its own. */
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

/**
 * Stores one value, making profile and file where there is none. Returns the stored form and notes for the user about keys
 * (binding.ts). Throws UsageError for an unknown name, a bad value, a bad profile name or a broken file, which stays as it is.
 */
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

/** Removes one value; false, with nothing written, when the profile did not have it. Throws as `setValue`. */
export async function unsetValue(request: Omit<SetValue, 'text' | 'baseUrl'>): Promise<boolean> {
  const { profile, name } = request;
  storedSetting(name);
  return updateConfig(request, (config) => {
    const values = storedValues(config, profile);
    if (!Object.hasOwn(values, name)) return { result: false };
    return { next: withValues(config, profile, without(values, name)), result: true };
  });
}

/** What a profile stores under a name, unmasked; undefined where it stores nothing. Throws UsageError for an unknown name. */
export function getValue(config: Config, profile: string, name: string): string | undefined {
  storedSetting(name);
  const found = config.profiles.get(profile);
  return found === undefined ? undefined : textOf(found, name);
}
