/** `pdi config list`: each setting, its value in this run, and who set it; `pdi config profiles`. */
import type { Resolved } from '../../config/resolve.ts';
import { settings, storedSettings } from '../../config/settings.ts';
import type { Context } from '../context.ts';
import { printRows, textColumns } from '../print.ts';
import { keyShown } from './key-line.ts';

interface SettingLine {
  readonly setting: string;
  /** Null where nobody set it and there is no default. */
  readonly value: string | null;
  readonly source: string;
}

export async function printSettings(context: Context): Promise<void> {
  await context.openConfig();
  await printRows(context, textColumns('setting', 'value', 'source'), settingLines(context));
}

/** The profiles with their base URLs, and which one is in use. */
export async function printProfiles(context: Context): Promise<void> {
  await context.openConfig();
  const selected = context.selectedProfile().value;
  const names = new Set([...context.config().profiles.keys(), 'default']);
  const rows = [...names].sort().map((profile) => ({
    profile,
    selected: profile === selected ? 'yes' : 'no',
    base_url: context.config().profiles.get(profile)?.values['base-url'] ?? null,
  }));
  await printRows(context, textColumns('profile', 'selected', 'base_url'), rows);
}

/** The profile first, then what profiles may hold. */
function settingLines(context: Context): readonly SettingLine[] {
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
