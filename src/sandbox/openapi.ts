/** Generates an OpenAPI 3.1 document from the contract, which the sandbox serves at `openapi.json`. */
import * as z from 'zod/mini';
import { described, type JsonSchema, jsonSchemaOf, recordSchema } from '../contract/columns.ts';
import { type Endpoint, shapeSchemas } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { errorBody, errorCodes, rateLimitHeaders } from '../contract/service.ts';
import type { Dataset } from './dataset.ts';
import { inventDataset } from './dataset.ts';
import { Examples } from './examples.ts';
import { basePath } from './exchange.ts';
import { type SandboxOptions, settle } from './options.ts';
import { type Example, routes } from './routes.ts';

const scheme = 'apiKey';

const about = [
  'Generated from the contract of pdi, which takes more than it documents: where a field is not called required it may be',
  'missing or null, and unknown fields and values are no errors. `x-billing` is free, charged or unstated, as documented;',
  'with `x-empty-page: not_billed` an empty page costs nothing.',
].join(' ');

/** Returns a new document each time, so the caller may change it. Its examples are what a sandbox with these options answers. */
export function describeApi(options: SandboxOptions = {}, dataset: Dataset = inventDataset(settle(options))): JsonSchema {
  const examples = new Examples(options, dataset);
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

function paths(examples: Examples): JsonSchema {
  const found: Record<string, Record<string, JsonSchema>> = {};
  for (const name of operationNames) {
    const { path, method }: Endpoint = operations[name];
    found[path] = { ...found[path], [method.toLowerCase()]: operation(name, examples) };
  }
  return found;
}

function operation(name: OperationName, examples: Examples): JsonSchema {
  const endpoint: Endpoint = operations[name];
  const { title, billing, emptyPage, key, body } = endpoint;
  const { example }: { readonly example: Example } = routes[name];
  const values = { ...example.others, ...example.query, ...example.path };
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint)].map((one) => ({ ...one, example: values[one.name] }));
  return {
    operationId: name,
    summary: title,
    'x-billing': billing,
    ...(emptyPage !== undefined && { 'x-empty-page': emptyPage }),
    ...(key === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body), example: example.body } } },
    }),
    responses: responsesOf(name, examples),
  };
}

const pathParameters = ({ pathParameters: named = {} }: Endpoint) =>
  Object.entries(named).map(([name, { shape }]) => ({ name, in: 'path', required: true, schema: shapeSchemas[shape] }));

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

const json = (description: string, schema: JsonSchema, example: unknown): JsonSchema => ({
  description,
  content: { 'application/json': { schema, example } },
});

/** If the document names no codes, every body of the error shape is allowed. */
function errorSchema(codes: readonly string[]): JsonSchema {
  if (codes.length === 0) return schemaOf(errorBody);
  const properties = { errorCode: { type: 'string', enum: codes }, message: { type: 'string' } };
  return { type: 'object', properties, required: ['errorCode', 'message'] };
}

/** Section "Limits". The names of headers are case-insensitive. */
const limits = [
  [rateLimitHeaders.limit, 'Requests allowed', 'integer'],
  [rateLimitHeaders.remaining, 'Requests remaining', 'integer'],
  [rateLimitHeaders.reset, 'Seconds until the limit resets', 'number'],
] as const;

const limitHeaders = (required: boolean, examples: Readonly<Record<string, string>>): JsonSchema =>
  Object.fromEntries(
    limits.map(([name, description, type]) => [name, { description, required, schema: { type }, example: Number(examples[name]) }]),
  );

/** `OUT_OF_CREDITS` may come with any status, even one with another meaning, and then has no limit headers. */
function refusals(name: OperationName, examples: Examples): [string, JsonSchema][] {
  const endpoint: Endpoint = operations[name];
  const isCharged = endpoint.billing === 'charged';
  const credits = isCharged ? [errorCodes.outOfCredits] : [];
  const known = [...refusalsOf(endpoint)].map(([status, codes]): [string, JsonSchema] => {
    const reason = reasons[status] ?? 'Refused';
    const { headers, body = { errorCode: codes[0], message: reason } } = examples.refusal(name, String(status));
    const answer = json(reason, errorSchema(codes.length === 0 ? codes : [...codes, ...credits]), body);
    return [String(status), status === 429 ? { ...answer, headers: limitHeaders(!isCharged, headers) } : answer];
  });
  if (!isCharged) return known;
  const { body } = examples.refusal(name, 'default');
  return [...known, ['default', json('No credits are left; with which status is not documented', errorSchema(credits), body)]];
}

function responsesOf(name: OperationName, examples: Examples): JsonSchema {
  const { successStatus, successBody, alsoReports = [], response }: Endpoint = operations[name];
  const success =
    successBody === 'open'
      ? { description: 'Deleted; the body is not documented' }
      : json('Success', schemaOf(response), examples.success(name));
  const report = (): JsonSchema => json('The same report, of what does not work', schemaOf(response), examples.report(name));
  return Object.fromEntries([
    [successStatus === 'open' ? '2XX' : '200', success],
    ...alsoReports.map((status) => [String(status), report()]),
    ...refusals(name, examples),
  ]);
}

/** Section "Errors": every operation with a key may refuse with these. */
const keyed = [
  { status: 401, codes: [errorCodes.apiKeyMissing, errorCodes.apiKeyNotValid] },
  { status: 403, codes: [errorCodes.notPermitted] },
  { status: 429, codes: [errorCodes.rateLimited] },
];

/** Returns the error codes of an operation by ascending status. `OUT_OF_CREDITS` is left out, because its status is not documented. */
function refusalsOf(endpoint: Endpoint): ReadonlyMap<number, readonly string[]> {
  const { key, pathParameters = {}, query, body, refusals = {} } = endpoint;
  // A malformed value has its own answer; a well-formed one may still name something that is missing or not visible.
  const ofPath = Object.values(pathParameters).flatMap(({ malformed: { status, errorCode } }) => [
    { status: 404, codes: [] },
    { status, codes: errorCode === undefined ? [] : [errorCode] },
  ]);
  const all: readonly { readonly status: number; readonly codes: readonly string[] }[] = [
    ...(key === 'none' ? [] : keyed),
    ...ofPath,
    ...(query === undefined && body === undefined ? [] : [{ status: 422, codes: [errorCodes.validationError] }]),
    ...Object.entries(refusals).map(([status, codes]) => ({ status: Number(status), codes })),
  ];
  const byStatus = new Map<number, readonly string[]>();
  for (const { status, codes } of all.toSorted((one, other) => one.status - other.status))
    byStatus.set(status, [...(byStatus.get(status) ?? []), ...codes]);
  return byStatus;
}

/** A component: its schema, and the operation whose answer or body shows one. */
interface Component {
  readonly schema: z.ZodMiniType;
  readonly example: (examples: Examples) => unknown;
}

const components = new Map<string, Component>([
  ['Error', { schema: errorBody, example: (examples) => examples.refusal('getPerson', '404').body }],
  ...operationNames.flatMap(componentsOf),
]);

function componentsOf(name: OperationName): readonly [string, Component][] {
  const endpoint: Endpoint = operations[name];
  const { body, successBody, result } = endpoint;
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  const recordIn = (answer: unknown): unknown => (result === 'list' && Array.isArray(answer) ? answer[0] : answer);
  const record: Component = { schema: recordSchema(endpoint), example: (examples) => recordIn(examples.success(name)) };
  return [
    ...(successBody === 'open' ? [] : [[`${id}Record`, record] satisfies [string, Component]]),
    ...(body === undefined
      ? []
      : [[`${id}Body`, { schema: body, example: () => routes[name].example.body }] satisfies [string, Component]]),
  ];
}

/** Operations with the same record share its first component. */
const named = z.registry<{ id: string }>();
for (const [id, { schema }] of components) if (!named.has(schema)) named.add(schema, { id });

const uriOf = (id: string): string => `#/components/schemas/${id}`;

function namedSchemas(examples: Examples): JsonSchema {
  const { schemas } = z.toJSONSchema(named, { ...described, uri: uriOf });
  // OpenAPI sets the dialect itself, and a component is found by its place.
  const bare = Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema] as const);
  return Object.fromEntries(bare.map(([id, schema]) => [id, { ...schema, example: components.get(id)?.example(examples) }]));
}

function schemaOf(schema: z.core.$ZodType): JsonSchema {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uriOf(id) };
  if (schema instanceof z.core.$ZodArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  return jsonSchemaOf(schema);
}
