/** Generates an OpenAPI 3.1 document from the contract, which the sandbox serves at `openapi.json`. */
import type { Endpoint, PathParameter } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { basePath } from './exchange.ts';
import { Examples } from './openapi/examples.ts';
import { responsesOf } from './openapi/responses.ts';
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
      schemas: namedSchemas((id) => examples.schema(id)),
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
