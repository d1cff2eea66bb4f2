/** Finds the keys that a run has not read, because a message may repeat one that was typed in the place of an identifier. */
import { readFileSync, statSync } from 'node:fs';
import type { Io } from '../io.ts';
import { configDirectory } from './location.ts';
import { textOf } from './profile.ts';
import { readConfig } from './read-config.ts';
import { variable } from './resolve.ts';

type KeyPlaces = Pick<Io, 'env' | 'platform' | 'homeDirectory'>;

/** Gives the keys of all profiles and of PDI_API_KEY_FILE. A key-command is not run for it. */
export const unreadKeys = (io: KeyPlaces): readonly string[] =>
  [keyInFile, storedKeys].flatMap((find) => orNone(() => find(io))).filter((key) => key !== '');

function keyInFile({ env }: KeyPlaces): readonly string[] {
  const file = variable(env, 'PDI_API_KEY_FILE');
  // A named pipe can be read only once.
  return file !== undefined && statSync(file).isFile() ? [readFileSync(file, 'utf8').trim()] : [];
}

function storedKeys(io: KeyPlaces): readonly string[] {
  const { profiles } = readConfig(configDirectory(io));
  return [...profiles.values()].map((profile) => textOf(profile, 'api-key') ?? '');
}

/** The failure that is about to be told matters more than one to read a file. */
function orNone(find: () => readonly string[]): readonly string[] {
  try {
    return find();
  } catch {
    return [];
  }
}
