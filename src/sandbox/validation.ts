/** Checks a request against the contract: path parameters, query and body, in this order. */
import * as z from 'zod/mini';
import type { Endpoint, PathParameter, RequestOf, RequestParts } from '../contract/endpoint.ts';
import { isUuid } from '../contract/identifier.ts';
import { errorCodes } from '../contract/service.ts';
import { parseJson } from '../json/parse.ts';

/** An answer in the shape of section "Errors". Any step may throw it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** It is absent if the document names no code: 404 and 500. */
    readonly errorCode?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export const invalid = (message: string): Refusal => new Refusal(422, message, errorCodes.validationError);

/** The document names no error for another prefix of a person id, so such an id is just an unknown person. */
const isMalformed = (shape: PathParameter['shape'], value: string): boolean =>
  (shape === 'uuid' && !isUuid(value)) || (shape === 'integer' && !/^-?\d+$/.test(value));

/** A value stays a text if the field accepts texts; otherwise it is read as a number, or the schema refuses it. */
function readValue(field: z.core.$ZodType, text: string): unknown {
  const isText = z.safeParse(field, text).success;
  return !isText && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Unknown parameters are ignored; of a repeated one the last value counts, as a number where the contract wants one. */
export function readQuery({ query }: Endpoint, text: string): Readonly<Record<string, unknown>> {
  const sent = new URLSearchParams(text);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(query?.shape ?? {})) {
    const value = sent.getAll(name).at(-1);
    if (value !== undefined) values[name] = readValue(field, value);
  }
  return values;
}

/** An operation without body ignores a body. @throws Refusal 422 for a text that is not JSON */
export function readBody({ body }: Endpoint, text: string): unknown {
  if (body === undefined) return undefined;
  try {
    return text === '' ? undefined : parseJson(text);
  } catch {
    throw invalid('The body is not JSON');
  }
}

function wordsOf(issue: z.core.$ZodIssue, where: string): string {
  const at = [where, ...issue.path].join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${at}: unknown field ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return `${at}: expected ${issue.expected}`;
    case 'too_small':
      return `${at}: at least ${issue.minimum} needed`;
    case 'too_big':
      return `${at}: at most ${issue.maximum} allowed`;
    case 'invalid_value':
      return `${at}: must be ${issue.values.join(' or ')}`;
    default:
      return `${at}: not a valid value`;
  }
}

function requireSchema(schema: z.ZodMiniType | undefined, value: unknown, where: string): void {
  const issue = schema === undefined ? undefined : z.safeParse(schema, value).error?.issues[0];
  if (issue !== undefined) throw invalid(wordsOf(issue, where));
}

/** @throws Refusal as documented for a malformed path parameter, then 422 for query and body */
export function requireValid<E extends Endpoint>(endpoint: E, request: RequestParts): asserts request is RequestParts & RequestOf<E> {
  for (const [name, { shape, malformed }] of Object.entries(endpoint.pathParameters ?? {})) {
    const value = request.path[name] ?? '';
    if (isMalformed(shape, value)) throw new Refusal(malformed.status, `${name} is not valid: ${value}`, malformed.errorCode);
  }
  requireSchema(endpoint.query, request.query, 'query');
  requireSchema(endpoint.body, request.body, 'body');
}
