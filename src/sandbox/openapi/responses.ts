/** Describes what an operation may answer, by status. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { refusalsOf } from '../../contract/refusals.ts';
import { errorBody, errorCodes, rateLimitHeaders } from '../../contract/service.ts';
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

const json = (description: string, schema: Json): Json => ({ description, content: { 'application/json': { schema } } });

/** If the document names no codes, every body of the error shape is allowed. */
function errorSchema(codes: readonly string[]): Json {
  if (codes.length === 0) return schemaOf(errorBody);
  const properties = { errorCode: { type: 'string', enum: codes }, message: { type: 'string' } };
  return { type: 'object', properties, required: ['errorCode', 'message'] };
}

/** Section "Limits". The names of headers are case-insensitive. */
function limitHeaders(required: boolean): Json {
  const header = (description: string, type: 'integer' | 'number') => ({ description, required, schema: { type } });
  return {
    [rateLimitHeaders.limit]: header('Requests allowed', 'integer'),
    [rateLimitHeaders.remaining]: header('Requests remaining', 'integer'),
    [rateLimitHeaders.reset]: header('Seconds until the limit resets', 'number'),
  };
}

/** `OUT_OF_CREDITS` may come with any status, even one with another meaning, and then has no limit headers. */
function refusals(endpoint: Endpoint): [string, Json][] {
  const isCharged = endpoint.billing === 'charged';
  const credits = isCharged ? [errorCodes.outOfCredits] : [];
  const known = [...refusalsOf(endpoint)].map(([status, codes]): [string, Json] => {
    const answer = json(reasons[status] ?? 'Refused', errorSchema(codes.length === 0 ? codes : [...codes, ...credits]));
    return [String(status), status === 429 ? { ...answer, headers: limitHeaders(!isCharged) } : answer];
  });
  const anyStatus = json('No credits are left; with which status is not documented', errorSchema(credits));
  return isCharged ? [...known, ['default', anyStatus]] : known;
}

const success = ({ successBody, response }: Endpoint): Json =>
  successBody === 'open' ? { description: 'Deleted; the body is not documented' } : json('Success', schemaOf(response));

export function responsesOf(endpoint: Endpoint): Json {
  const { successStatus, alsoReports = [], response } = endpoint;
  return Object.fromEntries([
    [successStatus === 'open' ? '2XX' : '200', success(endpoint)],
    ...alsoReports.map((status): [string, Json] => [String(status), json('The same report, of what does not work', schemaOf(response))]),
    ...refusals(endpoint),
  ]);
}
