/** The journal of a job with `--out FILE`: what makes the same command, run again, ask only for the rest. */
import { existsSync, statSync } from 'node:fs';
import type { Context } from '../context.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError, systemCodeOf } from '../errors.ts';
import type { Journal, JournalIdentity, JournalView } from '../money/journal.ts';
import { isStdout } from '../output/stdout-name.ts';

/** Opens `FILE.journal` for this run alone; undefined without `--out`. Throws what `findTarget` and `openJournal` throw. */
export async function openJobJournal(context: Context, endpoint: Endpoint): Promise<Journal | undefined> {
  const { restart, retryUnknown, force } = context.flags;
  const out = resumableFile(context);
  if (out === undefined) return undefined;
  const { findTarget } = await import('../output/target.ts');
  // The file's own place is what the user named. And what bought answers hold is not discarded for a run that may not even write it.
  await findTarget(out, { mayReplace: restart !== true || force === true });
  const { journalPath, openJournal } = await import('../money/journal.ts');
  const path = journalPath(out);
  return openJournal({
    path,
    identity: await identityOf(context, endpoint),
    restart: restart === true,
    billable: endpoint.billing !== 'free',
    retryUnknown: retryUnknown === true,
    processes: context.io.processes,
    clock: () => new Date(),
  }).catch(aboutFile(out, path));
}

/** What the system says of a place in which no file can be made. */
const placeCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']);

/** The journal is ours to mind: where nothing can be made beside FILE, the mistake is about FILE, which the user named. */
const aboutFile = (out: string, journal: string) => async (error: unknown) => {
  const cause = error instanceof PdiError ? error.details.cause : undefined;
  if (existsSync(journal) || !placeCodes.has(systemCodeOf(cause))) throw error;
  throw (await import('../output/target.ts')).unusable(out, cause);
};

/** The same, read without touching it, for plans. Undefined too where there is no key to tell whose it is. */
export async function peekJobJournal(context: Context, endpoint: Endpoint): Promise<JournalView | undefined> {
  const { restart, retryUnknown } = context.flags;
  const out = resumableFile(context);
  if (out === undefined || restart === true) return undefined;
  const { journalPath, peekJournal } = await import('../money/journal.ts');
  const identity = await identityOf(context, endpoint).catch((error: unknown) => {
    if (error instanceof PdiError && error.code === 'auth') return undefined;
    throw error;
  });
  if (identity === undefined) return undefined;
  const path = journalPath(out);
  const options = { path, identity, billable: endpoint.billing !== 'free', retryUnknown: retryUnknown === true };
  return peekJournal(options).catch(aboutFile(out, path));
}

/** `--out` where it is, or will be, a file: standard output, a device or a FIFO takes each byte once and cannot be written again. */
const resumableFile = ({ flags: { out } }: Context): string | undefined =>
  out !== undefined && !isStdout(out) && mayBecomeFile(out) ? out : undefined;

function mayBecomeFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}

async function identityOf(context: Context, endpoint: Endpoint): Promise<JournalIdentity> {
  const { identity, key } = await context.service();
  return { command: context.command, operation: `${endpoint.method} ${endpoint.path}`, baseUrl: identity, key: await key() };
}
