/** JSON without loss: a number that a double cannot give back as it was sent keeps its digits (`ExactNumber`). */
import { parse } from 'lossless-json';
import { ExactNumber } from './contract/fields.ts';
import { deepestJson, isNestedTooDeep } from './json-depth.ts';
import { compactParts, isExact } from './json-text.ts';

/** Literals that may not survive a double as written: many digits, an exponent, a trailing zero, a very small number, minus zero. */
const delicate = /(?:[:,[]\s*|^\s*)-?(?:\d[\d.]{15,}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6}|(?<=-)0(?![.\d]))/;

/** An object of JSON: neither an array, nor a number that keeps its digits. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** A value that holds others: an object or an array. */
export const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

const exactOrPlain = (digits: string): number | ExactNumber => (isExact(digits) ? Number(digits) : new ExactNumber(digits));

/** A parsed text; and the text itself where it is on one line, loses no digit by parsing, and has no escape that hides a character. */
export interface ReadJson {
  readonly value: unknown;
  readonly whole?: string;
  /** Of an array, the text of each element. */
  readonly parts?: readonly string[];
}

/**
 * Parses any JSON text, and says whether it will do as it came.
 * @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep (`json-depth.ts`).
 */
export function readJson(text: string): ReadJson {
  const whole = text.trim();
  const parts = compactParts(whole, deepestJson);
  if (parts === undefined) return { value: parseWithCare(text) };
  const value: unknown = JSON.parse(text);
  return hasNumberedEscapes(whole) ? { value } : { value, whole, parts };
}

/** Parses any JSON text. Throws as `readJson`. */
export const parseJson = (text: string): unknown => readJson(text).value;

/** The common text, without delicate numbers, goes through the engine's own parser. */
function parseWithCare(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError(`more than ${deepestJson} levels`);
  if (!delicate.test(text)) return JSON.parse(text);
  return parse(text, undefined, { parseNumber: exactOrPlain, onDuplicateKey: ({ newValue }) => newValue });
}

/** Characters that JSON allows as they are but a terminal may obey: the second control set and bidirectional controls. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** How an `ExactNumber` looks in plain JSON: its presence in a text is cheaper to find than by walking the value. */
const trace = /"source":\s?"/;

const deleteCharacter = '\u007f';

/** Of ASCII, a character a byte, only one is unsafe: found many times faster than by the pattern. */
const isUnsafe = (text: string): boolean =>
  Buffer.byteLength(text) === text.length ? text.includes(deleteCharacter) : text.search(unsafe) >= 0;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON text with nothing in it that a terminal obeys: escapes, which mean the same, are in the place of such characters. */
export const withoutUnsafe = (json: string): string => (isUnsafe(json) ? json.replace(unsafe, escaped) : json);

/** Whether characters of JSON text are written as escapes with a number, which may stand for any character. */
const hasNumberedEscapes = (json: string): boolean => json.includes('\\u');

/** The slow way: numbers travel through `JSON.stringify` as strings with a mark that no text of the service can hold. */
function withExactNumbers(value: unknown, indent: number): string {
  const mark = `${crypto.randomUUID()}:`;
  const marked = (_key: string, inner: unknown) => (inner instanceof ExactNumber ? mark + inner.source : inner);
  return JSON.stringify(value, marked, indent).replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** `value` as JSON text, every digit kept; `indent` 0 is one line. What JSON cannot hold (undefined) is null. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return withoutUnsafe(trace.test(text) ? withExactNumbers(value, indent) : text);
}
