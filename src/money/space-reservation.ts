/** Takes disk space for answers on their way, as blanks that they overwrite. It is an estimate where a file system copies on write. */
import { type Write, writeWhole } from '../files/private.ts';

/** It is more than the longest profile or page of signals that is to be expected. */
const roomForAnswer = 256 * 1024;
/** Larger blanks become larger pieces of the system's memory, and a short line in a large piece takes longer to write. */
const step = 64 * 1024;

export class SpaceReservation {
  private readonly fileDescriptor: number;
  private readonly write: Write;
  /** It is made for the first call that may be billed, because free jobs need none. */
  private blanks: Buffer | undefined;
  private end = 0;

  constructor(fileDescriptor: number, write: Write) {
    this.fileDescriptor = fileDescriptor;
    this.write = write;
  }

  /** Makes sure that `answers` answers fit behind `size` bytes. @throws the system's error: then none must be asked for */
  take(size: number, answers: number): void {
    this.end = Math.max(this.end, size);
    while (this.end < size + answers * roomForAnswer) {
      this.blanks ??= Buffer.alloc(step, ' ');
      this.end += writeWhole(this.fileDescriptor, this.blanks, this.write, this.end);
    }
  }
}
