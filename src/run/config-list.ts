/** What `pdi config list` shows: each setting, its value in this run, and who set it. */
import type { Resolved } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import type { Context } from './context.ts';
import { keyShown } from './key-line.ts';

export interface SettingLine {
  readonly setting: string;
  /** Null where nobody set it and there is no default. */
  readonly value: string | null;
  readonly source: string;
}

/** The profile first, then what profiles may hold. */
export function listSettings(context: Context): readonly SettingLine[] {
  const profile = context.selectedProfile();
  const stored = storedSettings.map((setting): SettingLine => {
    if (setting.name === settings.apiKey.name) return { setting: setting.name, ...keyShown(context) };
    const resolved = context.resolved(setting);
    return { setting: setting.name, value: shown(resolved.value), source: sourceOf(resolved) };
  });
  return [{ setting: settings.profile.name, value: profile.value, source: sourceOf(profile) }, ...stored];
}

/** A cell that began with `--` would get the apostrophe of the formula guard in csv. */
const sourceOf = ({ source, where }: Resolved<unknown>): string => (source === 'flag' ? `flag ${where}` : where);

const shown = (value: unknown): string | null => (value === undefined ? null : Array.isArray(value) ? value.join(' ') : String(value));
