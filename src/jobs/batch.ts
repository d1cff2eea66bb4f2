/** One resolve request: answers matched to their items by position and by echo; a batch that is refused is split. */
import type { Client } from '../client/client.ts';
import { decode, type Wanted } from '../client/decode.ts';
import { type PersonResolveIdentifier, type ResolveGroup, resolvePeople } from '../contract/resolve.ts';
import { PdiError, ServiceError } from '../errors.ts';
import type { Outcome, ReadAgain } from './asked.ts';
import type { Course } from './course.ts';

/** An identifier to resolve, and the key it is remembered by. */
export interface BatchItem {
  readonly key: string;
  readonly identifier: PersonResolveIdentifier;
}

export interface BatchJob {
  readonly client: Client;
  readonly course: Course;
  readonly wanted: Wanted;
}

/** What became of a batch. */
export interface Batch {
  /** Of each item, in order. */
  readonly outcomes: readonly Outcome[];
  /** Where one answer has them all. */
  readonly again?: ReadAgain;
}

/**
 * The outcomes of items. Where the service answers 422, the batch is halved until the culprit stands alone: one malformed item
 * never sinks the others. Never rejects for a failure of the service.
 */
export async function resolveBatch(job: BatchJob, items: readonly BatchItem[]): Promise<Batch> {
  const { client, course, wanted } = job;
  if (course.over) return { outcomes: items.map(() => course.skipped) };
  try {
    const request = { path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } };
    const only = items.length === 1 ? items[0]?.key : undefined;
    const { body, sent, text } = await client.call(resolvePeople, request, { item: only && withoutKind(only), wanted });
    if (body.length !== items.length) throw miscounted(items.length, body.length);
    course.answered();
    const outcomes = outcomesOf(body, sent?.records);
    const mismatches = mismatchesOf(items, body);
    for (const { failure } of mismatches.values()) course.itemFailed(failure);
    if (mismatches.size === 0) return { outcomes, again: readAgain(text) };
    return { outcomes: outcomes.map((outcome, place) => mismatches.get(place) ?? outcome) };
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    if (error.details.status === 422 && items.length > 1) return halved(job, items);
    course.failed(error);
    const outcome = error.code === 'not_found' ? notThere(error) : course.outcomeOf(error);
    return { outcomes: items.map(() => outcome) };
  }
}

/** Made apart, so that nothing but the text is held. */
const readAgain =
  (text: string): ReadAgain =>
  () => {
    const { body, sent } = decode(resolvePeople.response, text);
    return outcomesOf(body, sent?.records);
  };

/** A 404 is about the path: of an identifier that the service does not hold it says so with no matches (rule 2 of resolve). */
function notThere({ message, details }: PdiError): Outcome {
  const hint = 'check that the base URL is the versioned root of the API (…/api/v1)';
  const failure = new ServiceError('not_found', message, { ...details, hint });
  return { status: 'failed', error: `${details.reason ?? message}; ${hint}`, failure };
}

/** A key without the kind that `--as` may have put before it, as the user knows it. */
const withoutKind = (key: string): string => key.slice(key.indexOf(' ') + 1);

async function halved(job: BatchJob, items: readonly BatchItem[]): Promise<Batch> {
  const middle = Math.ceil(items.length / 2);
  const { outcomes } = await resolveBatch(job, items.slice(0, middle));
  return { outcomes: [...outcomes, ...(await resolveBatch(job, items.slice(middle))).outcomes] };
}

/** What groups say of their items; `texts` are the groups as they were sent. */
const outcomesOf = (groups: readonly ResolveGroup[], texts?: readonly string[]): readonly Outcome[] =>
  groups.map((group, index) => {
    const json = texts?.[index];
    if (group.matches.length > 0) return { status: 'ok', record: group, json };
    return { status: 'not_found', record: group, json, error: 'no match' };
  });

const misfit = (what: string, details: { readonly item?: string | undefined; readonly reason?: string }): ServiceError =>
  new ServiceError('unavailable', `Resolve person ids: ${what}`, {
    ...details,
    billed: 'no',
    retryable: false,
    hint: 'nothing of it was used; check the base URL, and report it to the service',
  });

const miscounted = (asked: number, answered: number): ServiceError =>
  misfit(`the answer does not fit the request: it has ${answered} groups for ${asked} identifiers`, {});

type Mismatch = Outcome & { readonly failure: PdiError };

/** By place, the items whose group echoes another identifier: better no row than a wrong one. Nearly always none. */
function mismatchesOf(items: readonly BatchItem[], groups: readonly ResolveGroup[]): ReadonlyMap<number, Mismatch> {
  const found = new Map<number, Mismatch>();
  for (const [place, { key, identifier }] of items.entries()) {
    const query = groups[place]?.query;
    if (query === undefined || echoes(query, identifier)) continue;
    const reason = `the answer is about another identifier: ${echoIn(query)}`;
    const item = withoutKind(key);
    found.set(place, { status: 'failed', error: reason, failure: misfit(`${item}: ${reason}`, { item, reason }) });
  }
  return found;
}

type Query = ResolveGroup['query'];

const echoIn = ({ profnet_url, profnet_id, profnet_num_id, profnet_urn }: Query): string =>
  textOf(profnet_url ?? profnet_id ?? profnet_num_id ?? profnet_urn) || 'none';

/**
 * Whether a group's `query` is the identifier that was sent, and no other beside it; null counts as absent, and a field we do not
 * know as none of ours. Each form is read by name: a loop over `identifierKinds` takes several times as long, for every row of a job.
 */
const echoes = (query: Query, sent: PersonResolveIdentifier): boolean =>
  isSame(query.profnet_id, sent.profnet_id) &&
  (isSame(query.profnet_url, sent.profnet_url) || plainUrl(query.profnet_url) === (plainUrl(sent.profnet_url) ?? '')) &&
  isSame(query.profnet_num_id, sent.profnet_num_id) &&
  isSame(query.profnet_urn, sent.profnet_urn);

const isSame = (told: unknown, sent: unknown): boolean => told === sent || textOf(told) === textOf(sent);

/** Without what says nothing of the profile: scheme, `www.`, case of the host, closing slashes, query and fragment, escapes. */
function plainUrl(url: string | null | undefined): string | undefined {
  if (!URL.canParse(url ?? '')) return undefined;
  const { hostname, pathname } = new URL(url ?? '');
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
