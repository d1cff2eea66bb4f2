/** A file of lines that many processes append to, each line in a single write, which the system does not mix with another's. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../errors.ts';
import { appendOnly, type Write, writeWhole } from '../../files/private.ts';
import type { LinePlace } from '../journal-load.ts';
import type { StoreModes } from './store-folder.ts';

/** All methods throw the system's error. */
export class AppendedFile {
  private fileDescriptor: number | undefined;
  private mayAppend = false;
  /** The size when this run looked last. */
  private seen = 0;

  constructor(
    readonly path: string,
    private readonly modes: StoreModes,
    private readonly write: Write,
  ) {}

  /** Bytes; 0 where there is no such file. */
  get size(): number {
    this.fileDescriptor ??= openIfThere(this.path);
    return this.fileDescriptor === undefined ? 0 : fstatSync(this.fileDescriptor).size;
  }

  read({ offset, length }: LinePlace): Buffer {
    this.fileDescriptor ??= openSync(this.path, 'r');
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(this.fileDescriptor, bytes, 0, length, offset));
  }

  /** Gives the number of bytes. */
  append(line: string): number {
    // The first line feed keeps the line apart from half a line of a full disk.
    return writeWhole(this.openedToAppend(), `\n${line}\n`, this.write);
  }

  /** Where the line stands that was just appended with so many bytes; undefined where the file was deleted while it was open. */
  placeOf(line: string, written: number): LinePlace | undefined {
    const { size, nlink } = fstatSync(this.openedToAppend());
    if (nlink === 0) return undefined;
    const offset = size - this.seen === written ? this.seen + 1 : this.lastOffsetOf(line, size);
    this.seen = size;
    return { offset, length: written - 2 };
  }

  close(): void {
    if (this.fileDescriptor !== undefined) closeSync(this.fileDescriptor);
    this.fileDescriptor = undefined;
    this.mayAppend = false;
  }

  /** Other processes appended since this run looked, before its line or after. */
  private lastOffsetOf(line: string, size: number): number {
    const start = Math.min(this.seen, size);
    const found = this.read({ offset: start, length: size - start }).lastIndexOf(line);
    if (found === -1) throw new Error(`${this.path}: the line that was just written is not in it`);
    return start + found;
  }

  private openedToAppend(): number {
    if (this.fileDescriptor !== undefined && this.mayAppend) return this.fileDescriptor;
    this.close();
    this.modes.makeFolder(dirname(this.path));
    const opened = this.modes.openFile(this.path, constants.O_RDWR | constants.O_CREAT | appendOnly);
    this.fileDescriptor = opened;
    this.mayAppend = true;
    this.seen = fstatSync(opened).size;
    return opened;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
