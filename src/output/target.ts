/** What `--out FILE` means on this disk, and whether it may be written. */
import type { BigIntStats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCodeOf, UsageError } from '../errors.ts';
import { reasonOf } from '../system-error.ts';
import { cleanLine } from './clean.ts';

export interface Target {
  /** `file` is replaced whole; a device and a FIFO are written to as they stand. */
  readonly kind: 'file' | 'device' | 'fifo';
  /** As the user wrote it, for messages. */
  readonly name: string;
  /** Where symbolic links lead: the link stays, what it points to is replaced. */
  readonly path: string;
  /** Permission bits of the file to be replaced; undefined where there is none. */
  readonly mode?: number;
}

export interface Permission {
  readonly mayReplace: boolean;
  /** `-` is standard input, which may be a file as well. */
  readonly inputFile?: string | undefined;
}

/** More links than this in a row are a circle. */
const mostLinks = 40;

const refused = (name: string, reason: string, hint: string): UsageError =>
  new UsageError(`--out ${cleanLine(name)}: ${reason}`, { item: name, hint });

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
  if (links >= mostLinks) throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
  return followed(resolve(dirname(here), next), links + 1);
}

/** Whether `found` is the input under whatever name: by link, by hard link, by another spelling. */
async function isInput(found: BigIntStats, inputFile: string | undefined): Promise<boolean> {
  if (inputFile === undefined) return false;
  const input = await stat(inputFile === '-' ? '/dev/stdin' : inputFile, { bigint: true }).catch(() => null);
  return input !== null && input.dev === found.dev && input.ino === found.ino;
}

async function existing(name: string, found: BigIntStats, { mayReplace, inputFile }: Permission): Promise<Target> {
  if (found.isDirectory()) throw refused(name, 'it is a folder', 'name a file in it');
  if (!found.isFile()) return { kind: found.isFIFO() ? 'fifo' : 'device', name, path: name };
  if (await isInput(found, inputFile)) throw refused(name, 'it is the input file', 'the input is never overwritten: name another file');
  if (!mayReplace) throw refused(name, 'the file exists', 'add --force to replace it, or name another file');
  return { kind: 'file', name, path: await followed(name), mode: Number(found.mode & 0o777n) };
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
