/** Does `pdi config set` and `unset`: one value of one profile, checked before it is stored by conf, whole or not at all, one writer at a time. */

import { chmodSync, readdirSync, realpathSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { InUse, type Lock, lockOutput } from '../files/lock.ts';
import { makePrivateFolder, modesIn } from '../files/private.ts';
import { isObject, jsonText } from '../json/exact.ts';
import { nearestFirst } from '../rows/nearest.ts';
import { bindingName, boundNames, boundTo, normalBaseUrl } from './base-url.ts';
import {
  configFile,
  fileFailure,
  objectIn,
  onOpenDisk,
  readConfig,
  refuseUntrusted,
} from './read-config.ts';
import { type Setting, settings, storedSettings } from './settings.ts';
import { parseProfileName, quoted, readAt } from './values.ts';

interface StoredSetting {
  readonly directory: string;
  readonly profile: string;
  readonly name: string;
}

export function storedSetting(name: string): Setting<unknown> {
  const found = storedSettings.find(
    (setting) => setting.name === name.toLowerCase().replaceAll('_', '-'),
  );
  if (found !== undefined) return found;
  // What follows may be a key.
  const shown = name.replace(/=.*$/s, '=…');
  const names = nearestFirst(
    shown,
    storedSettings.map((setting) => setting.name),
  );
  const hint =
    shown === name
      ? `settings: ${names}`
      : `write NAME VALUE, with a blank between; settings: ${names}`;
  throw new UsageError(`there is no setting ${quoted(shown)} in profiles`, { item: shown, hint });
}

/** Gives notes about keys. @throws UsageError for a bad name, value or profile name, for a broken file, or one that is locked for too long */
export async function setValue(
  // A key is bound to this base URL when the profile has none of its own.
  {
    text,
    baseUrl,
    ...stored
  }: StoredSetting & { readonly text: string; readonly baseUrl?: string | undefined },
): Promise<readonly string[]> {
  parseProfileName(stored.profile);
  const setting = storedSetting(stored.name);
  const { name } = setting;
  const parsed = readAt(name, () => setting.parse(text));
  // Numbers and texts are stored in their one form, and a command line as it was typed.
  const value = typeof parsed === 'string' || typeof parsed === 'number' ? parsed : text.trim();
  const notes: string[] = [];
  await updateProfile(stored, (before) => {
    const after = { ...before, [name]: value };
    notes.push(...bind(after, before, name, baseUrl));
    return after;
  });
  return notes;
}

/** Gives false, with nothing written, when the profile did not have the value. Throws as `setValue`. */
export async function unsetValue(stored: StoredSetting): Promise<boolean> {
  const { name } = storedSetting(stored.name);
  return updateProfile(stored, (before) => {
    if (!Object.hasOwn(before, name)) return undefined;
    const { [name]: _removed, ...after } = before;
    bind(after, before, name);
    return after;
  });
}

type Values = Record<string, unknown>;

/** A key goes along with a new base URL of the same origin (`/api/v2` after `/api/v1`); otherwise it stays bound to the former one. */
function bind(
  values: Values,
  before: Values,
  changed: string,
  inForce?: string,
): readonly string[] {
  const next = normalBaseUrl(values[settings.baseUrl.name]);
  const concerned = boundNames.filter(
    (name) => changed === name || changed === settings.baseUrl.name,
  );
  return concerned.flatMap((name) => {
    delete values[bindingName(name)];
    if (!Object.hasOwn(values, name)) return [];
    const former = changed === name ? undefined : boundTo(before, name);
    const goesAlong =
      former === undefined ||
      (next !== undefined && new URL(former).origin === new URL(next).origin);
    const owner = goesAlong ? (next ?? normalBaseUrl(inForce)) : former;
    if (owner === undefined)
      return [
        `${name} is not sent anywhere until this profile has a base URL: run \`pdi config set base-url URL\``,
      ];
    values[bindingName(name)] = owner;
    if (!goesAlong)
      return [
        `${name} was stored for ${former} and is not sent to ${next}: \`pdi config set ${name}\` stores one for it`,
      ];
    const asked = normalBaseUrl(inForce) ?? owner;
    if (changed === name && asked !== owner)
      return [`${name} belongs to ${owner}, as its profile does, and is not sent to ${asked}`];
    return former === undefined || former === next ? [] : [`${name} now belongs to ${next}`];
  });
}

/** Writes what `change` makes of a profile's values; gives false, with nothing written, where it gives none. A profile without values goes. */
async function updateProfile(
  { directory, profile }: StoredSetting,
  change: (before: Values) => Values | undefined,
): Promise<boolean> {
  const file = configFile(directory);
  // It takes up to 100 ms to load, in which other writers should not wait, and other commands do without it.
  const { default: Conf } = await import('conf');
  try {
    refuseUntrusted(file);
    makePrivateFolder(directory);
    const modes = modesIn(dirname(attempt(() => realpathSync(file)) ?? file));
    if (modes === 'open') throw onOpenDisk(file);
    const lock = await lockOf(file);
    try {
      removeLeftOver(attempt(() => realpathSync(file)) ?? file);
      const { whole } = readConfig(directory);
      const profiles = new Map(Object.entries(isObject(whole.profiles) ? whole.profiles : {}));
      const former = profiles.get(profile);
      const values = change(isObject(former) ? former : {});
      if (values === undefined) return false;
      if (Object.keys(values).length === 0) profiles.delete(profile);
      else profiles.set(profile, values);
      const inOrder = [...profiles].sort(([one], [other]) => (one < other ? -1 : 1));
      // The mode is set before a key goes in, because conf writes in place inside a snap package. A file that root made is replaced.
      attempt(() => chmodSync(file, ownerOnlyFile));
      const conf = new Conf<Record<string, unknown>>({
        cwd: directory,
        configName: 'config',
        // With the usual mode conf calls no chmod, which would fail for root.
        configFileMode: modes === 'fixed' ? usualFile : ownerOnlyFile,
        serialize: (next) => `${jsonText(next, 2)}\n`,
        deserialize: (text) => objectIn(file, text),
      });
      // The store is set as a whole, because conf's own `set` would take dots in profile names for nesting.
      conf.store = { ...whole, profiles: Object.fromEntries(inOrder) };
      return true;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('write', file, error);
  }
}

/** What conf was writing when it was killed may hold a key that is to be forgotten; whoever has the lock is the only writer. */
function removeLeftOver(written: string): void {
  for (const name of attempt(() => readdirSync(dirname(written))) ?? []) {
    const isLeftOver = name.startsWith(basename(written)) && /\.tmp-\d{10}[\da-f]{6}$/.test(name);
    if (isLeftOver) attempt(() => unlinkSync(join(dirname(written), name)));
  }
}

const [ownerOnlyFile, usualFile] = [0o600, 0o666];

/** The unit is milliseconds; a writer holds the lock for a few. */
const patience = { giveUpAfter: 15_000, pause: 15 };

/** Windows answers EPERM while another process is just removing the file. */
const isBusy = (error: unknown): boolean =>
  error instanceof InUse || systemCodeOf(error) === 'EPERM';

async function lockOf(file: string): Promise<Lock> {
  const started = performance.now();
  for (;;) {
    try {
      return await lockOutput(file, file);
    } catch (error) {
      if (!isBusy(error) || performance.now() - started > patience.giveUpAfter) throw error;
    }
    await delay(patience.pause * (1 + Math.random()));
  }
}
