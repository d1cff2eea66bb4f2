/** What each setting is in this run, and where it comes from. */
import type { Resolved } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import type { Choices } from './choices.ts';
import { keyShown } from './key-shown.ts';

interface SettingLine {
  readonly setting: string;
  readonly value: string | null;
  readonly source: string;
}

/** The key is masked. @throws UsageError for a setting with an invalid value */
export function settingLines(choices: Choices): readonly SettingLine[] {
  const profile = choices.selectedProfile();
  const stored = storedSettings.map((setting): SettingLine => {
    if (setting.name === settings.apiKey.name) return { setting: setting.name, ...keyShown(choices) };
    const resolved = choices.resolved(setting);
    return { setting: setting.name, value: shown(resolved.value), source: sourceOf(resolved) };
  });
  return [{ setting: settings.profile.name, value: profile.value, source: sourceOf(profile) }, ...stored];
}

/** The formula guard of csv puts an apostrophe before a cell that begins with `--`, so the word `flag` comes first. */
const sourceOf = ({ source, where }: Resolved<unknown>): string => (source === 'flag' ? `flag ${where}` : where);

const shown = (value: unknown): string | null => (value === undefined ? null : Array.isArray(value) ? value.join(' ') : String(value));

export function profileLines(choices: Choices): readonly object[] {
  const { profiles } = choices.config();
  const selected = choices.selectedProfile().value;
  return [...new Set([...profiles.keys(), 'default'])].sort().map((profile) => ({
    profile,
    selected: profile === selected ? 'yes' : 'no',
    base_url: profiles.get(profile)?.values['base-url'] ?? null,
  }));
}
