/** The journal of a job with `--out FILE` lets the same command, run again, ask only for the rest. */
import { existsSync } from 'node:fs';
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError, systemCodeOf } from '../errors.ts';
import type { Journal } from '../money/journal.ts';
import type { JournalIdentity } from '../money/journal-lines.ts';
import type { JournalView } from '../money/journal-open.ts';
import { isStdout } from '../output/sinks/sink.ts';
import type { Context } from './context.ts';

/** Opens the journal beside FILE for this run alone; undefined without `--out`. @throws what `findTarget` and `openJournal` throw */
export async function openJobJournal(context: Context, endpoint: Endpoint): Promise<Journal | undefined> {
  const { restart = false, retryUnknown, force = false } = context.flags;
  // Before --restart discards paid answers, this makes sure that the run may write FILE.
  const place = await journalPlace(context, { force: !restart || force });
  if (place === undefined) return undefined;
  const { openJournal } = await import('../money/journal-open.ts');
  return openJournal({
    path: place.path,
    identity: await identityOf(context, endpoint),
    restart,
    billable: endpoint.billing !== 'free',
    retryUnknown: retryUnknown === true,
    processes: context.io.processes,
    clock: () => new Date(),
  }).catch(aboutFile(place));
}

/** Without `--out` the answers of a job go to a private file that nobody else sees, because memory must not grow with them. */
export async function openRunJournal(context: Context): Promise<Journal | undefined> {
  const { openTemporaryJournal } = await import('../money/journal-open.ts');
  const journal = openTemporaryJournal(context.flags.retryUnknown === true);
  if (journal !== undefined) context.onDispose(async () => journal.remove());
  return journal;
}

/** FILE as the user named it, and its journal. The journal is beside the target of links, so all names of a file share one. */
interface JournalPlace {
  readonly out: string;
  readonly path: string;
}

/** Undefined if `--out` is not a file, because bytes that went to standard output, a device or a FIFO cannot be written again. */
async function journalPlace({ flags: { out } }: Context, permission: { readonly force: boolean }): Promise<JournalPlace | undefined> {
  if (out === undefined || isStdout(out)) return undefined;
  const [{ findTarget }, { journalPath }] = await Promise.all([import('../output/sinks/target.ts'), import('../files/lock.ts')]);
  const { kind, path } = await findTarget(out, permission);
  return kind === 'file' ? { out, path: journalPath(path) } : undefined;
}

const placeCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']);

/** If nothing can be created beside FILE, the error is about FILE, because the user chose FILE and not the journal. */
const aboutFile =
  ({ out, path }: JournalPlace) =>
  async (error: unknown) => {
    const cause = error instanceof PdiError ? error.details.cause : undefined;
    if (existsSync(path) || !placeCodes.has(systemCodeOf(cause))) throw error;
    throw (await import('../output/sinks/target.ts')).unusable(out, cause);
  };

/** Reads the journal for a plan, without changing it; undefined without a key too, because the journal's owner is then unknown. */
export async function peekJobJournal(context: Context, endpoint: Endpoint): Promise<JournalView | undefined> {
  const { restart, retryUnknown } = context.flags;
  const place = restart === true ? undefined : await journalPlace(context, { force: true });
  if (place === undefined) return undefined;
  const { peekJournal } = await import('../money/journal-open.ts');
  const identity = await identityOf(context, endpoint).catch((error: unknown) => {
    if (error instanceof PdiError && error.code === 'auth') return undefined;
    throw error;
  });
  if (identity === undefined) return undefined;
  const options = { path: place.path, identity, billable: endpoint.billing !== 'free', retryUnknown: retryUnknown === true };
  return peekJournal(options).catch(aboutFile(place));
}

async function identityOf(context: Context, endpoint: Endpoint): Promise<JournalIdentity> {
  return { command: context.command, operation: `${endpoint.method} ${endpoint.path}`, ...(await context.owner()) };
}
