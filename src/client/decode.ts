/** Turns the text of a reply into the body that an endpoint documents, or names the field that differs. Pure. */
import * as z from 'zod/mini';
import { type errorBody, errorCodes } from '../contract/service.ts';
import { isObject, parseJson, type ReadJson, readJson } from '../json/parse.ts';
import { ApiRecord, recordsOf } from '../rows/record.ts';
import { quickCheckOf } from './quick-check.ts';

/** It counts objects, arrays and members. It is far above what the API sends, and so many can be checked within 300 MB. */
const maxValues = 400_000;

/** Marks in strings count as well. In prose they are one character in fifty. */
function holdsTooMany(text: string): boolean {
  if (text.length <= maxValues) return false;
  let found = 0;
  for (const mark of [',', '{', '[']) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      found += 1;
      if (found > maxValues) return true;
    }
  }
  return false;
}

/** It says that the body of an answer is not as documented; `message` names the field. */
export class InvalidResponse extends Error {}

export interface ErrorBody {
  readonly errorCode?: string;
  readonly message?: string;
}

/** Each record of the body has its own text. */
export interface Decoded<T> {
  readonly body: T;
  readonly record: ApiRecord;
  readonly records: readonly ApiRecord[];
}

interface DecodeOptions {
  /** The service's own words (`deleted`), or an empty text, count as no body: `undefined`. */
  readonly open?: boolean;
}

/** Parses and checks a body, and gives it as it was sent, with unknown fields and in the same order. @throws InvalidResponse */
export function decode<S extends z.ZodMiniType>(schema: S, text: string, { open = false }: DecodeOptions = {}): Decoded<z.infer<S>> {
  const read: ReadJson = open && isWordsOnly(text) ? { value: undefined } : parsed(text);
  const { value, whole } = read;
  if (!fits(schema, value)) throw new InvalidResponse('the body is not as documented');
  return { body: value, record: new ApiRecord(value, whole), records: recordsOf(read) };
}

/** JSON is a body. A page comes from a gateway and says nothing about the call. So neither counts as words of the service. */
function isWordsOnly(text: string): boolean {
  if (holdsTooMany(text) || text.trimStart().startsWith('<')) return false;
  try {
    readJson(text);
    return false;
  } catch (error) {
    return !(error instanceof RangeError);
  }
}

/** Reads the code and message of an error body; it is empty for any other text. */
export function readRefusal(text: string): ErrorBody {
  if (holdsTooMany(text)) return {};
  try {
    const body = parseJson(text);
    const [errorCode, message] = [wordIn(body, 'errorCode'), wordIn(body, 'message')];
    return { ...(errorCode && { errorCode }), ...(message && { message }) };
  } catch {
    return {};
  }
}

/** Each field is read by itself, so that a message of another shape cannot hide the code that ends a run. */
function wordIn(body: unknown, name: keyof z.infer<typeof errorBody>): string | undefined {
  const value = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Section "Errors", fact 1: the status that carries `OUT_OF_CREDITS` is not documented, so the code alone decides. */
export const isOutOfCredits = ({ status, text }: { status: number; text: string }): boolean =>
  (status >= 300 || text.length < 4096) &&
  text.includes(errorCodes.outOfCredits) &&
  readRefusal(text).errorCode === errorCodes.outOfCredits;

function parsed(text: string): ReadJson {
  if (holdsTooMany(text)) throw new InvalidResponse('the body holds too many values');
  try {
    return readJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? 'is nested too deep' : 'is not JSON';
    throw new InvalidResponse(`the body ${reason}${text.trim() === '' ? ' (it is empty)' : ''}`);
  }
}

function fits<S extends z.ZodMiniType>(schema: S, value: unknown): value is z.infer<S> {
  if (quickCheckOf(schema)(value)) return true;
  if (Array.isArray(value) && schema instanceof z.ZodMiniArray) return allFit(schema.def.element, value);
  throwComplaint(schema, value, []);
  return true;
}

function throwComplaint(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): void {
  const [issue] = complaints(schema, value);
  if (issue !== undefined) throw new InvalidResponse(describe(issue, value, path));
}

function complaints(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  try {
    return z.safeParse(schema, value).error?.issues ?? [];
  } catch (error) {
    // zod passes its complaints as arguments, and too many of them overflow the stack.
    if (error instanceof RangeError)
      throw new InvalidResponse('the body has a field that is not as documented, too many times to tell which');
    throw error;
  }
}

/** Records are checked one by one up to the first wrong one, because complaints about a million records fill the memory. */
function allFit(element: z.core.$ZodType, records: readonly unknown[]): boolean {
  for (const [index, record] of records.entries()) throwComplaint(element, record, [index]);
  return true;
}

function describe(issue: z.core.$ZodIssue, value: unknown, above: readonly PropertyKey[]): string {
  const path = issue.path.map(String);
  const expected = 'expected' in issue ? `should be ${issue.expected}` : issue.message.replace(/^expected/, 'should be');
  const found = path.reduce<unknown>((within, key) => propertyOf(within, key), value);
  const whole = [...above.map(String), ...path];
  const where = whole.length === 0 ? 'the body' : `the field "${whole.join('.')}"`;
  return `${where} ${expected}, and is ${nameOf(found)}`;
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
