/** What `pdi config` does with a profile: it stores, removes and shows settings, and says where the values of this run come from. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { askHidden } from '../config/ask.ts';
import { boundNames, boundTo, checkBaseUrl, normalBaseUrl } from '../config/base-url.ts';
import { setValue, storedSetting, unsetValue } from '../config/change.ts';
import { findKey } from '../config/key.ts';
import { maskKey } from '../config/mask.ts';
import { configFile } from '../config/read-config.ts';
import { type Resolved, textOf } from '../config/resolve.ts';
import { settings, storedSettings } from '../config/settings.ts';
import { isPostgresUrl, parseBookName, parseKey, readAt } from '../config/values.ts';
import { attempt, orFailure, PdiError, UsageError, withMoreHint } from '../errors.ts';
import { wholeText } from '../input/content.ts';
import { isJsonFormat } from '../output/formats.ts';
import type { Tools } from '../road/tools.ts';
import type { Choices } from './choices.ts';

export const profileToChange = (choices: Choices) => ({
  directory: choices.configDirectory(),
  profile: choices.selectedProfile().value,
  baseUrl: choices.withoutProfile(settings.baseUrl).value,
  allowsHttp: choices.flags.allowHttp === true,
  timeoutMs: Math.ceil(choices.withoutProfile(settings.timeout).value * 1000),
});

/** Stores `value`, or reads or asks for one. @throws UsageError for an invalid value, or a key on the command line */
export async function setSetting(
  choices: Choices,
  tools: Tools,
  written: string,
  value: string | undefined,
): Promise<void> {
  const { directory, profile, baseUrl, allowsHttp } = profileToChange(choices);
  const { name } = storedSetting(written);
  const isKey = name === settings.apiKey.name;
  const given =
    value === '-'
      ? (await wholeText('-', tools.io, tools.stop)).trim()
      : await valueToSet(name, value, isKey, tools);
  // Every folder has the same profile, and all runs with it are to have the same book.
  const text = name === settings.book.name ? bookIn(tools.io.currentDirectory(), given) : given;
  const changed = name === settings.baseUrl.name ? normalBaseUrl(text) : undefined;
  if (changed !== undefined) checkBaseUrl(changed, allowsHttp);
  for (const note of await setValue({ directory, profile, name, text, baseUrl }))
    tools.say.notice(note);
  if (name === settings.book.name && isPostgresUrl(text)) await reachBook(text, tools);
}

/** Who names it first makes its tables. @throws PdiError where it cannot be used now */
async function reachBook(url: string, { bookAt, say }: Tools): Promise<void> {
  const found = await orFailure(async () => (await bookAt(url).open()).check());
  if (found instanceof PdiError)
    throw withMoreHint(found, 'the setting is stored: `pdi config check` tries it again');
  say.notice(`${url}: ${found}`);
}

function bookIn(folder: string, text: string): string {
  const path = readAt(settings.book.name, () => parseBookName(text));
  return isPostgresUrl(path) ? path : resolve(folder, path);
}

/** A key is never accepted as an argument, because it would stay in the shell history and in the list of processes. */
async function valueToSet(
  name: string,
  value: string | undefined,
  isKey: boolean,
  tools: Tools,
): Promise<string> {
  if (!isKey) {
    if (value !== undefined) return value;
    throw new UsageError(`there is no value for ${name}`, {
      hint: `run \`pdi config set ${name} VALUE\``,
    });
  }
  const pipe = `pdi config set ${name} -`;
  if (value !== undefined) {
    const hint = `run \`pdi config set ${name}\` and type it, or pipe it: ${pipe}`;
    throw new UsageError(`${name} is not taken from the command line, where others could read it`, {
      hint,
    });
  }
  if (tools.mayAsk) return askHidden(tools.io, `${name} (not shown): `, tools.stop);
  throw new UsageError(
    `${name} cannot be asked for: there is no terminal, or asking is forbidden`,
    { hint: `pipe it: ${pipe}` },
  );
}

export async function unsetSetting(choices: Choices, { say }: Tools, name: string): Promise<void> {
  const profile = choices.selectedProfile().value;
  if (!(await unsetValue({ directory: choices.configDirectory(), profile, name })))
    say.notice(`profile ${profile} has no ${name}`);
}

/** Gives the setting; a key is masked. @throws PdiError `not_found` if it is not stored */
export function shownSetting(choices: Choices, written: string): string {
  const { name } = storedSetting(written);
  const isKey = name === settings.apiKey.name;
  const profile = choices.selectedProfile().value;
  const stored = choices.config().profiles.get(profile);
  const value = stored && textOf(stored, name);
  if (value !== undefined) return bareText(choices, isKey ? maskKey(value) : value);
  const hint = isKey
    ? `run \`pdi config set ${name}\`, which asks for it`
    : `run \`pdi config set ${name} VALUE\``;
  throw new PdiError('not_found', `profile ${profile} has no ${name}`, { item: name, hint });
}

export const shownPath = (choices: Choices): string =>
  bareText(choices, configFile(choices.configDirectory()));

/** Scripts need a bare value, so it is JSON only if the format flag asks for JSON. */
function bareText(choices: Choices, shown: string): string {
  const { value, source } = choices.withoutProfile(settings.output);
  return source === 'flag' && value !== undefined && isJsonFormat(value)
    ? JSON.stringify(shown)
    : shown;
}

export function settingLines(choices: Choices): readonly object[] {
  const profile = choices.selectedProfile();
  const stored = storedSettings.map((setting) => {
    if (setting.name === settings.apiKey.name)
      return { setting: setting.name, ...keyShown(choices) };
    const resolved = choices.resolved(setting);
    // Without its quotes it would be another command.
    const value =
      setting.name === settings.keyCommand.name
        ? textOf(choices.profile(), setting.name)
        : resolved.value;
    return {
      setting: setting.name,
      value: value === undefined ? null : String(value),
      source: sourceOf(resolved),
    };
  });
  return [
    { setting: settings.profile.name, value: profile.value, source: sourceOf(profile) },
    ...stored,
  ];
}

/** The formula guard of csv puts an apostrophe before a cell that begins with `--`, so the word `flag` comes first. */
const sourceOf = ({ source, where }: Resolved<unknown>): string =>
  source === 'flag' ? `flag ${where}` : where;

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
  const found = findKey(choices.keyPlaces());
  if (found?.source === 'PDI_API_KEY')
    return { value: masked(() => found.text), source: found.source };
  if (found?.source === 'PDI_API_KEY_FILE') {
    const source = `${found.source} (${found.text})`;
    // A pipe may never send anything, and gives its key once.
    if (attempt(() => statSync(found.text).isFile()) === false)
      return { value: null, source: `${source}, not read here` };
    return { value: masked(() => readFileSync(found.text, 'utf8')), source };
  }
  const profile = choices.profile();
  if (found?.source === 'key-command')
    return { value: null, source: `key-command of profile ${profile.name}, not run here` };
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

/** The list shows what is wrong, and does not fail because of it. */
function masked(read: () => string): string {
  try {
    return maskKey(parseKey(read()));
  } catch (error) {
    return error instanceof PdiError ? '(not a key)' : '(unreadable)';
  }
}
