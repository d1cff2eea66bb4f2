/** Finds out what `--out FILE` is on this disk, and whether it may be written, and opens the sink for it. */
import type { BigIntStats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { FileExists, systemCodeOf, UsageError } from '../../errors.ts';
import { fileState } from '../../files/private.ts';
import { cleanLine } from '../clean.ts';
import { type FileMemory, isStdout, refused, type Sink, stdoutSink, type Target, unusable } from './sink.ts';

/** `leftSo` tells whether an earlier run of the job left the file so. */
interface Permission extends Pick<SinkOptions, 'force' | 'inputFile'> {
  readonly leftSo?: FileMemory['leftSo'];
}

const wayOn = 'move it away, or add --force to replace it: what was bought is kept in the journal beside it and is not bought again';

/** A longer chain of links is treated as a loop. */
const maxLinks = 40;

async function statOf(path: string): Promise<BigIntStats | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The last link may lead to a file that does not exist yet. */
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

/** The input may have another name, for example a link, a hard link or another spelling. */
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
  if (!force && !ours && leftSo === undefined) throw new FileExists(name, cleanLine(name));
  if (!force && !ours) throw refused(name, 'the file is not as pdi left it', wayOn);
  return { kind: 'file', name, path: await followed(name), isAnother: !ours };
}

/** Changes nothing. @throws UsageError for a folder, the input file, a file that must not be replaced, or a missing folder */
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

export interface SinkOptions {
  readonly stdout: Writable;
  readonly file?: string | undefined;
  readonly force: boolean;
  readonly journal?: FileMemory | undefined;
  /** The input file, which is never overwritten; `-` is standard input. */
  readonly inputFile?: string | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** Refuses before any request costs money. @throws UsageError for an unusable file, PdiError `internal` (disk) or `interrupted` (stop) */
export async function openSink({ stdout, file, force, journal, inputFile, stop }: SinkOptions): Promise<Sink> {
  if (file === undefined || isStdout(file)) return stdoutSink(stdout);
  const { deviceSink, fifoSink, fileSink } = await import('./file-sink.ts');
  const target = await findTarget(file, { force, leftSo: journal?.leftSo, inputFile });
  if (target.kind === 'fifo') return fifoSink(target, stop);
  if (target.kind === 'device') return deviceSink(target);
  return fileSink(target, journal);
}
