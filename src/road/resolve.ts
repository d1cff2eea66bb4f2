/** Resolves distinct identifiers in batches of 50, several at once. Rows come out in input order, and memory stays level. */
import type { Invalid } from '../contract/identifier.ts';
import { typeNameOf } from '../contract/misfits.ts';
import { type Classified, classify } from '../contract/person-identifier.ts';
import { identifierKinds, type PersonResolveIdentifier, type ResolveGroup, resolvePeople } from '../contract/resolve.ts';
import { resolveLimit } from '../contract/service.ts';
import { PdiError, ServiceError } from '../errors.ts';
import { isNested, isObject } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { ApiRecord } from '../rows/record.ts';
import { type Outcome, type ResultRows, resultRow } from '../rows/result-row.ts';
import { parseUrl } from '../rows/url.ts';
import { refuseFiles, type Source } from './input-source.ts';
import { type Job, type JobRun, type Keyed, NoQuestion, questionOf } from './job.ts';
import { mapOrdered, semaphore } from './map-ordered.ts';
import type { JobPlan } from './plan.ts';
import { PendingRequest, type ResultCache } from './result-cache.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

/** `as` says what every identifier is, whatever its shape. */
export async function runResolve(
  plan: JobPlan,
  tools: Tools,
  source: Source & { readonly as?: Parameters<typeof classify>[1] },
): Promise<void> {
  const otherwise = '; `--as id` asks for a vanity id of that name';
  if (source.as === undefined) refuseFiles(source.identifiers, { command: plan.show.command, flag: '-i', otherwise });
  await runJob(
    plan,
    tools,
    resolveJob((text) => classify(text, source.as)),
    source,
  );
}

export const resolveJob = (classify: (text: string) => Classified | Invalid): Job<typeof resolvePeople, BatchItem> => ({
  endpoint: resolvePeople,
  identifierColumns: identifierKinds,
  ask: classify,
  perRequest: resolveLimit,
  requests: (items) => (items.length === 0 ? [] : [{ path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } }]),
  emptyIsFine: true,
  triesNext: true,
  rows: (run) => new Resolve(classify, run).rows(),
});

/** A row's outcome is known at once, or stands at that place among the group's own items, or must be waited for elsewhere. */
type OutcomeSource = Outcome | number | (() => Promise<Outcome>);

interface TriedRow {
  readonly row: InputRow;
  readonly outcome: Outcome;
  readonly next: InputRow | undefined;
}

class RowGroup {
  readonly rows: { readonly row: InputRow; readonly source: OutcomeSource; readonly before?: TriedRow | undefined }[] = [];
  readonly items: BatchItem[] = [];
  readonly pending: PendingRequest;

  constructor(pass: number) {
    this.pending = new PendingRequest(pass);
  }
}

/** A group ends here even if its rows brought less than a batch of new identifiers. */
const maxRows = 2000;

/** A group without any new identifier ends here, because it asks for nothing and its rows would only wait in memory. */
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

  async *rows(): ResultRows {
    const { input, columns } = this.run;
    let tried = this.pass(1, input, (group, row) => this.add(group, row));
    for (let pass = 2; pass <= columns; pass += 1) tried = this.pass(pass, tried, (group, row) => this.addAgain(group, row));
    for await (const rows of tried) yield rows.map(({ row, outcome }) => resultRow(row, outcome));
  }

  /** Asks each row by one of its columns. A group of a later pass collects the few rows that are left from many groups. */
  private async *pass<T>(pass: number, source: AsyncIterable<readonly T[]>, add: Add<T>): AsyncGenerator<readonly TriedRow[]> {
    const groups = this.groups(pass, source, add);
    for await (const together of mapOrdered(groups, this.run.concurrency * 2, (group) => this.answered(group))) yield* together;
  }

  /** Groups are made one by one, because what a group need not ask for depends on those before it. */
  private async *groups<T>(pass: number, source: AsyncIterable<readonly T[]>, add: Add<T>): AsyncGenerator<readonly [RowGroup]> {
    let group = new RowGroup(pass);
    try {
      for await (const batch of source) {
        for (const row of batch) {
          add(group, row);
          if (!isFull(group)) continue;
          yield [group];
          group = new RowGroup(pass);
        }
      }
    } catch (error) {
      // Rows before a line that cannot be read are rows like any other.
      if (group.rows.length > 0) yield [group];
      throw error;
    }
    if (group.rows.length > 0) yield [group];
  }

  private add(group: RowGroup, row: InputRow, before?: TriedRow): void {
    const item = questionOf(row, this.classify);
    if (item instanceof NoQuestion) group.rows.push({ row, before, source: item });
    else {
      const asked = item.linkInText === true ? { ...row, linkInText: item.linkInText } : row;
      group.rows.push({ row: asked, before, source: sourceOf(this.run.results, group, item) });
    }
  }

  private addAgain(group: RowGroup, tried: TriedRow): void {
    const { row, outcome, next } = tried;
    if (next !== undefined && hasNoMatch(outcome)) this.add(group, next, tried);
    else group.rows.push({ row, source: outcome });
  }

  private async answered(group: RowGroup): Promise<readonly TriedRow[]> {
    group.pending.isUnderWay = true;
    const own = await this.askedFor(group).catch((bug: unknown) => {
      group.pending.fail(bug);
      throw bug;
    });
    const result: TriedRow[] = [];
    for (const { row, source, before } of group.rows) {
      const outcome = typeof source === 'number' ? own[source] : typeof source === 'function' ? await source() : source;
      if (outcome === undefined) throw new Error('a batch has fewer outcomes than items');
      const tried = { row, outcome, next: row.next };
      result.push(before === undefined ? tried : moreTelling(before, tried));
    }
    return result;
  }

  private async askedFor({ items, pending }: RowGroup): Promise<readonly Outcome[]> {
    const { results, stopRule } = this.run;
    if (items.length === 0) return [];
    const outcomes = await this.atOnce(() => resolveBatch(this.run, items));
    // What was not sent leaves no line in a journal, because there may be a million of them.
    if (outcomes.some(({ status }) => status !== 'skipped')) await results.save(pending, outcomes, stopRule);
    pending.settle(outcomes);
    return outcomes;
  }
}

type Add<T> = (group: RowGroup, row: T) => void;

const hasNoMatch = ({ status }: Outcome): boolean => status === 'not_found' || status === 'invalid';

/** Where no column has a match, the first column that could be asked for stands for the row. */
function moreTelling(before: TriedRow, now: TriedRow): TriedRow {
  const isWorse = now.outcome.status === 'invalid' || (now.outcome.status === 'not_found' && before.outcome.status === 'not_found');
  return isWorse ? { ...before, next: now.next } : now;
}

/** Another request's outcome is waited for. One of another pass must be under way: until then it may wait for rows that wait for this. */
function sourceOf(results: ResultCache, group: RowGroup, item: BatchItem): OutcomeSource {
  const { key } = item;
  const pending = results.pending(key);
  if (pending !== undefined && (pending.isUnderWay || pending.pass === group.pending.pass)) return () => pending.outcomeOf(key);
  const known = results.known(key);
  if (known !== undefined) return known;
  results.expect(key, group.pending);
  return group.items.push(item) - 1;
}

type BatchRun = Pick<JobRun, 'client' | 'stopRule'>;

export interface BatchItem extends Keyed {
  readonly identifier: PersonResolveIdentifier;
}

/** Gives the outcomes in order; failures are outcomes too. A batch that gets a 422 is halved, so that only the malformed item fails. */
export async function resolveBatch(run: BatchRun, items: readonly BatchItem[]): Promise<readonly Outcome[]> {
  const { client, stopRule } = run;
  if (stopRule.stopped) return items.map(() => stopRule.skipped);
  try {
    const request = { path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } };
    const only = items.length === 1 ? items[0]?.key : undefined;
    const { body, records } = await client.call(resolvePeople, request, { item: only && withoutKind(only) });
    if (body.length !== items.length) throw miscounted(items.length, body.length);
    stopRule.answered();
    return items.map((item, place) => outcomeOf(run, item, body[place], records[place]));
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    if (error.details.status === 422 && items.length > 1) return halved(run, items);
    stopRule.failed(error);
    const outcome = error.code === 'not_found' ? notThere(error) : stopRule.outcomeOf(error);
    return items.map(() => outcome);
  }
}

/** A 404 is about the path. Where the service does not hold an identifier, it answers with no matches (rule 2 of resolve). */
function notThere({ message, details }: PdiError): Outcome {
  const hint = 'check that the base URL is the versioned root of the API (…/api/v1)';
  const failure = new ServiceError('not_found', message, { ...details, hint });
  return { status: 'failed', error: `${details.reason ?? message}; ${hint}`, failure };
}

/** Gives the key as the user knows it, without the kind that `--as` may have put before it. */
const withoutKind = (key: string): string => key.slice(key.indexOf(' ') + 1);

async function halved(run: BatchRun, items: readonly BatchItem[]): Promise<readonly Outcome[]> {
  const middle = Math.ceil(items.length / 2);
  const outcomes = await resolveBatch(run, items.slice(0, middle));
  return [...outcomes, ...(await resolveBatch(run, items.slice(middle)))];
}

const misfit = (what: string, details: { readonly item?: string | undefined; readonly reason?: string }): ServiceError =>
  new ServiceError('unavailable', `Resolve person ids: ${what}`, {
    ...details,
    billed: 'no',
    retryable: false,
    hint: 'nothing of it was used; check the base URL, and report it to the service',
  });

function miscounted(asked: number, answered: number): ServiceError {
  const reason = `the answer does not fit the request: it has ${answered} groups for ${asked} identifiers`;
  return misfit(reason, { reason });
}

/** A group that is about another identifier, or has no list of matches, fails its row, because a wrong row is worse than none. */
function outcomeOf(run: BatchRun, item: BatchItem, group: unknown, record: ApiRecord | undefined): Outcome {
  const { query, matches }: Partial<Record<keyof ResolveGroup, unknown>> = isObject(group) ? group : {};
  const echo = isObject(query) ? query : {};
  if (!echoes(echo, item.identifier)) return unusable(run, item, `the answer is about another identifier: ${echoIn(run, echo)}`);
  if (!Array.isArray(matches)) return unusable(run, item, `the field "matches" should be an array, and is ${typeNameOf(matches)}`);
  return matches.length > 0 ? { status: 'ok', record } : { status: 'not_found', record, error: 'no match' };
}

function unusable({ stopRule }: BatchRun, { key }: BatchItem, reason: string): Outcome {
  const item = withoutKind(key);
  const failure = misfit(`${item}: ${reason}`, { item, reason });
  stopRule.itemFailed(failure);
  return { status: 'failed', error: reason, failure };
}

type EchoedQuery = Readonly<Record<string, unknown>>;

const echoIn = ({ client }: BatchRun, { profnet_url, profnet_id, profnet_num_id, profnet_urn }: EchoedQuery): string =>
  client.serviceText(textOf(profnet_url ?? profnet_id ?? profnet_num_id ?? profnet_urn) || 'none');

/** `query` must hold what was sent and nothing else; null is absent. Forms are read by name, because a loop takes several times as long. */
const echoes = (query: EchoedQuery, sent: PersonResolveIdentifier): boolean =>
  isSame(query.profnet_id, sent.profnet_id) &&
  (isSame(query.profnet_url, sent.profnet_url) || plainUrl(query.profnet_url) === (plainUrl(sent.profnet_url) ?? '')) &&
  isSame(query.profnet_num_id, sent.profnet_num_id) &&
  isSame(query.profnet_urn, sent.profnet_urn);

const isSame = (told: unknown, sent: unknown): boolean => told === sent || textOf(told) === textOf(sent);

/** Leaves out what does not tell profiles apart: scheme, `www.`, case of the host, closing slashes, query, fragment, escapes. */
function plainUrl(text: unknown): string | undefined {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  const { hostname, pathname } = url;
  return `${hostname.replace(/^www\./, '')}${unescaped(pathname).replace(/\/+$/, '')}`;
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const textOf = (value: unknown): string => (isNested(value) ? jsonText(value) : String(value ?? ''));
