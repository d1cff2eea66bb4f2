/**
 * Room on the disk for answers that are still on their way: blanks behind the last line, which the answers overwrite.
 * It holds on file systems that overwrite in place; on those that copy at every write it is an estimate.
 */
import { type Write, writeWhole } from '../files/private.ts';

/** More than the longest profile or page of signals that is to be expected. */
const roomForAnswer = 256 * 1024;
/** Larger blanks become larger pieces of the system's memory, and a short line in a large piece takes longer to write. */
const step = 64 * 1024;

/** The blanks at the end of one file. */
export class SpaceReservation {
  private readonly fileDescriptor: number;
  private readonly write: Write;
  /** Made for the first call that may be billed: free jobs need none. */
  private blanks: Buffer | undefined;
  private end = 0;

  constructor(fileDescriptor: number, write: Write) {
    this.fileDescriptor = fileDescriptor;
    this.write = write;
  }

  /** Makes sure that `answers` answers fit behind `size` bytes. Throws as the disk does: then none must be asked for. */
  take(size: number, answers: number): void {
    this.end = Math.max(this.end, size);
    while (this.end < size + answers * roomForAnswer) {
      this.blanks ??= Buffer.alloc(step, ' ');
      this.end += writeWhole(this.fileDescriptor, this.blanks, this.write, this.end);
    }
  }
}
