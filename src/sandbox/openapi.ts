/** Generates an OpenAPI 3.1 document from the contract, which the sandbox serves at `openapi.json`. */
import type { Endpoint, PathParameter } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { errorBody, errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { basePath } from './exchange.ts';
import { Examples } from './openapi/examples.ts';
import { type Json, namedSchemas, schemaOf } from './openapi/schemas.ts';
import { type SandboxOptions, settle } from './options.ts';
import { createWorld, type World } from './world.ts';

const shapes: Readonly<Record<PathParameter['shape'], Json>> = {
  company: { type: 'string' },
  person: { type: 'string', pattern: '^per_' },
  uuid: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
};

const scheme = 'apiKey';

const about = [
  'Generated from the contract of pdi, which takes more than it documents: where a field is not called required it may be',
  'missing or null, and unknown fields and values are no errors. `x-billing` is free, charged or unstated, as documented;',
  'with `x-empty-page: not_billed` an empty page costs nothing.',
].join(' ');

/** Returns a new document each time, so the caller may change it. Its examples are what a sandbox with these options answers. */
export function describeApi(options: SandboxOptions = {}, data: Pick<World, 'dataset' | 'order'> = createWorld(settle(options))): Json {
  const examples = new Examples(options, data);
  return {
    openapi: '3.1.0',
    info: { title: 'Professional Data Intelligence API', version: '1.0.0', description: about },
    servers: [{ url: basePath }],
    security: [{ [scheme]: [] }],
    paths: paths(examples),
    components: {
      securitySchemes: { [scheme]: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: namedSchemas(examples),
    },
  };
}

function paths(examples: Examples): Json {
  const found: Record<string, Record<string, Json>> = {};
  for (const name of operationNames) {
    const { path, method }: Endpoint = operations[name];
    found[path] = { ...found[path], [method.toLowerCase()]: operation(name, examples) };
  }
  return found;
}

function operation(name: OperationName, examples: Examples): Json {
  const endpoint: Endpoint = operations[name];
  const { title, billing, emptyPage, key, body } = endpoint;
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint)].map((parameter) => ({
    ...parameter,
    example: examples.parameter(name, parameter.name),
  }));
  return {
    operationId: name,
    summary: title,
    'x-billing': billing,
    ...(emptyPage !== undefined && { 'x-empty-page': emptyPage }),
    ...(key === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body), example: examples.body(name) } } },
    }),
    responses: responsesOf(name, examples),
  };
}

const pathParameters = ({ pathParameters: named = {} }: Endpoint) =>
  Object.entries(named).map(([name, { shape }]) => ({ name, in: 'path', required: true, schema: shapes[shape] }));

const queryParameters = ({ query }: Endpoint) =>
  Object.entries(query?.shape ?? {}).map(([name, field]) => ({ name, in: 'query', schema: schemaOf(field) }));

/** Sections "Errors" and "Endpoints" of the API document. */
const reasons: Readonly<Record<number, string>> = {
  400: 'A path parameter is malformed, or what it names is not for this operation',
  401: 'The key is missing or not valid',
  403: 'The key lacks permission',
  404: 'Does not exist, or is not visible to the API',
  422: 'The request body or a parameter fails validation',
  429: 'The rate limit is exceeded',
  500: 'The filters of the saved search cannot be parsed',
};

const json = (description: string, schema: Json, example: unknown): Json => ({
  description,
  content: { 'application/json': { schema, example } },
});

/** If the document names no codes, every body of the error shape is allowed. */
function errorSchema(codes: readonly string[]): Json {
  if (codes.length === 0) return schemaOf(errorBody);
  const properties = { errorCode: { type: 'string', enum: codes }, message: { type: 'string' } };
  return { type: 'object', properties, required: ['errorCode', 'message'] };
}

/** Section "Limits". The names of headers are case-insensitive. */
function limitHeaders(required: boolean, examples: Readonly<Record<string, string>>): Json {
  const header = (name: string, description: string, type: 'integer' | 'number') => [
    name,
    { description, required, schema: { type }, example: Number(examples[name]) },
  ];
  return Object.fromEntries([
    header(rateLimitHeaders.limit, 'Requests allowed', 'integer'),
    header(rateLimitHeaders.remaining, 'Requests remaining', 'integer'),
    header(rateLimitHeaders.reset, 'Seconds until the limit resets', 'number'),
  ]);
}

/** `OUT_OF_CREDITS` may come with any status, even one with another meaning, and then has no limit headers. */
function refusals(name: OperationName, examples: Examples): [string, Json][] {
  const endpoint: Endpoint = operations[name];
  const isCharged = endpoint.billing === 'charged';
  const credits = isCharged ? [errorCodes.outOfCredits] : [];
  const known = [...refusalsOf(endpoint)].map(([status, codes]): [string, Json] => {
    const reason = reasons[status] ?? 'Refused';
    const { headers, body = { errorCode: codes[0], message: reason } } = examples.refusal(name, String(status));
    const answer = json(reason, errorSchema(codes.length === 0 ? codes : [...codes, ...credits]), body);
    return [String(status), status === 429 ? { ...answer, headers: limitHeaders(!isCharged, headers) } : answer];
  });
  if (!isCharged) return known;
  const { body } = examples.refusal(name, 'default');
  return [...known, ['default', json('No credits are left; with which status is not documented', errorSchema(credits), body)]];
}

function responsesOf(name: OperationName, examples: Examples): Json {
  const { successStatus, successBody, alsoReports = [], response }: Endpoint = operations[name];
  const success =
    successBody === 'open'
      ? { description: 'Deleted; the body is not documented' }
      : json('Success', schemaOf(response), examples.success(name));
  const report = (): Json => json('The same report, of what does not work', schemaOf(response), examples.report(name));
  return Object.fromEntries([
    [successStatus === 'open' ? '2XX' : '200', success],
    ...alsoReports.map((status) => [String(status), report()]),
    ...refusals(name, examples),
  ]);
}

type Refused = readonly [status: number, codes: readonly string[]];

/** Section "Errors": every operation with a key may refuse with these. */
const keyed: readonly Refused[] = [
  [401, [errorCodes.apiKeyMissing, errorCodes.apiKeyNotValid]],
  [403, [errorCodes.notPermitted]],
  [429, [errorCodes.rateLimited]],
];

/** A malformed value has its own answer; a well-formed one may still name something that is missing or not visible. */
const pathRefusals = ({ pathParameters = {} }: Endpoint): readonly Refused[] =>
  Object.values(pathParameters).flatMap(({ malformed: { status, errorCode } }): Refused[] => [
    [404, []],
    [status, errorCode === undefined ? [] : [errorCode]],
  ]);

/** Returns the error codes of an operation by ascending status. `OUT_OF_CREDITS` is left out, because its status is not documented. */
function refusalsOf(endpoint: Endpoint): ReadonlyMap<number, readonly string[]> {
  const { key, query, body, refusals = {} } = endpoint;
  const all: readonly Refused[] = [
    ...(key === 'none' ? [] : keyed),
    ...pathRefusals(endpoint),
    ...(query === undefined && body === undefined ? [] : [[422, [errorCodes.validationError]] as const]),
    ...Object.entries(refusals).map(([status, codes]) => [Number(status), codes] as const),
  ];
  const byStatus = new Map<number, readonly string[]>();
  for (const [status, codes] of all.toSorted(([one], [other]) => one - other)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), ...codes]);
  }
  return byStatus;
}
