/** The commands `pdi config set`, `unset` and `get` handle one setting of a profile. */
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { askHidden } from '../../config/ask.ts';
import { checkBaseUrl, normalBaseUrl } from '../../config/base-url.ts';
import { type StoredSetting, setValue, storedSetting, unsetValue } from '../../config/change.ts';
import { maskKey } from '../../config/mask.ts';
import type { Config } from '../../config/read-config.ts';
import { textOf } from '../../config/resolve.ts';
import { settings } from '../../config/settings.ts';
import { parseBookPath, readAt } from '../../config/values.ts';
import { PdiError, UsageError } from '../../errors.ts';
import { interruptedAtInput, openBytes } from '../../input/bytes.ts';
import type { Tools } from '../tools.ts';

interface NewSetting extends StoredSetting {
  readonly value: string | undefined;
  readonly allowsHttp: boolean;
  /** A new key belongs to this base URL if its profile has none. */
  readonly baseUrl: string | undefined;
}

/** Stores `value`, or reads or asks for one. @throws UsageError for an invalid value, or a key on the command line */
export async function setSetting({ value, allowsHttp, baseUrl: inForce, ...stored }: NewSetting, tools: Tools): Promise<void> {
  const secret = storedSetting(stored.name).secret === true;
  const given = await valueToSet(stored.name, value, secret, tools);
  // Every folder has the same profile, and all runs with it are to have the same book.
  const text = stored.name === settings.book.name ? bookAt(given, tools) : given;
  const baseUrl = stored.name === settings.baseUrl.name ? normalBaseUrl(text) : undefined;
  if (baseUrl !== undefined) checkBaseUrl(baseUrl, allowsHttp);
  for (const note of await setValue({ ...stored, text, baseUrl: inForce })) tools.say.notice(note);
}

const bookAt = (path: string, { io }: Tools): string =>
  resolve(
    io.currentDirectory(),
    readAt(settings.book.name, () => parseBookPath(path)),
  );

export async function unsetSetting(stored: StoredSetting, { say }: Tools): Promise<void> {
  if (!(await unsetValue(stored))) say.notice(`profile ${stored.profile} has no ${stored.name}`);
}

/** Gives the setting; a key is masked. @throws PdiError `not_found` if it is not stored */
export function shownSetting(config: Config, profile: string, name: string): string {
  const secret = storedSetting(name).secret === true;
  const stored = config.profiles.get(profile);
  const value = stored && textOf(stored, name);
  if (value === undefined) {
    const hint = secret ? `run pdi config set ${name}, which asks for it` : `run pdi config set ${name} VALUE`;
    throw new PdiError('not_found', `profile ${profile} has no ${name}`, { item: name, hint });
  }
  return secret ? maskKey(value) : value;
}

/** A key is never accepted as an argument, because it would stay in the shell history and in the list of processes. */
async function valueToSet(name: string, value: string | undefined, secret: boolean, tools: Tools): Promise<string> {
  if (value === '-') return (await readAll(tools)).trim();
  if (!secret) {
    if (value === undefined) throw new UsageError(`there is no value for ${name}`, { hint: `run pdi config set ${name} VALUE` });
    return value;
  }
  if (value !== undefined) {
    throw new UsageError(`${name} is not taken from the command line, where others could read it`, {
      hint: `run pdi config set ${name} and type it, or pipe it: pdi config set ${name} -`,
    });
  }
  if (!tools.mayAsk) {
    throw new UsageError(`${name} cannot be asked for: there is no terminal, or asking is forbidden`, {
      hint: `pipe it: pdi config set ${name} -`,
    });
  }
  return askHidden(tools.io, `${name} (not shown): `, tools.stop);
}

async function readAll({ io, stop }: Tools): Promise<string> {
  const source = await openBytes('-', io, stop);
  const all = await text(source.chunks);
  if (source.stopped()) throw interruptedAtInput();
  return all;
}
