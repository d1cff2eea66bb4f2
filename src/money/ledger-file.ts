/** The ledger has one file a month of UTC, and a single one from before. Any number of processes append to them at once. */
import { closeSync, fstatSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../errors.ts';
import { gather } from '../files/gather.ts';
import { appendOnly, openPrivateFile, type Write, writeTexts } from '../files/private.ts';
import { monthOf } from '../rows/days.ts';

/** Gives the file of the month that holds `at`, a time or day of UTC in ISO 8601. */
export const ledgerPath = (directory: string, at: string): string => join(directory, `ledger-${monthOf(at)}.ndjson`);

/** Both are days of UTC as YYYY-MM-DD, and both are included. */
export interface Period {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const wholeLedger = 'ledger.ndjson';
const monthName = /^ledger-(\d{4}-\d{2})\.ndjson$/;

/** Gives the files that may hold calls of that time, the oldest first; none where there is no folder. @throws the system's error */
export function ledgerFiles(directory: string, { since = '', until = '9999' }: Period): readonly string[] {
  const isWanted = (name: string): boolean => {
    const month = monthName.exec(name)?.[1];
    return month === undefined ? name === wholeLedger : month >= monthOf(since) && month <= monthOf(until);
  };
  // The ledger was one file before it was cut by month, so that one comes first.
  const inOrder = (name: string): string => (name === wholeLedger ? '' : name);
  const names = namesIn(directory).filter(isWanted);
  return names.sort((left, right) => (inOrder(left) < inOrder(right) ? -1 : 1)).map((name) => join(directory, name));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Lines of one moment are one `write()` in append mode, which the system does not mix with another's. */
export class LedgerFile {
  private readonly fileDescriptor: number;
  private wroteWhole = false;

  constructor(
    readonly path: string,
    private readonly write: Write,
  ) {
    this.fileDescriptor = openPrivateFile(path, appendOnly);
  }

  /** Gives why the line is not whole in the file, undefined where it is. */
  readonly append: (line: string) => Promise<unknown> = gather((lines) => this.appendAll(lines));

  private appendAll(lines: readonly string[]): readonly unknown[] {
    try {
      const seal = !this.wroteWhole && endsTorn(this.fileDescriptor) ? '\n' : '';
      this.wroteWhole = false;
      const texts = lines.map((line, place) => `${place === 0 ? seal : ''}${line}\n`);
      const { ends, written, cause } = writeTexts(this.fileDescriptor, texts, this.write, null);
      this.wroteWhole = cause === undefined;
      return ends.map((end) => (end > written ? cause : undefined));
    } catch (error) {
      return lines.map(() => error);
    }
  }

  close(): void {
    closeSync(this.fileDescriptor);
  }
}

/**
 * After a full disk the file may end in half a line of anyone. Ours is not glued to it where we begin, or failed ourselves; the reader cuts
 * off what another run leaves in between. A line that another process is writing looks the same for a moment (a write that crosses a page
 * grows the file in two steps), so only what stays half a line is torn.
 */
function endsTorn(fileDescriptor: number): boolean {
  for (let look = 0; look < looksAtHalfALine; look += 1) {
    if (look > 0) Atomics.wait(nothingToWaitFor, 0, 0, 1);
    if (!endsInsideLine(fileDescriptor)) return false;
  }
  return true;
}

const oneByte = new Uint8Array(1);
const looksAtHalfALine = 25;
const nothingToWaitFor = new Int32Array(new SharedArrayBuffer(4));

function endsInsideLine(fileDescriptor: number): boolean {
  const { size } = fstatSync(fileDescriptor);
  return size > 0 && readSync(fileDescriptor, oneByte, 0, 1, size - 1) === 1 && oneByte[0] !== 0x0a;
}
