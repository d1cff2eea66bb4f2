/** Reads the pages of a list, and says how to continue after an early end. */

import type { Endpoint } from '../contract/endpoint.ts';
import { defaultLimit } from '../contract/service.ts';
import { PdiError } from '../errors.ts';
import { readRecord } from '../rows/record.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { type PagesJob, pages, type WantedPages } from './pages.ts';
import { billedBy } from './run-cost.ts';
import type { Spending } from './spending.ts';

export type PagedRange<E extends Endpoint> = Pick<PagesJob<E>, 'name' | 'request' | 'walk'>;

/** `isMany` where more than one page is asked for, though there may be one at most. */
export interface PagesAsked extends WantedPages {
  readonly isMany: boolean;
}

export interface PagedRun<E extends Endpoint> extends Pick<PagesJob<E>, 'endpoint' | 'deliveredBefore'> {
  readonly wanted: PagesAsked;
  /** They are read one after the other; `--max-pages` counts the pages of all. */
  readonly ranges: Iterable<PagedRange<E>>;
  /** With a bookmark, it says how to go on after an early end; undefined if nothing is left. */
  readonly whatIsLeft?: () => string | undefined;
  /** So many records come before the next one, where pages are not numbered. */
  readonly position?: () => number;
  /** What is said at the end of what the service answered. */
  readonly remark?: () => string | undefined;
  readonly lookBack?: LookBack;
  readonly outbox?: Outbox;
  /** Records went out before the first page, so that no page of its own makes the run empty. */
  readonly hasDelivered?: boolean;
}

/** How many calls were billed for pages that were read again, and held nothing new. */
export interface LookBack {
  readonly days: number;
  readonly calls: () => number;
}

/** What was bought, and is not yet safely written or taken by a program: each record's own text. */
interface Outbox {
  /** Earlier runs bought these. */
  readonly waiting: readonly string[];
  /** It is told of the rows of each page before they go out. */
  readonly keep: (records: readonly string[]) => Promise<void>;
  /** It is told once all rows are safe. */
  readonly empty: () => Promise<void>;
}

export const rowsOfTexts = (records: readonly string[]): readonly ResultRow[] =>
  records.map((text) => ({ record: readRecord(text), status: 'ok' }));

export class Reading<E extends Endpoint> {
  private read = 0;
  private ended = false;
  private failure: PdiError | undefined;

  constructor(
    private readonly run: PagedRun<E>,
    private readonly spending: Pick<Spending, 'buyer' | 'spent'>,
    private readonly end: { readonly stop: AbortSignal; readonly out: string | undefined },
  ) {}

  /** Yields what waits, which takes no call, then the rows of each page together. An interruption comes last, with its own message. */
  async *rows(): ResultRows {
    const { run } = this;
    const { waiting = [], keep } = run.outbox ?? {};
    if (waiting.length > 0) yield rowsOfTexts(waiting);
    const stopped = () => this.end.stop.aborted;
    const { maxPages, ...wanted } = run.wanted;
    const keepRows = keep && ((rows: readonly ResultRow[]) => keep(rows.flatMap(({ record }) => record?.text ?? [])));
    for (const range of run.ranges) {
      const { endpoint, deliveredBefore } = run;
      const job = { buyer: this.spending.buyer, stopped, endpoint, deliveredBefore, ...range, ...wanted, keep: keepRows };
      for await (const rows of pages({ ...job, maxPages: maxPages - this.read })) {
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
    if (run.whatIsLeft !== undefined) return run.whatIsLeft();
    if (read === 0 || this.ended || !run.wanted.isMany) return undefined;
    const elsewhere = end.out === undefined ? '' : ' and another --out';
    const pagesRead = read === 1 ? '1 page was read' : `${read} pages were read`;
    return `${pagesRead}; go on with ${this.nextPage}${elsewhere}`;
  }

  private get nextPage(): string {
    const { position, wanted } = this.run;
    const { page = 0, limit = defaultLimit } = wanted;
    const place = position?.();
    if (place === undefined) return `--page ${page + this.read}`;
    const next = pageAt(place, limit);
    return `--page ${next.page}${next.limit === limit ? '' : ` --limit ${next.limit}`}`;
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

/** The page of at most `most` records that passes over none from `position` on, and has the fewest before it. */
function pageAt(position: number, most: number): { readonly page: number; readonly limit: number } {
  const choices = Array.from({ length: most }, (_, at) => ({ limit: most - at, page: Math.floor(position / (most - at)) }));
  return choices.reduce((one, other) => ((other.page + 1) * other.limit > (one.page + 1) * one.limit ? other : one));
}
