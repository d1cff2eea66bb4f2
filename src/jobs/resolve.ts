/** The resolver: distinct identifiers in batches of 50, several batches at once, rows out in input order, memory level. */
import { identifierKinds, resolvePeople } from '../contract/resolve.ts';
import { resolveLimit } from '../contract/service.ts';
import type { Classified, Invalid } from '../input/identifier.ts';
import type { InputRow } from '../rows/input-row.ts';
import { type Outcome, type ResultRow, type ResultRows, resultRow } from '../rows/result-row.ts';
import { type BatchItem, resolveBatch } from './batch.ts';
import { type Job, type JobRun, NoQuestion, questionOf } from './job.ts';
import { mapOrdered, semaphore } from './map-ordered.ts';
import { PendingRequest, type ResultCache } from './result-cache.ts';

/** The job that resolves identifiers, each told apart by `classify`. */
export const resolveJob = (classify: (text: string) => Classified | Invalid): Job<typeof resolvePeople, BatchItem> => ({
  endpoint: resolvePeople,
  identifierColumns: identifierKinds,
  ask: classify,
  perRequest: resolveLimit,
  requests: (items) => (items.length === 0 ? [] : [{ path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } }]),
  emptyIsFine: true,
  rows: (run) => new Resolve(classify, run).rows(),
});

/** Where a row's outcome is: known at once, at that place among the group's own items, or to be waited for elsewhere. */
type Source = Outcome | number | (() => Promise<Outcome>);

/** Consecutive rows, and the identifiers among them that nobody has asked for yet. */
class RowGroup {
  readonly rows: { readonly row: InputRow; readonly source: Source }[] = [];
  readonly items: BatchItem[] = [];
  readonly pending = new PendingRequest();
}

/** A group ends here even if its rows brought less than a batch of new identifiers. */
const maxRows = 2000;

/** One without any new identifier ends here: it asks for nothing, and its rows would only wait in memory. */
const maxKnownRows = 200;

const isFull = ({ items, rows }: RowGroup): boolean =>
  items.length >= resolveLimit || rows.length >= (items.length === 0 ? maxKnownRows : maxRows);

class Resolve {
  private readonly atOnce: ReturnType<typeof semaphore>;

  constructor(
    private readonly classify: (text: string) => Classified | Invalid,
    private readonly run: JobRun,
  ) {
    this.atOnce = semaphore(run.concurrency);
  }

  /** A group's rows together. */
  async *rows(): ResultRows {
    const { concurrency, stopRule } = this.run;
    let skipped = 0;
    for await (const together of mapOrdered(this.groups(), concurrency * 2, (group) => this.answered(group))) {
      for (const rows of together) {
        for (const { status } of rows) if (status === 'skipped') skipped += 1;
        yield rows;
      }
    }
    const failure = stopRule.failureOf(skipped);
    if (failure !== undefined) yield failure;
  }

  /** One by one: what a group need not ask for depends on those before it. */
  private async *groups(): AsyncGenerator<readonly [RowGroup]> {
    let group = new RowGroup();
    try {
      for await (const batch of this.run.input) {
        for (const row of batch) {
          this.add(group, row);
          if (!isFull(group)) continue;
          yield [group];
          group = new RowGroup();
        }
      }
    } catch (error) {
      // Rows before a line that cannot be read are rows like any other.
      if (group.rows.length > 0) yield [group];
      throw error;
    }
    if (group.rows.length > 0) yield [group];
  }

  private add(group: RowGroup, row: InputRow): void {
    const item = questionOf(row, this.classify);
    group.rows.push({ row, source: item instanceof NoQuestion ? item : sourceOf(this.run.results, group, item) });
  }

  /** Asks for a group's new identifiers and gives all its rows their outcomes. */
  private async answered(group: RowGroup): Promise<readonly ResultRow[]> {
    const own = await this.askedFor(group).catch((bug: unknown) => {
      group.pending.fail(bug);
      throw bug;
    });
    const result: ResultRow[] = [];
    for (const { row, source } of group.rows) {
      const outcome = typeof source === 'number' ? own[source] : typeof source === 'function' ? await source() : source;
      if (outcome === undefined) throw new Error('a batch has fewer outcomes than items');
      result.push(resultRow(row, outcome));
    }
    return result;
  }

  private async askedFor({ items, pending }: RowGroup): Promise<readonly Outcome[]> {
    const { results, stopRule } = this.run;
    if (items.length === 0) return [];
    const outcomes = await this.atOnce(() => resolveBatch(this.run, items));
    // What was not sent leaves no line in a journal: there may be a million of them.
    if (outcomes.some(({ status }) => status !== 'skipped')) results.save(pending, outcomes, stopRule);
    pending.settle(outcomes);
    return outcomes;
  }
}

function sourceOf(results: ResultCache, group: RowGroup, item: BatchItem): Source {
  const { key } = item;
  const pending = results.pending(key);
  if (pending !== undefined) return () => pending.outcomeOf(key);
  const known = results.known(key);
  if (known !== undefined) return known;
  results.expect(key, group.pending);
  return group.items.push(item) - 1;
}
