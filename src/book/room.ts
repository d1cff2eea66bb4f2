/** Takes disk space for the answers under way, in a file that is cut when the disk is full: a paid answer takes the place of the zeros. */
import { closeSync, ftruncateSync, rmSync } from 'node:fs';
import { openPrivateFile, writeToDisk, writeWhole } from '../files/private.ts';

/** It is more than the longest profile or page of signals that is to be expected. */
const roomForAnswer = 256 * 1024;
const step = 64 * 1024;

export class Room {
  private fileDescriptor: number | undefined;
  private size = 0;

  constructor(private readonly path: string) {}

  /** @throws the system's error: then no more answers must be asked for */
  take(answers: number): void {
    if (this.size >= answers * roomForAnswer) return;
    this.fileDescriptor ??= openPrivateFile(this.path, 0);
    const zeros = Buffer.alloc(step);
    while (this.size < answers * roomForAnswer) this.size += writeWhole(this.fileDescriptor, zeros, writeToDisk, this.size);
  }

  /** Gives the space back to the disk, and tells whether there was any. */
  give(): boolean {
    if (this.fileDescriptor === undefined || this.size === 0) return false;
    ftruncateSync(this.fileDescriptor, 0);
    this.size = 0;
    return true;
  }

  close(): void {
    if (this.fileDescriptor === undefined) return;
    closeSync(this.fileDescriptor);
    rmSync(this.path, { force: true });
    this.fileDescriptor = undefined;
  }
}
