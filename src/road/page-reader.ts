/** Reads the pages of a list, and says how to continue after an early end. */

import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import { readRecord } from '../rows/record.ts';
import type { ResultRows } from '../rows/result-row.ts';
import { type PagesJob, pages, type WantedPages } from './pages.ts';
import { billedBy } from './run-cost.ts';
import type { Spending } from './spending.ts';

export type PagedRange<E extends Endpoint> = Pick<PagesJob<E>, 'name' | 'request' | 'onPage'>;

/** `isMany` where more than one page is asked for, though there may be one at most. */
export interface PagesAsked extends WantedPages {
  readonly isMany: boolean;
}

export interface PagedRun<E extends Endpoint> extends Pick<PagesJob<E>, 'endpoint' | 'deliveredBefore'> {
  readonly wanted: PagesAsked;
  /** They are read one after the other; `--max-pages` counts the pages of all. */
  readonly ranges: readonly PagedRange<E>[];
  /** With a bookmark, it says how to go on after an early end, by a limit of the user's or not; undefined if nothing is left. */
  readonly whatIsLeft?: (atLimit: boolean) => string | undefined;
  readonly afterwards?: () => Promise<void>;
  readonly outbox?: Outbox;
}

/** What a program has yet to take: each record's own text. */
export interface Outbox {
  /** Earlier runs bought these. */
  readonly waiting: readonly string[];
  /** It is told of all rows before they go to the program. */
  readonly keep: (records: readonly string[]) => Promise<void>;
}

/** Yields what waits first, which takes no call; all of it waits until the program has taken it. */
export async function* withOutbox(rows: ResultRows, { waiting, keep }: Outbox): ResultRows {
  const records = [...waiting];
  if (waiting.length > 0) yield waiting.map((text) => ({ record: readRecord(text), status: 'ok' }));
  let failure: PdiError | undefined;
  for await (const together of rows) {
    if (together instanceof PdiError) failure = together;
    else {
      for (const { record } of together) if (record !== undefined) records.push(record.text);
      yield together;
    }
  }
  if (records.length > 0) await keep(records);
  if (failure !== undefined) yield failure;
}

export class Reading<E extends Endpoint> {
  private read = 0;
  private ended = false;
  private failure: PdiError | undefined;

  constructor(
    private readonly run: PagedRun<E>,
    private readonly spending: Pick<Spending, 'buyer' | 'spent'>,
    private readonly end: { readonly stop: AbortSignal; readonly out: string | undefined },
  ) {}

  /** Yields the rows of each page together. An interruption comes last, with its own message. */
  async *rows(): ResultRows {
    const { run } = this;
    const { buyer } = this.spending;
    const stopped = () => this.end.stop.aborted;
    const { maxPages, ...wanted } = run.wanted;
    for (const range of run.ranges) {
      const job = { buyer, stopped, ...run, ...range, ...wanted, maxPages: maxPages - this.read };
      for await (const rows of pages(job)) {
        if (rows instanceof PdiError) {
          this.failure = rows;
          return yield rows.code === 'interrupted' ? this.interrupted(rows) : rows;
        }
        this.read += 1;
        yield rows;
      }
    }
    this.ended = true;
  }

  get resume(): string | undefined {
    const left = this.whatIsLeft;
    const isLost = this.failure?.details.billed === 'unknown';
    return left !== undefined && isLost ? `${left}, where 1 call may be billed a second time` : left;
  }

  private get whatIsLeft(): string | undefined {
    const { read, run, end } = this;
    if (run.whatIsLeft !== undefined) return run.whatIsLeft(this.ended || this.endedByCap);
    if (read === 0 || this.ended || !run.wanted.isMany) return undefined;
    const elsewhere = end.out === undefined ? '' : ' and another --out';
    const pagesRead = read === 1 ? '1 page was read' : `${read} pages were read`;
    return `${pagesRead}; go on with --page ${(run.wanted.page ?? 0) + read}${elsewhere}`;
  }

  private get endedByCap(): boolean {
    return this.failure?.code === 'credits' && this.failure.details.status === undefined;
  }

  /** The message and `billed` of the client are about one request, so the run replaces them. */
  private interrupted({ details }: PdiError): PdiError {
    const message = this.read === 0 ? 'interrupted: no page was read' : 'interrupted: not every page was read';
    return new PdiError('interrupted', message, {
      ...details,
      billed: billedBy(this.spending.spent),
      ...(this.resume === undefined ? { rerun: 'run the same command again' } : { hint: this.resume }),
    });
  }
}
