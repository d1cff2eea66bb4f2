/** Checks the arguments of a tool before anything else, and makes the request of them. */
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { jsonSchemaOf, misfitIn } from '../contract/json-schema.ts';
import { UsageError } from '../errors.ts';
import { ExactNumber, isObject } from '../json/parse.ts';
import { cleanLine } from '../output/clean.ts';
import { compact } from './listing.ts';
import type { GivenArguments } from './tool.ts';

/** Arguments that are pdi's own: they change what the result shows, and nothing of the request. */
export const fieldsArgument = 'fields';

export const namesIn = ({ pathParameters = {}, query, body }: Endpoint) => ({
  path: Object.keys(pathParameters),
  query: Object.keys(query?.shape ?? {}),
  body: Object.keys(body?.shape ?? {}),
});

/** @throws UsageError that names the first argument at fault */
export function requestOf(endpoint: Endpoint, given: GivenArguments): RequestParts {
  const { query, body } = endpoint;
  const names = namesIn(endpoint);
  const part = (wanted: readonly string[]): GivenArguments =>
    Object.fromEntries(wanted.flatMap((name) => (name in given ? [[name, wholeNumbers[name]?.(given[name]) ?? given[name]]] : [])));
  const path = Object.fromEntries(names.path.map((name) => [name, pathValue(endpoint, name, given[name])]));
  const [asked, sent] = [part(names.query), part(names.body)];
  if (query !== undefined) refuseMisfit(query, asked);
  if (body !== undefined) refuseMisfit(body, sent);
  return { path, ...(query !== undefined && { query: asked }), ...(body !== undefined && { body: sent }) };
}

/** A whole number counts as a number and as its digits, whichever of them an agent writes. */
export function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  return typeof value === 'string' && /^\d+$/.test(value) ? value : undefined;
}

const numberIn = (value: unknown): unknown => {
  const digits = digitsOf(value);
  if (digits === undefined) return value;
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : new ExactNumber(digits);
};

const numberInItem = (item: unknown): unknown =>
  isObject(item) && 'profnet_num_id' in item ? { ...item, profnet_num_id: numberIn(item.profnet_num_id) } : item;

/** The arguments that are whole numbers, each in the form that its request has. */
const wholeNumbers: Readonly<Record<string, (value: unknown) => unknown>> = {
  page: numberIn,
  limit: numberIn,
  search_id: (value) => digitsOf(value) ?? value,
  to_resolve: (items) => (Array.isArray(items) ? items.map(numberInItem) : items),
};

export function refuseUnknown(known: readonly string[], given: GivenArguments): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = known.length === 0 ? 'the tool takes no arguments' : `the tool takes: ${known.join(', ')}`;
  throw new UsageError(`there is no argument ${shown(unknown)}`, { item: cleanLine(unknown), hint: `nothing was sent; ${hint}` });
}

export function textArgument(given: GivenArguments, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new UsageError(`${name}: expected a text, got ${shown(value)}`, { item: name, hint: 'nothing was sent' });
}

function pathValue({ pathParameters }: Endpoint, name: string, value: unknown): string {
  const shape = pathParameters?.[name]?.shape;
  // Agents write the id of a search as the number that it is.
  const text = shape === 'integer' ? (digitsOf(value) ?? value) : value;
  if (typeof text !== 'string') {
    const found = text === undefined ? 'it is missing' : `expected a text, got ${shown(text)}`;
    throw new UsageError(`${name}: ${found}`, { item: name, hint: 'nothing was sent' });
  }
  const found = plainIdentifier(text, shape);
  if (!('invalid' in found)) return found.text;
  throw new UsageError(`${name} ${shown(text)}: ${found.invalid}`, {
    item: cleanLine(text),
    hint: `nothing was sent; ${found.hint ?? 'give one id'}`,
  });
}

/** A short word on the schema is worth more to an agent than a sentence. */
function refuseMisfit(schema: NonNullable<Endpoint['query']>, values: GivenArguments): void {
  const path = misfitIn(schema, values);
  if (path === undefined) return;
  const [name = ''] = path.split('.');
  const field = Object.entries(schema.shape).find(([key]) => key === name)?.[1];
  const expected = field === undefined ? '' : `; expected ${JSON.stringify(compact(jsonSchemaOf(field)))}`;
  throw new UsageError(`${path || 'arguments'}: not as the input schema of the tool says`, {
    item: path,
    hint: `nothing was sent${expected}`,
  });
}

const longestShown = 80;

/** What an agent wrote, as part of a line that a person may read. */
export function shown(value: unknown): string {
  const text = cleanLine(typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value)));
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
