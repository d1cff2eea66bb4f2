/** One resolve request: answers matched to their items by position and by echo; a batch that is refused is split. */
import { type PersonResolveIdentifier, type ResolveGroup, resolvePeople } from '../contract/resolve.ts';
import { PdiError, ServiceError } from '../errors.ts';
import type { ApiRecord } from '../rows/record.ts';
import type { Outcome } from '../rows/result-row.ts';
import { parseUrl } from '../rows/url.ts';
import type { JobRun, Keyed } from './job.ts';

type BatchRun = Pick<JobRun, 'client' | 'stopRule'>;

/** An identifier to resolve, and the key it is remembered by. */
export interface BatchItem extends Keyed {
  readonly identifier: PersonResolveIdentifier;
}

/**
 * The outcomes of items, in order. Where the service answers 422, the batch is halved until the culprit stands alone: one malformed item
 * never sinks the others. Never rejects for a failure of the service.
 */
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

/** A 404 is about the path: of an identifier that the service does not hold it says so with no matches (rule 2 of resolve). */
function notThere({ message, details }: PdiError): Outcome {
  const hint = 'check that the base URL is the versioned root of the API (…/api/v1)';
  const failure = new ServiceError('not_found', message, { ...details, hint });
  return { status: 'failed', error: `${details.reason ?? message}; ${hint}`, failure };
}

/** A key without the kind that `--as` may have put before it, as the user knows it. */
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

/** What a group says of its item: better no row than a wrong one. */
function outcomeOf(run: BatchRun, item: BatchItem, group: ResolveGroup | undefined, record: ApiRecord | undefined): Outcome {
  if (group === undefined) throw new Error('a batch has fewer groups than items');
  if (!echoes(group.query, item.identifier)) return mismatch(run, withoutKind(item.key), group.query);
  return group.matches.length > 0 ? { status: 'ok', record } : { status: 'not_found', record, error: 'no match' };
}

function mismatch({ client, stopRule }: BatchRun, item: string, query: EchoedQuery): Outcome {
  const reason = `the answer is about another identifier: ${client.serviceText(echoIn(query))}`;
  const failure = misfit(`${item}: ${reason}`, { item, reason });
  stopRule.itemFailed(failure);
  return { status: 'failed', error: reason, failure };
}

type EchoedQuery = ResolveGroup['query'];

const echoIn = ({ profnet_url, profnet_id, profnet_num_id, profnet_urn }: EchoedQuery): string =>
  textOf(profnet_url ?? profnet_id ?? profnet_num_id ?? profnet_urn) || 'none';

/**
 * Whether a group's `query` is the identifier that was sent, and no other beside it; null counts as absent, and a field we do not
 * know as none of ours. Each form is read by name: a loop over `identifierKinds` takes several times as long, for every row of a job.
 */
const echoes = (query: EchoedQuery, sent: PersonResolveIdentifier): boolean =>
  isSame(query.profnet_id, sent.profnet_id) &&
  (isSame(query.profnet_url, sent.profnet_url) || plainUrl(query.profnet_url) === (plainUrl(sent.profnet_url) ?? '')) &&
  isSame(query.profnet_num_id, sent.profnet_num_id) &&
  isSame(query.profnet_urn, sent.profnet_urn);

const isSame = (told: unknown, sent: unknown): boolean => told === sent || textOf(told) === textOf(sent);

/** Without what says nothing of the profile: scheme, `www.`, case of the host, closing slashes, query and fragment, escapes. */
function plainUrl(text: string | null | undefined): string | undefined {
  const url = parseUrl(text ?? '');
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

const textOf = (value: unknown): string => String(value ?? '');
