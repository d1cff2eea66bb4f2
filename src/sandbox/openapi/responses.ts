/** Describes what an operation may answer, by status. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { refusalsOf } from '../../contract/refusals.ts';
import { errorBody, errorCodes, rateLimitHeaders } from '../../contract/service.ts';
import type { Examples, RefusalExample } from './examples.ts';
import { type Json, schemaOf } from './schemas.ts';

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
function limitHeaders(required: boolean, examples: RefusalExample['headers']): Json {
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

export function responsesOf(name: OperationName, examples: Examples): Json {
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
