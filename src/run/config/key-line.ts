/** The key line of `pdi config list` shows the key that this run would send, in the order of `config/key.ts`. It runs no key-command. */
import { readFileSync } from 'node:fs';
import { boundNames, boundTo } from '../../config/binding.ts';
import { type KeySource, keySources, usable } from '../../config/key.ts';
import { maskKey } from '../../config/mask.ts';
import { textOf } from '../../config/profile.ts';
import { variable } from '../../config/resolve.ts';
import { settings } from '../../config/settings.ts';
import { parseKey } from '../../config/values.ts';
import type { Context } from '../context.ts';

interface KeyShown {
  readonly value: string | null;
  readonly source: string;
}

export function keyShown(context: Context): KeyShown {
  const source = keySourceOf(context);
  const found = source && finders[source](context);
  return found ?? withheld(context) ?? { value: null, source: 'default' };
}

/** Where the key comes from in this run; undefined where there is none. */
export const keySourceOf = (context: Context): KeySource | undefined =>
  keySources(context.selectedProfile().source === 'flag').find((source) => finders[source](context) !== undefined);

function fromVariable({ io }: Context): KeyShown | undefined {
  const key = variable(io.env, 'PDI_API_KEY');
  return key === undefined ? undefined : { value: masked(key), source: 'PDI_API_KEY' };
}

function fromFile({ io }: Context): KeyShown | undefined {
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

const inquiry = (context: Context) => ({ profile: context.profile(), baseUrl: context.resolved(settings.baseUrl).value });

function fromKeyCommand(context: Context): KeyShown | undefined {
  if (usable(inquiry(context), 'key-command') === undefined) return undefined;
  return { value: null, source: `key-command of profile ${context.profile().name}, not run here` };
}

function fromStoredKey(context: Context): KeyShown | undefined {
  const key = usable(inquiry(context), 'api-key');
  if (key === undefined) return undefined;
  const { name, values } = context.profile();
  return { value: masked(key), source: `profile ${name}, belongs to ${boundTo(values, 'api-key')}` };
}

const finders: Readonly<Record<KeySource, (context: Context) => KeyShown | undefined>> = {
  PDI_API_KEY: fromVariable,
  PDI_API_KEY_FILE: fromFile,
  'key-command': fromKeyCommand,
  'api-key': fromStoredKey,
};

function withheld(context: Context): KeyShown | undefined {
  const { profile, baseUrl } = inquiry(context);
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
