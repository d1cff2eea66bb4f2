/** Generates an OpenAPI 3.1 document from the contract, which the sandbox serves at `openapi.json`. */
import type { Endpoint, PathParameter } from '../contract/endpoint.ts';
import { operations } from '../contract/operations.ts';
import { basePath } from './exchange.ts';
import { responsesOf } from './openapi/responses.ts';
import { type Json, namedSchemas, schemaOf } from './openapi/schemas.ts';

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

/** Returns a new document each time, so the caller may change it. */
export function describeApi(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Professional Data Intelligence API', version: '1.0.0', description: about },
    servers: [{ url: basePath }],
    security: [{ [scheme]: [] }],
    paths: paths(),
    components: {
      securitySchemes: { [scheme]: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: namedSchemas(),
    },
  };
}

function paths(): Json {
  const found: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(operations)) {
    found[endpoint.path] = { ...found[endpoint.path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return found;
}

function operation(name: string, endpoint: Endpoint): Json {
  const { title, billing, emptyPage, key, body } = endpoint;
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint)];
  return {
    operationId: name,
    summary: title,
    'x-billing': billing,
    ...(emptyPage !== undefined && { 'x-empty-page': emptyPage }),
    ...(key === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } } }),
    responses: responsesOf(endpoint),
  };
}

const pathParameters = ({ pathParameters: named = {} }: Endpoint): Json[] =>
  Object.entries(named).map(([name, { shape }]) => ({ name, in: 'path', required: true, schema: shapes[shape] }));

const queryParameters = ({ query }: Endpoint): Json[] =>
  Object.entries(query?.shape ?? {}).map(([name, field]) => ({ name, in: 'query', schema: schemaOf(field) }));
