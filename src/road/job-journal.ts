/** The journal of a job: its place beside FILE, the lock on FILE, and how it is opened or looked at. */

import { existsSync } from 'node:fs';
import type { Owner } from '../book/calls.ts';
import type { JobFile } from '../book/job-file.ts';
import type { JobIdentity, JobIndex } from '../book/job-lines.ts';
import { type Endpoint, jobName } from '../contract/endpoint.ts';
import { PdiError, systemCodeOf, UsageError, withMoreHint } from '../errors.ts';
import { type Lock, lockOutput } from '../files/lock.ts';
import { troubleOf } from '../files/sqlite.ts';
import { isStdout } from '../output/formats.ts';
import { findTarget, placeFailure } from '../output/sinks/sink.ts';
import type { Plan } from './plan.ts';
import { ownerIfKnown } from './spending.ts';
import type { Tools } from './tools.ts';

/** FILE as the user named it, its real path, and its journal, which is beside the target of links: all names of a file share one. */
export interface JournalPlace {
  readonly out: string;
  readonly file: string;
  readonly path: string;
}

/** Undefined if `--out` is not a file, because bytes that went to standard output, a device or a FIFO cannot be written again. */
export async function journalPlace(out: string | undefined): Promise<JournalPlace | undefined> {
  if (out === undefined || isStdout(out)) return undefined;
  const { kind, path } = await findTarget(out, { force: true });
  return kind === 'file' ? { out, file: path, path: `${path}.journal` } : undefined;
}

const placeCodes: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENAMETOOLONG',
]);

/** If nothing can be created beside FILE, the error is about FILE, because the user chose FILE and not the journal. */
const aboutFile =
  ({ out, path }: JournalPlace) =>
  (error: unknown): never => {
    const cause = error instanceof PdiError ? error.details.cause : error;
    const isOfPlace =
      error instanceof PdiError
        ? placeCodes.has(systemCodeOf(cause))
        : cause instanceof Error && 'syscall' in cause;
    const failure = isOfPlace ? placeFailure(out, cause) : error;
    // Both advise another FILE, where all would be bought again without the journal.
    const advisesAnother =
      failure instanceof UsageError && (isOfPlace || troubleOf(cause) !== undefined);
    if (!advisesAnother || !existsSync(path)) throw failure;
    throw withMoreHint(
      failure,
      `copy ${path} there first, as FILE.journal: what it holds is not bought again`,
    );
  };

/** For the whole job. @throws InUse, or PdiError about FILE */
export const lockFile = (place: JournalPlace): Promise<Lock> =>
  lockOutput(place.file, place.path).catch(aboutFile(place));

/** Opens the journal beside FILE. @throws what `findTarget` and `openJobFile` throw */
export async function openJobJournal(
  place: JournalPlace,
  { rules, show }: Plan,
  tools: Tools,
  endpoint: Endpoint,
): Promise<JobFile> {
  const { restart, retryUnknown } = rules;
  // A run that may not write FILE leaves the journal as it is, above all paid answers that --restart discards.
  const mayWrite = (journal?: JobFile) => findTarget(place.out, { force: show.force, journal });
  if (restart) await mayWrite();
  const identity = identityOf(show.command, endpoint, await tools.owner());
  const { openJobFile } = await import('../book/job-file.ts');
  return openJobFile({
    path: place.path,
    identity,
    restart,
    retryUnknown,
    takeOver: mayWrite,
  }).catch(aboutFile(place));
}

/** Without `--out` the answers of a job go to a private file that nobody else sees, because memory must not grow with them. */
export async function openRunJournal({ atEnd }: Tools): Promise<JobFile | undefined> {
  const { openNamelessJobFile } = await import('../book/job-file.ts');
  const journal = openNamelessJobFile();
  if (journal !== undefined) atEnd(async () => journal.remove());
  return journal;
}

/** Reads the journal for a plan, without changing it; undefined without a key too, because the journal's owner is then unknown. */
export async function peekJobJournal(
  { rules, show }: Plan,
  tools: Tools,
  endpoint: Endpoint,
): Promise<JobIndex | undefined> {
  const place = rules.restart ? undefined : await journalPlace(show.out);
  if (place === undefined) return undefined;
  const { peekJobFile } = await import('../book/job-file.ts');
  const owner = await ownerIfKnown(tools);
  if (owner === undefined) return undefined;
  return peekJobFile(
    place.path,
    identityOf(show.command, endpoint, owner),
    rules.retryUnknown,
  ).catch(aboutFile(place));
}

const identityOf = (command: string, endpoint: Endpoint, owner: Owner): JobIdentity => ({
  command,
  operation: jobName(endpoint),
  ...owner,
});
