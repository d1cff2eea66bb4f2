/** One resolve request: answers matched to their items by position and by echo; a batch that is refused is split. */
import type { Client } from '../client/client.ts';
import { identifierKinds, type PersonResolveIdentifier, type ResolveGroup, resolvePeople } from '../contract/resolve.ts';
import { PdiError, ServiceError } from '../errors.ts';
import type { Outcome } from './asked.ts';
import type { Course } from './course.ts';

/** An identifier to resolve, and the key it is remembered by. */
export interface BatchItem {
  readonly key: string;
  readonly identifier: PersonResolveIdentifier;
}

export interface BatchJob {
  readonly client: Client;
  readonly course: Course;
}

/**
 * The outcome of each item, in order. Where the service answers 422, the batch is halved until the culprit stands alone:
 * one malformed item never sinks the others. Never rejects for a failure of the service.
 */
export async function resolveBatch(job: BatchJob, items: readonly BatchItem[]): Promise<readonly Outcome[]> {
  const { client, course } = job;
  if (course.over) return items.map(() => course.skipped);
  try {
    const request = { path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } };
    const only = items.length === 1 ? items[0]?.key : undefined;
    const { body, sent } = await client.call(resolvePeople, request, { item: only && withoutKind(only) });
    course.answered();
    return matched(items, body, sent?.records);
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    if (error.details.status === 422 && items.length > 1) return halved(job, items);
    course.failed(error);
    const outcome = error.code === 'not_found' ? notThere(error) : course.outcomeOf(error);
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

async function halved(job: BatchJob, items: readonly BatchItem[]): Promise<readonly Outcome[]> {
  const middle = Math.ceil(items.length / 2);
  const first = await resolveBatch(job, items.slice(0, middle));
  return [...first, ...(await resolveBatch(job, items.slice(middle)))];
}

/** @throws ServiceError where the groups are not those of the items: better no row than a wrong one */
function matched(items: readonly BatchItem[], groups: readonly ResolveGroup[], texts?: readonly string[]): readonly Outcome[] {
  if (groups.length !== items.length) throw mismatch(`it has ${groups.length} groups for ${items.length} identifiers`);
  return items.map(({ identifier }, index) => {
    const group = groups[index];
    if (group === undefined || !echoes(group.query, identifier))
      throw mismatch(`group ${index + 1} echoes another identifier than was sent`);
    const json = texts?.[index];
    if (group.matches.length > 0) return { status: 'ok', record: group, json };
    return { status: 'not_found', record: group, json, error: 'no match' };
  });
}

const mismatch = (what: string): ServiceError =>
  new ServiceError('unavailable', `Resolve person ids: the answer does not fit the request: ${what}`, {
    billed: 'no',
    retryable: false,
    hint: 'nothing of this answer was used; check the base URL, and report it to the service',
  });

/** Whether a group's `query` is the identifier that was sent; null counts as absent, and a field we do not know as none of ours. */
function echoes(query: ResolveGroup['query'], identifier: PersonResolveIdentifier): boolean {
  const sent: Readonly<Record<string, unknown>> = identifier;
  return identifierKinds.every((name) => query[name] === sent[name] || textOf(query[name]) === textOf(sent[name]));
}

const textOf = (value: unknown): string => String(value ?? '');
