/** Resolves distinct identifiers in batches of 50, several at once. Rows come out in input order, and memory stays level. */
import type { Invalid } from '../contract/identifier.ts';
import { typeNameOf } from '../contract/misfits.ts';
import {
  type Classified,
  classify,
  cleanUrl,
  type IdentifierName,
} from '../contract/person-identifier.ts';
import {
  identifierKinds,
  type PersonResolveIdentifier,
  type ResolveGroup,
  resolvePeople,
} from '../contract/resolve.ts';
import { resolveLimit } from '../contract/service.ts';
import { PdiError, ServiceError } from '../errors.ts';
import { isNested, isObject, type JsonObject, jsonText } from '../json/exact.ts';
import type { ApiRecord, Outcome } from '../rows/row.ts';
import { parseUrl, percentDecoded } from '../rows/url.ts';
import type { Job, JobRun, Keyed } from './ask.ts';
import { refuseFiles, type Source } from './input-source.ts';
import type { Plan } from './plan.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

export async function runResolve(
  plan: Plan,
  tools: Tools,
  source: Source & { readonly as?: IdentifierName | undefined },
): Promise<void> {
  const otherwise = '; `--as id` asks for a vanity id of that name';
  const files = source.as === undefined ? source.identifiers : [];
  const job = resolveJob((text) => classify(text, source.as));
  const refuse = () => refuseFiles(files, { command: plan.show.command, flag: '-i', otherwise });
  await runJob(plan, tools, job, source, { refuse });
}

export const resolveJob = (classify: (text: string) => Classified | Invalid): Job<BatchItem> => ({
  endpoint: resolvePeople,
  identifierColumns: identifierKinds,
  ask: classify,
  perRequest: resolveLimit,
  requests: (items) => (items.length === 0 ? [] : [requestOf(items)]),
  mayMiss: true,
  sender: (run) => {
    const batches = new Batches(run);
    return (items) => batches.outcomesOf(items);
  },
});

const requestOf = (items: readonly BatchItem[]) => ({
  path: {},
  body: { to_resolve: items.map(({ identifier }) => identifier) },
});

export interface BatchItem extends Keyed {
  readonly identifier: PersonResolveIdentifier;
}

/** A refusal that the document does not give may be about an item, or the size; after so many in a row it is about every request. */
const maxRefused = 10;

export class Batches {
  private refused = 0;

  constructor(private readonly run: Pick<JobRun, 'client' | 'stopRule'>) {}

  /** Gives the outcomes in order; failures are outcomes too. A batch that is refused is halved, so that only the malformed item fails. */
  async outcomesOf(items: readonly BatchItem[]): Promise<readonly Outcome[]> {
    const { client, stopRule } = this.run;
    if (stopRule.stopped) return items.map(() => stopRule.skipped);
    try {
      const only = items.length === 1 ? items[0]?.key : undefined;
      const { records } = await client.call(resolvePeople, requestOf(items), {
        item: only && withoutKind(only),
      });
      if (records.length !== items.length) throw miscounted(items.length, records.length);
      stopRule.answered();
      this.refused = 0;
      return items.map((item, place) => this.outcomeOf(item, records[place]));
    } catch (error) {
      if (!(error instanceof PdiError)) throw error;
      const { status } = error.details;
      // The document gives 422 for a malformed item.
      const isUndocumented = status === 400 || status === 413;
      if (items.length > 1 && (status === 422 || (isUndocumented && this.refused < maxRefused)))
        return this.halved(items);
      if (isUndocumented) this.refused += 1;
      stopRule.failed(error);
      const outcome = error.code === 'not_found' ? notThere(error) : stopRule.outcomeOf(error);
      return items.map(() => outcome);
    }
  }

  private async halved(items: readonly BatchItem[]): Promise<readonly Outcome[]> {
    const middle = Math.ceil(items.length / 2);
    const outcomes = await this.outcomesOf(items.slice(0, middle));
    return [...outcomes, ...(await this.outcomesOf(items.slice(middle)))];
  }

  /** A group that is about another identifier, or has no list of matches, fails its row, because a wrong row is worse than none. */
  private outcomeOf(item: BatchItem, record: ApiRecord | undefined): Outcome {
    const group = record?.value;
    const { query, matches }: Partial<Record<keyof ResolveGroup, unknown>> = isObject(group)
      ? group
      : {};
    const echo = isObject(query) ? query : {};
    if (!echoes(echo, item.identifier))
      return this.unusable(
        item,
        `the answer is about another identifier: ${this.run.client.serviceText(idIn(echo) || 'none')}`,
      );
    if (!Array.isArray(matches))
      return this.unusable(
        item,
        `the field "matches" should be an array, and is ${typeNameOf(matches)}`,
      );
    return matches.length > 0
      ? { status: 'ok', record }
      : { status: 'not_found', record, error: 'no match' };
  }

  private unusable({ key }: BatchItem, reason: string): Outcome {
    const item = withoutKind(key);
    const failure = misfit(`${item}: ${reason}`, { item, reason });
    this.run.stopRule.itemFailed(failure);
    return { status: 'failed', error: reason, failure };
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

const misfit = (
  what: string,
  details: { readonly item?: string | undefined; readonly reason?: string },
): ServiceError =>
  new ServiceError('unavailable', `Resolve person ids: ${what}`, {
    ...details,
    billed: 'no',
    retryable: false,
    hint: 'the answer was not used; check the base URL, and report it to the service',
  });

function miscounted(sent: number, answered: number): ServiceError {
  const reason = `the answer does not fit the request: it has ${answered} groups for ${sent} identifiers`;
  return misfit(reason, { reason });
}

const idIn = ({ profnet_url, profnet_id, profnet_num_id, profnet_urn }: JsonObject): string =>
  textOf(profnet_url ?? profnet_id ?? profnet_num_id ?? profnet_urn);

/** `query` must hold what was sent and nothing else; null is absent. Forms are read by name, because a loop takes several times as long. */
const echoes = (query: JsonObject, sent: PersonResolveIdentifier): boolean =>
  isSame(query.profnet_id, sent.profnet_id) &&
  (isSame(query.profnet_url, sent.profnet_url) ||
    plainUrl(query.profnet_url) === (plainUrl(sent.profnet_url) ?? '')) &&
  isSame(query.profnet_num_id, sent.profnet_num_id) &&
  isSame(query.profnet_urn, sent.profnet_urn);

const isSame = (value: unknown, sent: unknown): boolean =>
  value === sent || textOf(value) === textOf(sent);

/** Leaves out what does not tell profiles apart: what the one form of a URL leaves out, its query, and escapes. */
function plainUrl(text: unknown): string | undefined {
  const found =
    typeof text === 'string' ? cleanUrl(text.trim().replace(/[?#].*$/s, '')) : undefined;
  const url = found !== undefined && 'url' in found ? parseUrl(found.url) : undefined;
  return url && url.hostname + percentDecoded(url.pathname);
}

const textOf = (value: unknown): string =>
  isNested(value) ? jsonText(value) : String(value ?? '');
