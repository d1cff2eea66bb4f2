/** Does `pdi config set` and `unset`: one value of one profile, checked before it is stored, whole or not at all, one writer at a time. */
import { chmodSync, existsSync, realpathSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { InUse, type Lock, lockOutput } from '../files/lock.ts';
import { attempt, makeFolder, replaceFile, writeToDisk } from '../files/private.ts';
import { isObject } from '../json/parse.ts';
import { bindingName, bindNew, isBoundName, pinned, type Rebound, rebind, type StoredValues } from './binding.ts';
import { configFile, fileFailure, readConfig, refuseUntrusted, stickyBit } from './read-config.ts';
import { type Setting, settings, storedSettings } from './settings.ts';
import { parseProfileName, quoted, readAt } from './values.ts';

/** One setting of a profile in the configuration of a folder. */
export interface StoredSetting {
  readonly directory: string;
  readonly profile: string;
  readonly name: string;
}

/** @throws UsageError listing the names when a profile holds no such setting */
export function storedSetting(name: string): Setting<unknown> {
  const found = storedSettings.find((setting) => setting.name === name);
  if (found !== undefined) return found;
  const names = storedSettings.map((setting) => setting.name).join(', ');
  // What follows may be a key.
  const shown = name.replace(/=.*$/s, '=…');
  const hint = shown === name ? `settings: ${names}` : `write NAME VALUE, with a blank between; settings: ${names}`;
  throw new UsageError(`there is no setting ${quoted(shown)} in profiles`, { item: shown, hint });
}

/** Numbers and texts are stored in their one form, and a command line as it was typed. */
function storedForm(setting: Setting<unknown>, text: string): string | number {
  const value = readAt(setting.name, () => setting.parse(text));
  return typeof value === 'string' || typeof value === 'number' ? value : text.trim();
}

interface SetValue extends StoredSetting {
  readonly text: string;
  /** A key is bound to this base URL when the profile has none of its own. */
  readonly baseUrl?: string | undefined;
}

/** Gives notes about keys. @throws UsageError for a bad name, value or profile name, for a broken file, or one that is locked for too long */
export async function setValue({ directory, profile, name, text, baseUrl }: SetValue): Promise<readonly string[]> {
  parseProfileName(profile);
  const value = storedForm(storedSetting(name), text);
  let notes: readonly string[] = [];
  await updateProfile(directory, profile, (values) => {
    const rebound = reboundBy(values, name, value, baseUrl);
    notes = rebound.notes;
    return { ...rebound.values, [name]: value };
  });
  return notes;
}

function reboundBy(values: StoredValues, name: string, value: string | number, baseUrl: string | undefined): Rebound {
  if (isBoundName(name)) return bindNew(values, name, baseUrl);
  return name === settings.baseUrl.name ? rebind(values, String(value)) : { values, notes: [] };
}

/** Gives false, with nothing written, when the profile did not have the value. Throws as `setValue`. */
export async function unsetValue({ directory, profile, name }: StoredSetting): Promise<boolean> {
  storedSetting(name);
  let had = false;
  await updateProfile(directory, profile, (values) => {
    had = Object.hasOwn(values, name);
    return had ? without(values, name) : undefined;
  });
  return had;
}

function without(values: StoredValues, name: string): StoredValues {
  const kept = name === settings.baseUrl.name ? pinned(values) : values;
  const gone = new Set(isBoundName(name) ? [name, bindingName(name)] : [name]);
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !gone.has(key)));
}

/** Writes the values that `change` gives for the profile, if any. A profile without values goes. */
async function updateProfile(
  directory: string,
  profile: string,
  change: (values: StoredValues) => StoredValues | undefined,
): Promise<void> {
  const file = configFile(directory);
  try {
    refuseUntrusted(file);
    closeFolder(directory);
    const lock = await lockOf(file);
    try {
      const { whole } = readConfig(directory);
      const profiles = new Map(Object.entries(isObject(whole.profiles) ? whole.profiles : {}));
      const former = profiles.get(profile);
      const values = change(isObject(former) ? former : {});
      if (values === undefined) return;
      if (Object.keys(values).length === 0) profiles.delete(profile);
      else profiles.set(profile, values);
      const inOrder = [...profiles].sort(([one], [other]) => (one < other ? -1 : 1));
      const text = JSON.stringify({ ...whole, profiles: Object.fromEntries(inOrder) }, undefined, 2);
      replaceFile(existsSync(file) ? realpathSync(file) : file, `${text}\n`, writeToDisk);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('write', file, error);
  }
}

const ownerOnlyFolder = 0o700;

/** A shared folder (such as /tmp, with its sticky bit) or another owner's stays open to others. The file itself is private in any case. */
function closeFolder(directory: string): void {
  makeFolder(directory, ownerOnlyFolder);
  if ((statSync(directory).mode & stickyBit) === 0) attempt(() => chmodSync(directory, ownerOnlyFolder));
}

/** The unit is milliseconds; a writer holds the lock for a few. */
const patience = { giveUpAfter: 15_000, pause: 15 };

/** Windows answers EPERM while another process is just removing the file. */
const isBusy = (error: unknown): boolean => error instanceof InUse || systemCodeOf(error) === 'EPERM';

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
