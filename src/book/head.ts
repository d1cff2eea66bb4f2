/** The head of the book's file, read as bytes: it tells an older copy that somebody has put over the write-ahead log of a newer one. */
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { attempt } from '../errors.ts';

/** `changes` grows with each run that writes; a copy that was made by VACUUM counts from 1, and has another `schema`. */
export interface Head {
  readonly changes: number;
  readonly schema: number;
}

const places = { changes: 24, schema: 40 } as const;
const size = 100;

/** Undefined where there is none yet. To close the file frees all locks that this process has on it, so nobody here may have it open. */
export function headOf(path: string): Head | undefined {
  const file = attempt(() => openSync(path, 'r'));
  if (file === undefined) return undefined;
  try {
    return headIn(file);
  } finally {
    closeSync(file);
  }
}

export function headIn(fileDescriptor: number): Head | undefined {
  const bytes = Buffer.alloc(size);
  if (readSync(fileDescriptor, bytes, 0, size, 0) < size) return undefined;
  return { changes: bytes.readUInt32BE(places.changes), schema: bytes.readUInt32BE(places.schema) };
}

/** What was last seen is left beside the write-ahead log, which goes with just this file. */
const noteOf = (path: string): string => `${path}-head`;

/** Where the disk refuses, an older copy is found later, or not at all. */
export function noteHead(path: string, head: Head | undefined): void {
  const note = noteOf(path);
  const text = head === undefined ? '' : `${head.changes} ${head.schema}\n`;
  if (text !== attempt(() => readFileSync(note, 'utf8'))) attempt(() => writeFileSync(note, text, { mode: 0o600 }));
}

const notedHead = (path: string): Head | undefined => {
  const [changes = Number.NaN, schema = Number.NaN] = (attempt(() => readFileSync(noteOf(path), 'utf8')) ?? '').split(' ').map(Number);
  return Number.isInteger(changes) && Number.isInteger(schema) ? { changes, schema } : undefined;
};

export const isOlder = (head: Head, than: Head): boolean =>
  head.changes < than.changes || (head.changes === than.changes && head.schema !== than.schema);

/** Whether the write-ahead log beside the file is of a newer one. Without a log, any file may be here, and is noted. */
export function isOverNewerLog(path: string, head: Head | undefined): boolean {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    noteHead(path, head);
    return false;
  }
  const noted = notedHead(path);
  return head !== undefined && noted !== undefined && isOlder(head, noted);
}
