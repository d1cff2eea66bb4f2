import * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { misfitsIn, typeNameOf } from '../contract/misfits.ts';
import { errorCodes } from '../contract/service.ts';
import { attempt } from '../errors.ts';
import { isObject, type ReadJson, readJson } from '../json/exact.ts';
import { ApiRecord, identityIn, recordsOf } from '../rows/row.ts';
import { type ErrorBody, NoAnswer } from './failure.ts';

/** Objects, arrays and members, far more than the API sends: so many can be checked within 300 MB. */
const maxValues = 400_000;

const maxQuoted = 300;

/** Marks in strings count as well: in prose they are one character in fifty. */
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

type Described = Pick<Endpoint, 'method' | 'response' | 'mustFit' | 'successBody'>;

/** A paid answer is not thrown away for a field, but for the one that tells what it is about, or where `mustFit` says so. @throws NoAnswer */
export function decode(endpoint: Described, text: string) {
  const read = parsed(text, endpoint.successBody);
  requireDocumented(endpoint, read.value, text);
  return { record: new ApiRecord(read.value, read.whole), records: recordsOf(read) };
}

function requireDocumented(
  { method, response, mustFit, successBody }: Described,
  value: unknown,
  text: string,
): void {
  // A change is made, whatever the answer to it leaves out.
  const mayLackId = mustFit === true || method !== 'GET';
  const fault =
    typeFaultOf(response, value) ?? (mayLackId ? undefined : missingFrom(response, value));
  const [errorCode, message] = [wordIn(value, 'errorCode'), wordIn(value, 'message')];
  if (errorCode && (fault !== undefined || mustFit === true || successBody !== undefined))
    throw new NoAnswer(
      'misshapen',
      `the answer is an error: ${errorCode}${message ? `: ${message}` : ''}`,
      { refusal: { errorCode } },
    );
  const words =
    isObject(value) && Object.keys(value).length > 0
      ? `: ${message || text.trim().slice(0, maxQuoted)}`
      : '';
  if (fault !== undefined) throw new NoAnswer('misshapen', fault + words);
  const [misfit] = mustFit === true ? misfitsIn(response, value) : [];
  if (misfit !== undefined)
    throw new NoAnswer('misshapen', `the field "${misfit.path}" ${misfit.words}`);
}

function typeFaultOf(response: z.ZodMiniType, value: unknown): string | undefined {
  if (response instanceof z.ZodMiniArray && !Array.isArray(value))
    return `the body should be an array, and is ${typeNameOf(value)}`;
  if (response instanceof z.ZodMiniObject && !isObject(value))
    return `the body should be an object, and is ${typeNameOf(value)}`;
  return undefined;
}

/** What stands on the way may answer for the service, in words of its own; the field that says what a record is about is in none of them. */
function missingFrom(response: z.ZodMiniType, value: unknown): string | undefined {
  if (!(response instanceof z.ZodMiniObject) || !isObject(value)) return undefined;
  const fields = Object.entries(response.shape);
  const missing = fields.find(([name, schema]) => {
    if (schema instanceof z.ZodMiniOptional || identityIn(value, name)?.trim()) return false;
    // The document does not say whether this field stays where a company has no figures.
    const isNull =
      schema instanceof z.ZodMiniNullable && Object.hasOwn(value, name) && value[name] === null;
    return !isNull || !fields.some(([other]) => other !== name && Object.hasOwn(value, other));
  });
  return missing && `the answer has no ${missing[0]}`;
}

export function readRefusal(text: string): ErrorBody {
  const body = attempt(() => parsed(text).value);
  const errorCode = wordIn(body, 'errorCode');
  const inner = isObject(body) && Object.hasOwn(body, 'error') ? body.error : undefined;
  const message =
    wordIn(body, 'message') ?? problemIn(body) ?? wordIn(body, 'error') ?? wordIn(inner, 'message');
  return { ...(errorCode && { errorCode }), ...(message && { message }) };
}

/** What gateways say, as RFC 9457 has it. */
const problemIn = (body: unknown): string | undefined => {
  const told = [wordIn(body, 'title'), wordIn(body, 'detail')].filter(
    (words) => words !== undefined && words !== '',
  );
  return told.length === 0 ? undefined : told.join(': ');
};

/** A message of another shape must not hide the code that ends a run, so each field is read by itself. */
function wordIn(
  body: unknown,
  name: keyof ErrorBody | 'title' | 'detail' | 'error',
): string | undefined {
  const value = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Section "Errors", fact 1: the status that carries `OUT_OF_CREDITS` is not documented, so the code alone decides. */
export const isOutOfCredits = ({ status, text }: { status: number; text: string }): boolean =>
  (status >= 300 || text.length < 4096) &&
  text.includes(errorCodes.outOfCredits) &&
  readRefusal(text).errorCode === errorCodes.outOfCredits;

function parsed(text: string, successBody?: Endpoint['successBody']): ReadJson {
  if (successBody === 'any' && text.trim() === '') return readJson('null');
  if (holdsTooMany(text)) throw new NoAnswer('misshapen', 'the body holds too many values');
  try {
    return readJson(text);
  } catch (error) {
    const isTooDeep = error instanceof RangeError;
    // A page comes from a gateway and says nothing about the call.
    if (successBody === 'open' && !isTooDeep && !text.trimStart().startsWith('<'))
      return { value: undefined };
    const page = pageIn(text);
    if (page !== undefined) throw new NoAnswer('misshapen', page, { isPage: true });
    const reason = isTooDeep ? 'is nested too deep' : 'is not JSON';
    throw new NoAnswer(
      'misshapen',
      `the body ${reason}${text.trim() === '' ? ' (it is empty)' : ''}`,
    );
  }
}

/** A comment ends at its first mark, so that no text can be read as comments in more ways than one: trying all of them would take for ever. */
const pageStart =
  /^[\s\ufeff]*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body|title|script|style|meta|link|center|div|table|form|h[1-6]|p|pre)[\s>]/i;
const maxTitle = 80;

/** The words for a page of HTML, with its title; undefined for anything else. */
export function pageIn(text: string): string | undefined {
  if (!pageStart.test(text.slice(0, 4096))) return undefined;
  const [, title = ''] = /<title[^<>]*>([^<]{0,1000})/i.exec(text) ?? [];
  const words = title.replace(/\s+/g, ' ').trim();
  // The last word goes whole: a key that is cut is not recognised, and would be shown.
  const shown =
    words.length > maxTitle ? `${words.slice(0, maxTitle).replace(/\S+$/, '')}…` : words;
  const called = shown === '' ? '' : ` ("${shown}")`;
  return `a page of HTML${called} came, no answer of the API`;
}
