/** What these tests share: a folder of their own, a clock that stands still, processes that live as told, a disk that fills up. */
import { fstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PdiError } from '../../src/errors.ts';
import type { ProcessTable } from '../../src/files/liveness.ts';
import { type Write, writeToDisk } from '../../src/files/private.ts';
import { readRecord } from '../../src/rows/record.ts';
import type { Outcome, RowStatus } from '../../src/rows/result-row.ts';

/** For the test that asks; deleted when it is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pdi-money-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const clock = (): Date => new Date('2026-01-02T03:04:05.000Z');

/** An outcome whose record is told by its text. */
export interface Told {
  readonly status: RowStatus;
  readonly record?: string | undefined;
  readonly error?: string | undefined;
}

export const outcomeOf = ({ status, record, error }: Told): Outcome => ({
  status,
  ...(record !== undefined && { record: readRecord(record) }),
  ...(error !== undefined && { error }),
});

/** An outcome as a test tells it. */
export const told = (outcome: Outcome | undefined): Told | undefined =>
  outcome && { status: outcome.status, error: outcome.error, record: outcome.record?.text };

/** We are process 1000 here; whom `living` names lives. */
export const processes = (...living: number[]): ProcessTable => ({ pid: 1000, isAlive: (pid) => living.includes(pid) });

/** A disk on which files may grow by `room` bytes: then it takes the part that fits, then nothing. Overwriting needs no room. */
export function diskWithRoom(room: number): { write: Write; free(bytes: number): void } {
  let left = room;
  const write: Write = (fileDescriptor, bytes, length, position) => {
    const { size } = fstatSync(fileDescriptor);
    const inPlace = Math.max(0, size - (position ?? size));
    const part = Math.min(length, inPlace + left);
    if (part === 0 && length > 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    left -= Math.max(0, part - inPlace);
    return writeToDisk(fileDescriptor, bytes, part, position);
  };
  return { write, free: (bytes) => (left += bytes) };
}

/** The PdiError that `action` ends with. */
export async function failureOf(action: () => unknown): Promise<PdiError> {
  try {
    await action();
  } catch (error) {
    if (error instanceof PdiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
