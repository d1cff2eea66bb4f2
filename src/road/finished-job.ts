/** A job whose FILE is complete has nothing to do: the book keeps what made each FILE, and what came of its rows. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Endpoint, jobName } from '../contract/endpoint.ts';
import { attempt, orFailure, PdiError } from '../errors.ts';
import { stateAt } from '../files/private.ts';
import type { Source } from './input-source.ts';
import type { Plan, Show } from './plan.ts';
import { RunCount } from './run-count.ts';
import { ownerIfKnown } from './spending.ts';
import type { Tools } from './tools.ts';

export class FinishedJob {
  constructor(
    private readonly path: string,
    private readonly plan: Plan,
    private readonly tools: Tools,
    private readonly endpoint: Endpoint,
    private readonly origin: Source,
  ) {}

  /** The rows of FILE, and when it was written, where the same job wrote it and nobody touched it since. */
  async find(): Promise<{ readonly count: RunCount; readonly at: number } | undefined> {
    const { path, tools, plan } = this;
    const { fresh, restart } = plan.rules;
    const file = stateOf(path);
    if (file === undefined || plan.show.force || fresh || restart) return undefined;
    const kept = await orFailure(async () => {
      const { findFinishedJob } = await import('../book/finished-jobs.ts');
      const book = await tools.book.ifThere();
      return book && findFinishedJob(book, path);
    });
    if (
      kept === undefined ||
      kept instanceof PdiError ||
      kept.file.size !== file.size ||
      kept.file.modified !== file.modified
    )
      return undefined;
    if ((await this.name()) !== kept.job) return undefined;
    const count = new RunCount();
    Object.assign(count.tally, kept.rows);
    return { count, at: kept.at };
  }

  /** Before FILE.journal goes, so that a kill between leaves one of the two. Without a book the next run asks for --force. */
  async keep({ tally: rows }: RunCount): Promise<void> {
    const { path, tools } = this;
    const [job, file] = [await this.name(), stateOf(path)];
    if (job === undefined || file === undefined) return;
    await orFailure(async () => {
      const { keepFinishedJob } = await import('../book/finished-jobs.ts');
      await keepFinishedJob(await tools.book.open(), path, { job, file, at: Date.now(), rows });
    });
  }

  /** Undefined for what cannot be read twice, or changed while it was read. */
  private async name(): Promise<string | undefined> {
    const { plan, endpoint, origin, tools } = this;
    const { input, accept: _, ...form } = origin;
    const operation = jobName(endpoint);
    const owner = await ownerIfKnown(tools);
    const hash = createHash('sha256')
      .update(JSON.stringify(plan.show, ofFile))
      .update(JSON.stringify({ operation, owner, form, input: input && basename(input) }));
    if (input === undefined) return hash.digest('hex');
    const before = stateOf(input);
    if (before === undefined) return undefined;
    try {
      for await (const bytes of createReadStream(input)) hash.update(bytes);
    } catch {
      return undefined;
    }
    const after = stateOf(input);
    return after?.size === before.size && after.modified === before.modified
      ? hash.digest('hex')
      : undefined;
  }
}

/** What decides the bytes of FILE, of all that was said of it. */
const ofFile = [
  'command',
  'format',
  'fields',
  'explode',
  'withInput',
  'header',
  'delimiter',
  'bom',
  'formulaGuard',
  'textIds',
] satisfies (keyof Show)[];

const stateOf = (path: string) => attempt(() => stateAt(path));

/** `today 18:41`, or the day, as the clock on the wall says. */
export function momentWords(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
  return `${then.toDateString() === today.toDateString() ? 'today' : day} ${two(then.getHours())}:${two(then.getMinutes())}`;
}
