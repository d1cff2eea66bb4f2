/** Reads JSON without loss: a number that a double would change keeps its digits (`ExactNumber`). */
import { parse } from 'lossless-json';
import { compactParts, isExact, isNestedTooDeep, maxDepth } from './split.ts';

/** Keeps the digits of a number that a double cannot hold as it was sent (past 2^53, many decimals). */
export class ExactNumber {
  constructor(readonly source: string) {}

  /** It lets `String` and `Number` take this like any number. */
  toString(): string {
    return this.source;
  }
}

export const isNumber = (value: unknown): value is number | ExactNumber => typeof value === 'number' || value instanceof ExactNumber;

/** The double nearest to a number, never minus zero; undefined for one beyond all doubles. */
export function nearestDouble(value: number | ExactNumber): number | undefined {
  const nearest = Number(value) + 0;
  return Number.isFinite(nearest) ? nearest : undefined;
}

/** These may not survive a double as written: many digits, an exponent, a trailing zero, a very small number, minus zero. */
const delicate = /(?:[:,[]\s*|^\s*)-?(?:\d[\d.]{15,}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6}|(?<=-)0(?![.\d]))/;

/** An object of JSON is neither an array nor an `ExactNumber`. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

export const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

const exactOrPlain = (digits: string): number | ExactNumber => (isExact(digits) ? Number(digits) : new ExactNumber(digits));

/** `whole` is the text, where it is one line, loses no digit by parsing, and has no escape that hides a character. */
export interface ReadJson {
  readonly value: unknown;
  readonly whole?: string;
  readonly parts?: readonly string[];
}

/** @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep */
export function readJson(text: string): ReadJson {
  const whole = text.trim();
  const parts = compactParts(whole);
  if (parts === undefined) return { value: withWholeCharacters(parseWithCare(text), text) };
  const value: unknown = JSON.parse(text);
  return hasNumberedEscapes(whole) ? { value: withWholeCharacters(value, whole) } : { value, whole, parts };
}

export const parseJson = (text: string): unknown => readJson(text).value;

/** Common text has no delicate numbers, so `JSON.parse` loses nothing. */
function parseWithCare(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError(`more than ${maxDepth} levels`);
  if (!delicate.test(text)) return JSON.parse(text);
  return parse(text, undefined, { parseNumber: exactOrPlain, onDuplicateKey: takeLater });
}

/** Of two values of one name the later counts, as for the engine. */
const takeLater = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/** Says where a text stops being JSON. The engine's own words have no place in some versions. */
export function faultIn(text: string): { readonly at: number; readonly why: string } {
  try {
    parse(text, undefined, { onDuplicateKey: takeLater });
  } catch (error) {
    const [, why, at] = /^(.*) at position (\d+)$/s.exec(error instanceof Error ? error.message : '') ?? [];
    if (why !== undefined)
      return { at: Number(at), why: why.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()).replace(/\s+/g, ' ') };
  }
  return { at: 0, why: 'not readable' };
}

const hasNumberedEscapes = (json: string): boolean => json.includes('\\u');

/** It goes with a copy by spread, and no writer of JSON sees it. */
const mended = Symbol('mended');

const mayBeHalf = /\\u[dD][89a-fA-F]/;

/** Gives the value with U+FFFD for each half of a character (lone surrogate), which no other program can read. Most texts cannot have one. */
const withWholeCharacters = (value: unknown, text: string): unknown => (mayBeHalf.test(text) ? whole(value) : value);

/** Tells whether a half of a character was replaced in a value, or in one of a list. */
export const wasMended = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(wasMended) : typeof value === 'object' && value !== null && mended in value;

function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const elements = value.map(whole);
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, inner]) => [key.toWellFormed(), whole(inner)] as const);
  if (changed.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1])) return value;
  return Object.assign(Object.fromEntries(changed), { [mended]: true });
}
