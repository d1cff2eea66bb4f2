/** Reads a journal that an earlier run left, line by line, into an index for the run that goes on with it. */
import { fstatSync, readSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import { type FileLine, linesOf } from '../files/file-lines.ts';
import type { FileState } from '../files/private.ts';
import type { RowStatus } from '../rows/result-row.ts';
import {
  type Difference,
  differenceIn,
  headerStart,
  type JournalEntry,
  type JournalIdentity,
  readEntry,
  refusal,
} from './journal-lines.ts';
import { parseObject } from './stored.ts';

/** Both are in bytes. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

export interface LoadedJournal {
  readonly files: FileState[];
  /** So many items were answered, or may have been. If there are any, only the run that it belongs to may use the journal. */
  readonly answers: number;
  take(entry: JournalEntry, place: LinePlace): void;
}

/** These statuses stand for an answer, which no run asks for again. */
export const isBought = (state: RowStatus | 'sent' | undefined): boolean => state === 'ok' || state === 'not_found' || state === 'invalid';

/** It is used for every line that is looked up, because new bytes for each would keep the garbage collector busy. */
let room = Buffer.alloc(0);

/** @throws the system's error */
export function lineAt(fileDescriptor: number, { offset, length }: LinePlace): string {
  if (room.length < length) room = Buffer.allocUnsafe(length);
  const read = readSync(fileDescriptor, room, 0, length, offset);
  return room.toString('utf8', 0, read);
}

export interface JournalEnd {
  /** It counts the bytes up to the end of the last good line, and is 0 where not even the header is there. */
  readonly offset: number;
  /** It is false when the last good line lacks its line feed. */
  readonly ended: boolean;
  /** Another run left it and it holds nothing, because its key or base URL was wrong from the start. It is begun anew. */
  readonly abandoned: boolean;
}

/** A torn last line is left out. @throws UsageError for another run's journal that holds anything, and for a broken line before others */
export async function loadJournal(
  path: string,
  fileDescriptor: number,
  identity: JournalIdentity,
  index: LoadedJournal,
): Promise<JournalEnd> {
  let end = { offset: 0, ended: true };
  let difference: Difference | undefined;
  let broken: FileLine | undefined;
  let othersFollow = false;
  for await (const line of linesOf(fileDescriptor)) {
    if (line.text.trim() === '') continue;
    othersFollow ||= broken !== undefined;
    const good = line.number === 1 ? !isTornHeader(line) : takeEntry(line, index);
    if (good && line.number === 1) difference = differenceIn(path, line.text, identity);
    if (!good) broken ??= line;
    else if (broken === undefined) end = { offset: line.offset + line.length + (line.ended ? 1 : 0), ended: line.ended };
  }
  if (difference?.unreadable === true) throw refusal(path, difference, index.answers);
  const damage = broken !== undefined && othersFollow ? damageAt(path, broken) : undefined;
  const objection = damage ?? (index.answers > 0 ? difference : undefined);
  if (objection !== undefined) throw refusal(path, difference ?? objection, index.answers);
  return { ...end, abandoned: difference !== undefined };
}

/** A run that was killed while it wrote the header has asked for nothing yet. */
const isTornHeader = ({ text, ended }: FileLine): boolean => !ended && parseObject(text) === undefined;

function takeEntry({ text, offset, length }: FileLine, index: LoadedJournal): boolean {
  const entry = readEntry(text);
  if (entry === undefined) return false;
  if ('file' in entry) index.files.push(entry.file);
  else index.take(entry, { offset, length });
  return true;
}

const damageAt = (path: string, line: FileLine) => ({
  message: `${path}, line ${line.number}: the line is damaged, and others follow it`,
  goOn: 'restore the line',
});

/** @throws UsageError for a file that starts like no journal: it is somebody's, and not ours to write or discard */
export function refuseForeignFile(path: string, fileDescriptor: number): void {
  const expected = Buffer.from(headerStart);
  const size = Math.min(fstatSync(fileDescriptor).size, expected.length);
  const start = Buffer.alloc(size);
  readSync(fileDescriptor, start, 0, size, 0);
  if (start.equals(expected.subarray(0, size))) return;
  throw new UsageError(`${path} exists and is no journal of pdi`, { item: path, hint: 'move it away, or choose another --out' });
}
