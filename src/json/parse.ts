/** JSON without loss: a number that a double cannot give back as it was sent keeps its digits (`ExactNumber`). */
import { parse } from 'lossless-json';
import { isNestedTooDeep, maxDepth } from './depth.ts';
import { compactParts, isExact } from './split.ts';

/** A number that a double cannot hold as it was sent (past 2^53, many decimals): its digits, untouched. */
export class ExactNumber {
  constructor(readonly source: string) {}

  /** Lets `String` and `Number` take it as they take any number. */
  toString(): string {
    return this.source;
  }
}

/** Whether an answer's value is a number, whichever way it is held. */
export const isNumber = (value: unknown): value is number | ExactNumber => typeof value === 'number' || value instanceof ExactNumber;

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
 * @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep (`depth.ts`).
 */
export function readJson(text: string): ReadJson {
  const whole = text.trim();
  const parts = compactParts(whole, maxDepth);
  if (parts === undefined) return { value: parseWithCare(text) };
  const value: unknown = JSON.parse(text);
  return hasNumberedEscapes(whole) ? { value } : { value, whole, parts };
}

/** Parses any JSON text. Throws as `readJson`. */
export const parseJson = (text: string): unknown => readJson(text).value;

/** The common text, without delicate numbers, goes through the engine's own parser. */
function parseWithCare(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError(`more than ${maxDepth} levels`);
  if (!delicate.test(text)) return JSON.parse(text);
  return parse(text, undefined, { parseNumber: exactOrPlain, onDuplicateKey: ({ newValue }) => newValue });
}

/** Whether characters of JSON text are written as escapes with a number, which may stand for any character. */
const hasNumberedEscapes = (json: string): boolean => json.includes('\\u');
