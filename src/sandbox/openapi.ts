/** Generates an OpenAPI 3.1 document from the contract, which the sandbox serves at `openapi.json`. */
import * as z from 'zod/mini';
import { described, jsonSchemaOf, recordSchema } from '../contract/columns.ts';
import { type Endpoint, shapeSchemas } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { priceWords } from '../contract/price.ts';
import { errorBody, errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { type JsonObject, jsonText } from '../json/exact.ts';
import { momentAgo } from './dataset/data.ts';
import { basePath, prepare } from './exchange.ts';
import type { Fault } from './faults.ts';
import { type Example, routes } from './routes.ts';
import { createWorld, type World } from './world.ts';

const scheme = 'apiKey';

const about = [
  'Generated from the contract of pdi, which takes more than it documents: where a field is not called required it may be',
  'missing or null, and unknown fields and values are no errors. `x-billing` is free, charged or unstated, as documented;',
  'with `x-empty-page: not_billed` an empty page costs nothing.',
].join(' ');

type Ask = (name: OperationName, fault?: readonly Fault[]) => unknown;

/** Returns a new document each time, so the caller may change it. Its answers are those of a sandbox with these data. */
export function describeApi({ dataset }: Pick<World, 'dataset'> = createWorld()): JsonObject {
  // An example changes a list, and the document is the same all day.
  const changedAt = Date.parse(momentAgo(dataset, 0, 12));
  const ask: Ask = (name, fault) => {
    const { path = {}, query = {}, body }: Example = routes[name].example;
    const world = createWorld({ fault, now: () => changedAt }, dataset);
    return JSON.parse(jsonText(prepare(name, { path, query, body }, world)().body));
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Professional Data Intelligence API', version: '1.0.0', description: about },
    servers: [{ url: basePath }],
    security: [{ [scheme]: [] }],
    tags: [...new Set(operationNames.map((name) => tagOf(operations[name])))].map((name) => ({
      name,
      description: `What is below /${name}`,
    })),
    paths: paths(ask),
    components: {
      securitySchemes: { [scheme]: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: namedSchemas(),
    },
  };
}

function paths(ask: Ask): JsonObject {
  const found: Record<string, Record<string, JsonObject>> = {};
  for (const name of operationNames) {
    const { path, method }: Endpoint = operations[name];
    found[path] = { ...found[path], [method.toLowerCase()]: operation(name, ask) };
  }
  return found;
}

const tagOf = ({ path }: Endpoint): string => path.split('/')[1] ?? '';

function operation(name: OperationName, ask: Ask): JsonObject {
  const endpoint: Endpoint = operations[name];
  const { title, billing, freeIfEmpty, key, body, query, pathParameters = {} } = endpoint;
  const { example }: { readonly example: Example } = routes[name];
  const values = { ...example.query, ...example.path };
  const ofPath = Object.entries(pathParameters).map(([name, { shape }]) => ({
    name,
    in: 'path',
    required: true,
    schema: jsonSchemaOf(shapeSchemas[shape]),
  }));
  const ofQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    schema: schemaOf(field),
  }));
  const parameters = [...ofPath, ...ofQuery].map((one) => {
    const value = values[one.name];
    return { ...one, example: one.schema.type === 'integer' ? Number(value) : value };
  });
  return {
    operationId: name,
    summary: title,
    description: `${title}. ${priceWords(endpoint)}.`,
    tags: [tagOf(endpoint)],
    'x-billing': billing,
    ...(freeIfEmpty === true && { 'x-empty-page': 'not_billed' }),
    ...(key === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(body), example: example.body } },
      },
    }),
    responses: responsesOf(name, ask),
  };
}

/** Sections "Errors" and "Endpoints" of the API document: why, and the codes that a status has whatever the operation. */
const reasons: Readonly<Record<number, readonly [reason: string, ...codes: readonly string[]]>> = {
  400: ['A path parameter is malformed, or what it names is not for this operation'],
  401: ['The key is missing or not valid', errorCodes.apiKeyMissing, errorCodes.apiKeyNotValid],
  403: ['The key lacks permission', errorCodes.notPermitted],
  404: ['Does not exist, or is not visible to the API'],
  422: ['The request body or a parameter fails validation', errorCodes.validationError],
  429: ['The rate limit is exceeded', errorCodes.rateLimited],
  500: ['The filters of the saved search cannot be parsed'],
};

const json = (description: string, schema: JsonObject, example: unknown): JsonObject => ({
  description,
  content: { 'application/json': { schema, example } },
});

function refusal(message: string, codes: readonly string[]): JsonObject {
  if (codes.length === 0) return json(message, schemaOf(errorBody), { message });
  const properties = { errorCode: { type: 'string', enum: codes }, message: { type: 'string' } };
  return json(
    message,
    { type: 'object', properties, required: ['errorCode', 'message'] },
    { errorCode: codes[0], message },
  );
}

/** Section "Limits", of a key that may ask once a second. The names of headers are case-insensitive. */
const limitHeaders = (required: boolean): JsonObject => ({
  [rateLimitHeaders.limit]: {
    description: 'Requests allowed',
    required,
    schema: { type: 'integer' },
    example: 1,
  },
  [rateLimitHeaders.remaining]: {
    description: 'Requests remaining',
    required,
    schema: { type: 'integer' },
    example: 0,
  },
  [rateLimitHeaders.reset]: {
    description: 'Seconds until the limit resets',
    required,
    schema: { type: 'number' },
    example: 1,
  },
});

/** `OUT_OF_CREDITS` may come with any status, even one with another meaning, and then has no limit headers. */
function refusals({
  billing,
  key,
  pathParameters = {},
  query,
  body,
  refusals: own = {},
}: Endpoint) {
  const malformed = Object.values(pathParameters).map((parameter) => parameter.malformed);
  const statuses = [
    ...(key === 'none' ? [] : [401, 403, 429]),
    // A malformed value has its own answer; a well-formed one may still name something that is missing or not visible.
    ...malformed.flatMap(({ status }) => [404, status]),
    ...(query === undefined && body === undefined ? [] : [422]),
    ...Object.keys(own).map(Number),
  ];
  const credits = billing === 'charged' ? [errorCodes.outOfCredits] : [];
  const known = [...new Set(statuses)].map((status): readonly [status: string, JsonObject] => {
    const [reason, ...common] = reasons[status] ?? ['Refused'];
    const ofPath = malformed.flatMap((one) => (one.status === status ? (one.errorCode ?? []) : []));
    const codes = [...common, ...ofPath, ...(own[status] ?? [])];
    const answer = refusal(reason, codes.length === 0 ? codes : [...codes, ...credits]);
    return [
      String(status),
      status === 429 ? { ...answer, headers: limitHeaders(credits.length === 0) } : answer,
    ];
  });
  const noCredits = refusal('No credits are left; with which status is not documented', credits);
  return credits.length === 0 ? known : [...known, ['default', noCredits] as const];
}

function responsesOf(name: OperationName, ask: Ask): JsonObject {
  const endpoint: Endpoint = operations[name];
  const { successStatus, successBody, alsoReports = [], response } = endpoint;
  const success =
    successBody === 'open'
      ? { description: 'Deleted; the body is not documented' }
      : json('Success', schemaOf(response), ask(name));
  const broken = () => ask(name, [{ name: 'relational-store', probability: 1 }]);
  return Object.fromEntries([
    [successStatus === 'open' ? '2XX' : '200', success],
    ...alsoReports.map((status) => [
      String(status),
      json('The same report, of what does not work', schemaOf(response), broken()),
    ]),
    ...refusals(endpoint),
  ]);
}

/** The schemas that have a component. Operations with the same record share its first component. */
const named = z.registry<{ id: string }>();

function nameSchema(id: string, schema: z.ZodMiniType): void {
  if (!named.has(schema)) named.add(schema, { id });
}

nameSchema('Error', errorBody);
for (const name of operationNames) {
  const endpoint: Endpoint = operations[name];
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  if (endpoint.successBody !== 'open') nameSchema(`${id}Record`, recordSchema(endpoint));
  if (endpoint.body !== undefined) nameSchema(`${id}Body`, endpoint.body);
}

const uriOf = (id: string): string => `#/components/schemas/${id}`;

function namedSchemas(): JsonObject {
  const { schemas } = z.toJSONSchema(named, { ...described, uri: uriOf });
  // OpenAPI sets the dialect itself, and a component is found by its place.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  );
}

function schemaOf(schema: z.core.$ZodType): JsonObject {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uriOf(id) };
  if (schema instanceof z.core.$ZodArray)
    return { type: 'array', items: schemaOf(schema._zod.def.element) };
  return jsonSchemaOf(schema);
}
