/** What each setting is in this run, and where it comes from. */
import { readFileSync } from 'node:fs';
import { boundNames, boundTo } from '../config/base-url.ts';
import { findKey } from '../config/key.ts';
import { maskKey } from '../config/mask.ts';
import { type Resolved, textOf } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import { parseKey } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import type { Choices } from './choices.ts';

/** The key is masked. @throws UsageError for a setting with an invalid value */
export function settingLines(choices: Choices): readonly object[] {
  const profile = choices.selectedProfile();
  const stored = storedSettings.map((setting) => {
    if (setting.name === settings.apiKey.name) return { setting: setting.name, ...keyShown(choices) };
    const resolved = choices.resolved(setting);
    // Without its quotes it would be another command.
    const value = setting.name === settings.keyCommand.name ? textOf(choices.profile(), setting.name) : resolved.value;
    return { setting: setting.name, value: value === undefined ? null : String(value), source: sourceOf(resolved) };
  });
  return [{ setting: settings.profile.name, value: profile.value, source: sourceOf(profile) }, ...stored];
}

/** The formula guard of csv puts an apostrophe before a cell that begins with `--`, so the word `flag` comes first. */
const sourceOf = ({ source, where }: Resolved<unknown>): string => (source === 'flag' ? `flag ${where}` : where);

export function profileLines(choices: Choices): readonly object[] {
  const { profiles } = choices.config();
  const selected = choices.selectedProfile().value;
  return [...new Set([...profiles.keys(), 'default'])].sort().map((profile) => ({
    profile,
    selected: profile === selected ? 'yes' : 'no',
    base_url: profiles.get(profile)?.values['base-url'] ?? null,
  }));
}

function keyShown(choices: Choices) {
  const found = keyFound(choices);
  if (found?.source === 'PDI_API_KEY') return { value: masked(() => found.text), source: found.source };
  if (found?.source === 'PDI_API_KEY_FILE')
    return { value: masked(() => readFileSync(found.text, 'utf8')), source: `${found.source} (${found.text})` };
  const profile = choices.profile();
  if (found?.source === 'key-command') return { value: null, source: `key-command of profile ${profile.name}, not run here` };
  // A key that is stored may be one that this run has no use for.
  const stored = found?.source ?? boundNames.find((name) => textOf(profile, name) !== undefined);
  if (stored === undefined) return { value: null, source: 'default' };
  const owner = boundTo(profile.values, stored);
  const baseUrl = found === undefined ? choices.setting(settings.baseUrl) : undefined;
  const belongs = owner === undefined ? 'belongs to no base URL yet' : `belongs to ${owner}`;
  const fate = `profile ${profile.name}, ${belongs}${baseUrl === undefined ? '' : `, not used for ${baseUrl}`}`;
  if (stored === 'key-command') return { value: null, source: `key-command of ${fate}` };
  return { value: masked(() => textOf(profile, stored) ?? ''), source: fate };
}

/** Where the key comes from in this run, and what stands there; undefined where there is none. */
export const keyFound = (choices: Choices) =>
  findKey({
    env: choices.io.env,
    profileFlag: choices.selectedProfile().source === 'flag',
    profile: choices.profile(),
    baseUrl: choices.setting(settings.baseUrl),
  });

/** The list shows what is wrong, and does not fail because of it. */
function masked(read: () => string): string {
  try {
    return maskKey(parseKey(read()));
  } catch (error) {
    return error instanceof UsageError ? '(not a key)' : '(unreadable)';
  }
}
