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
    course.answered();
    refuseMismatch(items, body);
    return { outcomes: outcomesOf(body, sent?.records), again: readAgain(text) };
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

/** @throws ServiceError where the groups are not those of the items: better no row than a wrong one */
function refuseMismatch(items: readonly BatchItem[], groups: readonly ResolveGroup[]): void {
  if (groups.length !== items.length) throw mismatch(`it has ${groups.length} groups for ${items.length} identifiers`);
  let place = 0;
  for (const { identifier } of items) {
    const group = groups[place];
    place += 1;
    if (group === undefined || !echoes(group.query, identifier)) throw mismatch(`group ${place} echoes another identifier than was sent`);
  }
}

/** What groups say of their items; `texts` are the groups as they were sent. */
const outcomesOf = (groups: readonly ResolveGroup[], texts?: readonly string[]): readonly Outcome[] =>
  groups.map((group, index) => {
    const json = texts?.[index];
    if (group.matches.length > 0) return { status: 'ok', record: group, json };
    return { status: 'not_found', record: group, json, error: 'no match' };
  });

const mismatch = (what: string): ServiceError =>
  new ServiceError('unavailable', `Resolve person ids: the answer does not fit the request: ${what}`, {
    billed: 'no',
    retryable: false,
    hint: 'nothing of this answer was used; check the base URL, and report it to the service',
  });

/**
 * Whether a group's `query` is the identifier that was sent; null counts as absent, and a field we do not know as none of ours.
 * Each form is read by name: a loop over `identifierKinds` takes several times as long, for every row of a job.
 */
const echoes = (query: ResolveGroup['query'], sent: PersonResolveIdentifier): boolean =>
  isSame(query.profnet_id, sent.profnet_id) &&
  isSame(query.profnet_url, sent.profnet_url) &&
  isSame(query.profnet_num_id, sent.profnet_num_id) &&
  isSame(query.profnet_urn, sent.profnet_urn);

const isSame = (told: unknown, sent: unknown): boolean => told === sent || textOf(told) === textOf(sent);

const textOf = (value: unknown): string => String(value ?? '');
