/** What `pdi config list` shows: each setting, its value in this run, and who set it. */
import { boundTo } from '../config/binding.ts';
import { maskKey } from '../config/mask.ts';
import { textOf } from '../config/profile.ts';
import { variable } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import type { Context } from '../context.ts';

export interface SettingLine {
  readonly setting: string;
  /** Null where nobody set it and there is no default. */
  readonly value: string | null;
  readonly source: string;
}

/** The profile first, then what profiles may hold, then the keys of the environment. */
export function listSettings(context: Context): readonly SettingLine[] {
  const { value, where } = context.selectedProfile();
  const stored = storedSettings.map((setting): SettingLine => {
    if (setting.name === settings.apiKey.name) return storedKey(context);
    const resolved = context.resolved(setting);
    return { setting: setting.name, value: shown(resolved.value), source: resolved.where };
  });
  return [{ setting: settings.profile.name, value, source: where }, ...stored, ...environmentKeys(context)];
}

const shown = (value: unknown): string | null => (value === undefined ? null : Array.isArray(value) ? value.join(' ') : String(value));

function storedKey(context: Context): SettingLine {
  const profile = context.profile();
  const key = textOf(profile, settings.apiKey.name);
  const owner = boundTo(profile.values, 'api-key');
  const belongs = owner === undefined ? 'belongs to no base URL yet' : `belongs to ${owner}`;
  return {
    setting: settings.apiKey.name,
    value: key === undefined ? null : maskKey(key),
    source: key === undefined ? 'default' : `profile ${profile.name}, ${belongs}`,
  };
}

function environmentKeys({ io }: Context): readonly SettingLine[] {
  const key = variable(io.env, 'PDI_API_KEY');
  const file = variable(io.env, 'PDI_API_KEY_FILE');
  return [
    ...(key === undefined ? [] : [{ setting: 'api-key', value: maskKey(key), source: 'PDI_API_KEY' }]),
    ...(file === undefined ? [] : [{ setting: 'api-key', value: file, source: 'PDI_API_KEY_FILE' }]),
  ];
}
