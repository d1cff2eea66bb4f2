/** Decides what a tool shows of an answer: all of it, the chosen fields, or one page of a list that the service gives whole. */
import { columnAt, recordSchema } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { defaultLimit } from '../contract/service.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { contentReader } from '../output/json.ts';
import { chooseColumns } from '../output/layout.ts';
import { ApiRecord } from '../rows/record.ts';
import { digitsOf, fieldsArgument, shown, textArgument } from './arguments.ts';
import { isPagedHere } from './listing.ts';
import type { GivenArguments } from './tool.ts';

export interface AnswerView {
  readonly content: (record: ApiRecord) => unknown;
  readonly page: number;
  readonly limit: number;
}

/** @throws UsageError for an unknown field, or a page that is none */
export function viewOf(endpoint: Endpoint, given: GivenArguments): AnswerView {
  const { result, maxLimit } = endpoint;
  const chosen = chosenColumns(endpoint, textArgument(given, fieldsArgument));
  const content = contentReader({ ...chosen, one: result === 'one', job: false });
  return {
    content: (record) => content({ record, status: 'ok' }),
    page: countIn(given, 'page', 0),
    limit: Math.min(countIn(given, 'limit', 1, defaultLimit), maxLimit ?? Number.POSITIVE_INFINITY),
  };
}

/** The message names the argument of the tool, not the flag, nor a page of help that an agent cannot open. */
function chosenColumns(endpoint: Endpoint, fields: string | undefined): ReturnType<typeof chooseColumns> {
  const { columns } = endpoint;
  const all = columns.filter(({ onlyInTable }) => onlyInTable !== true);
  const onRequest = columns.filter((column) => !all.includes(column));
  try {
    return chooseColumns({ all, fields, onRequest, columnAt: (path) => columnAt(recordSchema(endpoint), path) });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [names = ''] = (error.details.hint ?? '').split('; --help');
    throw new UsageError(error.message.replace('--fields', fieldsArgument), { item: fieldsArgument, hint: `nothing was sent; ${names}` });
  }
}

function countIn(given: GivenArguments, name: string, least: number, otherwise = least): number {
  const value = given[name] ?? otherwise;
  const count = Number(digitsOf(value) ?? Number.NaN);
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new UsageError(`${name}: expected a whole number from ${least}, got ${shown(value)}`, { item: name, hint: 'nothing was sent' });
}

export function membersPage({ members }: Endpoint, { content, page, limit }: AnswerView, record: ApiRecord) {
  const { value } = record;
  const all = members !== undefined && isObject(value) ? value[members.field] : undefined;
  if (members === undefined || !isObject(value) || !Array.isArray(all)) return { result: content(record), next_page: undefined };
  const shownHere = all.slice(page * limit, (page + 1) * limit);
  const next = all.length > (page + 1) * limit ? page + 1 : undefined;
  return { result: content(new ApiRecord({ ...value, [members.field]: shownHere })), next_page: next };
}

export function pageOf(endpoint: Endpoint, { content, page, limit }: AnswerView, records: readonly ApiRecord[]) {
  const first = isPagedHere(endpoint) ? page * limit : 0;
  const result = records.slice(first, first + limit).map(content);
  // The service does not say how many there are, so a full page of it may have another one behind it.
  const isMore = isPagedHere(endpoint) ? records.length > first + limit : records.length >= limit;
  return { result, next_page: isMore ? page + 1 : undefined };
}

/** What an agent does with a result that is too large. */
export const wayOnWithFields = ({ columns, billing, identity }: Endpoint): string => {
  const few = columns.filter(({ name, inTable }) => inTable || name === identity).map(({ name }) => name);
  const kept = billing === 'free' ? '' : '; the answer is kept for some minutes, so that costs nothing';
  return `call again with the same arguments and ${fieldsArgument}, such as "${few.join(',')}"${kept}`;
};
