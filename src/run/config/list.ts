/** `pdi config list` prints each setting with its value and source; `pdi config profiles` prints the profiles. */
import type { Resolved } from '../../config/resolve.ts';
import { settings, storedSettings } from '../../config/settings.ts';
import type { Context } from '../context.ts';
import { printRows, textColumns } from '../print.ts';
import { keyShown } from './key-line.ts';

interface SettingLine {
  readonly setting: string;
  readonly value: string | null;
  readonly source: string;
}

export async function printSettings(context: Context): Promise<void> {
  await context.openConfig();
  await printRows(context, textColumns('setting', 'value', 'source'), settingLines(context));
}

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

function settingLines(context: Context): readonly SettingLine[] {
  const profile = context.selectedProfile();
  const stored = storedSettings.map((setting): SettingLine => {
    if (setting.name === settings.apiKey.name) return { setting: setting.name, ...keyShown(context) };
    const resolved = context.resolved(setting);
    return { setting: setting.name, value: shown(resolved.value), source: sourceOf(resolved) };
  });
  return [{ setting: settings.profile.name, value: profile.value, source: sourceOf(profile) }, ...stored];
}

/** The formula guard of csv puts an apostrophe before a cell that begins with `--`, so the word `flag` comes first. */
const sourceOf = ({ source, where }: Resolved<unknown>): string => (source === 'flag' ? `flag ${where}` : where);

const shown = (value: unknown): string | null => (value === undefined ? null : Array.isArray(value) ? value.join(' ') : String(value));
