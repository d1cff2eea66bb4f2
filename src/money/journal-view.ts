/** Looking at a journal without touching it. */

import { closeSync, openSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { diskFailure } from '../files/private.ts';
import { refuseUnlessRegular } from '../files/replace.ts';
import type { Outcome } from '../rows/result-row.ts';
import { JournalIndex, loadJournal, type ResumeRules, refuseForeignFile } from './journal-index.ts';
import type { JournalIdentity } from './journal-lines.ts';

export interface JournalQuestion extends ResumeRules {
  readonly path: string;
  readonly identity: JournalIdentity;
}

/** A journal read without touching it, for `--dry-run`. */
export interface JournalView {
  known(item: string): Outcome | undefined;
  close(): void;
}

/** Reads the journal at `path`, undefined when there is none. Creates, locks and changes nothing; throws as `openJournal` does. */
export async function peekJournal(options: JournalQuestion): Promise<JournalView | undefined> {
  const { path, identity } = options;
  refuseUnlessRegular(path, 'choose another --out');
  let fileDescriptor: number | undefined;
  try {
    const opened = openSync(path, 'r');
    fileDescriptor = opened;
    refuseForeignFile(path, opened);
    const index = new JournalIndex(opened, options);
    await loadJournal(path, opened, identity, index);
    return { known: (item) => index.known(item), close: () => closeSync(opened) };
  } catch (error) {
    if (fileDescriptor !== undefined) closeSync(fileDescriptor);
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw diskFailure('cannot read the journal', path, error);
  }
}
