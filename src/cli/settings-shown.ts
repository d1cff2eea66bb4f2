/** What each setting is in this run, and where it comes from. */

import { readFileSync } from 'node:fs';
import { boundNames, boundTo } from '../config/binding.ts';
import { type KeySource, keySources, usable } from '../config/key.ts';
import { maskKey } from '../config/mask.ts';
import { textOf } from '../config/profile.ts';
import { type Resolved, variable } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import { parseKey } from '../config/values.ts';
import type { Choices } from './choices.ts';

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

interface KeyShown {
  readonly value: string | null;
  readonly source: string;
}

function keyShown(choices: Choices): KeyShown {
  const source = keySourceOf(choices);
  const found = source && finders[source](choices);
  return found ?? withheld(choices) ?? { value: null, source: 'default' };
}

/** Where the key comes from in this run; undefined where there is none. */
export const keySourceOf = (choices: Choices): KeySource | undefined =>
  keySources(choices.selectedProfile().source === 'flag').find((source) => finders[source](choices) !== undefined);

function fromVariable({ io }: Choices): KeyShown | undefined {
  const key = variable(io.env, 'PDI_API_KEY');
  return key === undefined ? undefined : { value: masked(key), source: 'PDI_API_KEY' };
}

function fromFile({ io }: Choices): KeyShown | undefined {
  const file = variable(io.env, 'PDI_API_KEY_FILE');
  return file === undefined ? undefined : { value: maskedIn(file), source: `PDI_API_KEY_FILE (${file})` };
}

/** The list shows what is wrong, and does not fail because of it. */
function maskedIn(file: string): string {
  try {
    return masked(readFileSync(file, 'utf8'));
  } catch {
    return '(unreadable)';
  }
}

function masked(text: string): string {
  try {
    return maskKey(parseKey(text));
  } catch {
    return '(not a key)';
  }
}

const inquiry = (choices: Choices) => ({ profile: choices.profile(), baseUrl: choices.resolved(settings.baseUrl).value });

function fromKeyCommand(choices: Choices): KeyShown | undefined {
  if (usable(inquiry(choices), 'key-command') === undefined) return undefined;
  return { value: null, source: `key-command of profile ${choices.profile().name}, not run here` };
}

function fromStoredKey(choices: Choices): KeyShown | undefined {
  const key = usable(inquiry(choices), 'api-key');
  if (key === undefined) return undefined;
  const { name, values } = choices.profile();
  return { value: masked(key), source: `profile ${name}, belongs to ${boundTo(values, 'api-key')}` };
}

const finders: Readonly<Record<KeySource, (choices: Choices) => KeyShown | undefined>> = {
  PDI_API_KEY: fromVariable,
  PDI_API_KEY_FILE: fromFile,
  'key-command': fromKeyCommand,
  'api-key': fromStoredKey,
};

function withheld(choices: Choices): KeyShown | undefined {
  const { profile, baseUrl } = inquiry(choices);
  const { name, values } = profile;
  for (const stored of boundNames) {
    const text = textOf(profile, stored);
    if (text === undefined) continue;
    const owner = boundTo(values, stored);
    const belongs = owner === undefined ? 'belongs to no base URL yet' : `belongs to ${owner}`;
    const fate = `profile ${name}, ${belongs}${baseUrl === undefined ? '' : `, not used for ${baseUrl}`}`;
    return stored === 'api-key' ? { value: masked(text), source: fate } : { value: null, source: `key-command of ${fate}` };
  }
  return undefined;
}
