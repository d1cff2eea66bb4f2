/** Decides where the store is, who may read it, and which part of it belongs to an account at a base URL. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../errors.ts';
import { attempt, makeFolder, type Write, writeToDisk, writeWhole } from '../../files/private.ts';
import { makePrivateFolder } from '../../files/replace.ts';
import { type Owner, ownerName, ownerNameLength } from '../owner.ts';
import { parseObject, stringField, writtenByNewer } from '../stored.ts';
import { storeVersion } from './answer-line.ts';

/** The store has its own folder in the state folder, or the one that `PDI_STORE` names. */
export interface StorePlace {
  readonly path: string;
  /** Others may use it too, so its mode is theirs to choose. */
  readonly shared: boolean;
}

/** Both methods use the modes of the store, and throw the system's error. */
export interface StoreModes {
  makeFolder(path: string): void;
  openFile(path: string, flags: number): number;
}

const readWriteBits = 0o666;
const permissionBits = 0o777;
const onlyOwnerFolder = 0o700;

/** The store is private, or has the modes of the folder that a group shares. @throws the system's error */
export function openStoreFolder({ path, shared }: StorePlace): StoreModes {
  if (shared) makeFolder(path, onlyOwnerFolder);
  else makePrivateFolder(path);
  refuseNewerStore(path);
  return modesOf(statSync(path).mode & permissionBits);
}

function modesOf(folderMode: number): StoreModes {
  const fileMode = folderMode & readWriteBits;
  return {
    makeFolder: (path) => {
      if (existsSync(path)) return;
      makeFolder(path, folderMode);
      // The umask took bits from it.
      attempt(() => chmodSync(path, folderMode));
    },
    openFile: (path, flags) => {
      const fileDescriptor = openSync(path, flags, fileMode);
      const isOther = (fstatSync(fileDescriptor).mode & permissionBits) !== fileMode;
      if (isOther) attempt(() => fchmodSync(fileDescriptor, fileMode));
      return fileDescriptor;
    },
  };
}

const versionFile = (path: string): string => join(path, 'store.json');

/** Writes the version down before the first answer is kept, and gives whether this was the first. @throws the system's error */
export const beginStore = (path: string, modes: StoreModes): boolean =>
  createOnce(versionFile(path), JSON.stringify({ pdi_store: storeVersion }), modes);

/** @throws PdiError `internal` where a newer version of pdi wrote the store */
function refuseNewerStore(path: string): void {
  const { pdi_store: version } = parseObject(textOf(versionFile(path))) ?? {};
  if (typeof version !== 'number' || version <= storeVersion) return;
  throw writtenByNewer(path, { of: 'the store', version, known: storeVersion, hint: 'use that pdi, or another folder (PDI_STORE)' });
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export interface StorePart {
  readonly path: string;
  readonly baseUrl: string;
  readonly account?: string | undefined;
}

const ownerFile = (path: string): string => join(path, 'owner.json');

/** Creates the owner's part where it is missing. Its name tells nothing of the key. @throws the system's error */
export function openStorePart(store: string, owner: Owner, modes: StoreModes): StorePart {
  const { baseUrl, account } = owner;
  const path = join(store, ownerName(owner));
  modes.makeFolder(path);
  createOnce(ownerFile(path), JSON.stringify({ base_url: baseUrl, account }), modes);
  return { path, baseUrl, account };
}

/** Gives all parts of a store, none where there is no store. @throws as `openStoreFolder` */
export function storeParts(store: string): readonly StorePart[] {
  if (!existsSync(store)) return [];
  refuseNewerStore(store);
  const names = readdirSync(store).filter((name) => name.length === ownerNameLength && /^[\da-f]+$/.test(name));
  return names.map((name) => {
    const path = join(store, name);
    const owner = parseObject(textOf(ownerFile(path))) ?? {};
    return { path, baseUrl: stringField(owner, 'base_url') ?? '', account: stringField(owner, 'account') };
  });
}

/** Creates a file of one line, whole or not at all, and gives whether it was not there before. @throws the system's error */
export function createOnce(path: string, text: string, modes: StoreModes, write: Write = writeToDisk): boolean {
  let fileDescriptor: number;
  try {
    fileDescriptor = modes.openFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeWhole(fileDescriptor, `${text}\n`, write);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fileDescriptor);
  }
  return true;
}
