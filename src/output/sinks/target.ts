/** What `--out FILE` means on this disk, and whether it may be written. */
import type { BigIntStats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileExists, systemCodeOf, UsageError } from '../../errors.ts';
import { type FileState, fileState } from '../../files/private.ts';
import { reasonOf } from '../../files/reasons.ts';
import { cleanLine } from '../clean.ts';

export interface Target {
  /** `file` is replaced whole; a device and a FIFO are written to as they stand. */
  readonly kind: 'file' | 'device' | 'fifo';
  /** As the user wrote it, for messages. */
  readonly name: string;
  /** Where symbolic links lead: the link stays, what it points to is replaced. */
  readonly path: string;
  /** The file to be replaced; undefined where there is none. */
  readonly replaces?: Replaced;
}

/** A file whose place is taken. */
export interface Replaced {
  /** Its permission bits. */
  readonly mode: number;
  /** Whether it is as an earlier run of this job left it. */
  readonly ours: boolean;
}

export interface Permission {
  /** `--force`: any file may be replaced. */
  readonly force: boolean;
  /** Tells whether an earlier run of this job left a file so; undefined where there was none. */
  readonly leftSo?: ((file: FileState) => boolean) | undefined;
  /** `-` is standard input, which may be a file as well. */
  readonly inputFile?: string | undefined;
}

/** More links than this in a row are a circle. */
const maxLinks = 40;

const refused = (name: string, reason: string, hint: string): UsageError =>
  new UsageError(`--out ${cleanLine(name)}: ${reason}`, { item: name, hint });

const changed = (name: string): UsageError =>
  refused(
    name,
    'the file is not as pdi left it',
    'move it away, or add --force to replace it: what was bought is kept in the journal beside it and is not bought again',
  );

/** The mistake behind a system error while looking for, or creating, the file. */
export const unusable = (name: string, error: unknown): UsageError =>
  refused(name, cleanLine(reasonOf(error)), 'name a file in a folder that exists and may be written to');

/** Null where nothing has this name. */
async function statOf(path: string): Promise<BigIntStats | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The path behind all symbolic links, also where the last one leads to a file that does not exist yet. */
async function followed(path: string, links = 0): Promise<string> {
  const here = join(await realpath(dirname(path)), basename(path));
  let next: string;
  try {
    next = await readlink(here);
  } catch {
    return here;
  }
  if (links >= maxLinks) throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
  return followed(resolve(dirname(here), next), links + 1);
}

/** Whether `found` is the input under whatever name: by link, by hard link, by another spelling. */
async function isInput(found: BigIntStats, inputFile: string | undefined): Promise<boolean> {
  if (inputFile === undefined) return false;
  const input = await stat(inputFile === '-' ? '/dev/stdin' : inputFile, { bigint: true }).catch(() => null);
  return input !== null && input.dev === found.dev && input.ino === found.ino;
}

async function existing(name: string, found: BigIntStats, { force, leftSo, inputFile }: Permission): Promise<Target> {
  if (found.isDirectory()) throw refused(name, 'it is a folder', 'name a file in it');
  if (!found.isFile()) return { kind: found.isFIFO() ? 'fifo' : 'device', name, path: name };
  if (await isInput(found, inputFile)) throw refused(name, 'it is the input file', 'the input is never overwritten: name another file');
  const ours = leftSo?.(fileState(found)) === true;
  if (!force && !ours) throw leftSo === undefined ? new FileExists(name, cleanLine(name)) : changed(name);
  return { kind: 'file', name, path: await followed(name), replaces: { mode: Number(found.mode & 0o777n), ours } };
}

/**
 * Looks at the place without changing anything.
 * @throws UsageError where it is a folder, the input, an existing file that may not be replaced, or in no folder.
 */
export async function findTarget(name: string, permission: Permission): Promise<Target> {
  if (name === '') throw refused(name, 'the name is empty', 'name a file');
  try {
    const found = await statOf(name);
    if (found !== null) return await existing(name, found, permission);
    if (/[/\\]$/.test(name)) throw refused(name, 'it names a folder', 'name a file');
    return { kind: 'file', name, path: await followed(name) };
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(name, error);
  }
}
