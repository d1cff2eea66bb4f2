/** The journal of a job with `--out FILE` lets the same command, run again, ask only for the rest. */
import type { JobFile } from '../book/job-file.ts';
import type { JobIdentity, JobIndex } from '../book/job-lines.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError, systemCodeOf } from '../errors.ts';
import { lockOutput, refuseLocked } from '../files/lock.ts';
import { findTarget } from '../output/sinks/file-sink.ts';
import { isStdout, unusable } from '../output/sinks/sink.ts';
import type { JobPlan, Rules } from './plan.ts';
import type { Tools } from './tools.ts';

/** Opens the journal beside FILE for this run alone; undefined without `--out`. @throws what `findTarget` and `openJobFile` throw */
export async function openJobJournal(plan: JobPlan, tools: Tools, endpoint: Endpoint): Promise<JobFile | undefined> {
  const { restart, rules, show } = plan;
  // Before --restart discards paid answers, this makes sure that the run may write FILE.
  const place = await journalPlace(show.out, { force: !restart || show.force });
  if (place === undefined) return undefined;
  const identity = await identityOf(show.command, endpoint, tools);
  const { openJobFile } = await import('../book/job-file.ts');
  const lock = await lockOutput(place.file, place.path).catch(aboutFile(place));
  return openJobFile({ path: place.path, identity, restart, retryUnknown: rules.retryUnknown, lock }).catch(aboutFile(place));
}

/** It is told before the book is asked, because whoever has FILE may stand still while it has the book too. @throws InUse */
export async function refuseInUse(out: string | undefined): Promise<void> {
  const place = await journalPlace(out, { force: true }).catch(() => undefined);
  if (place !== undefined) await refuseLocked(place.file, place.path);
}

/** Without `--out` the answers of a job go to a private file that nobody else sees, because memory must not grow with them. */
export async function openRunJournal({ retryUnknown }: Rules, { atEnd }: Tools): Promise<JobFile | undefined> {
  const { openNamelessJobFile } = await import('../book/job-file.ts');
  const journal = openNamelessJobFile(retryUnknown);
  if (journal !== undefined) atEnd(async () => journal.remove());
  return journal;
}

/** FILE as the user named it, its real path, and its journal, which is beside the target of links: all names of a file share one. */
interface JournalPlace {
  readonly out: string;
  readonly file: string;
  readonly path: string;
}

/** Undefined if `--out` is not a file, because bytes that went to standard output, a device or a FIFO cannot be written again. */
async function journalPlace(out: string | undefined, permission: { readonly force: boolean }): Promise<JournalPlace | undefined> {
  if (out === undefined || isStdout(out)) return undefined;
  const { kind, path } = await findTarget(out, permission);
  return kind === 'file' ? { out, file: path, path: `${path}.journal` } : undefined;
}

const placeCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']);

/** If nothing can be created beside FILE, the error is about FILE, because the user chose FILE and not the journal. */
const aboutFile =
  ({ out }: JournalPlace) =>
  (error: unknown): never => {
    const cause = error instanceof PdiError ? error.details.cause : error;
    if (!placeCodes.has(systemCodeOf(cause))) throw error;
    throw unusable(out, cause);
  };

/** Reads the journal for a plan, without changing it; undefined without a key too, because the journal's owner is then unknown. */
export async function peekJobJournal(plan: JobPlan, tools: Tools, endpoint: Endpoint): Promise<JobIndex | undefined> {
  const { restart, rules, show } = plan;
  const place = restart ? undefined : await journalPlace(show.out, { force: true });
  if (place === undefined) return undefined;
  const { peekJobFile } = await import('../book/job-file.ts');
  const identity = await identityOf(show.command, endpoint, tools).catch((error: unknown) => {
    if (error instanceof PdiError && error.code === 'auth') return undefined;
    throw error;
  });
  if (identity === undefined) return undefined;
  return peekJobFile(place.path, identity, rules.retryUnknown).catch(aboutFile(place));
}

async function identityOf(command: string, endpoint: Endpoint, { owner }: Tools): Promise<JobIdentity> {
  return { command, operation: `${endpoint.method} ${endpoint.path}`, ...(await owner()) };
}
