/** Reads and writes JSON without loss: a number that a double would change keeps its digits (`ExactNumber`). */
import { parse, stringify } from 'lossless-json';

export class ExactNumber {
  constructor(readonly source: string) {}

  /** `String` and `Number` take this like any number. */
  toString(): string {
    return this.source;
  }
}

export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

const numberInJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export const isNumberText = (text: string): boolean => numberInJson.test(text);

/** The double nearest to a number, never minus zero; undefined for one beyond all doubles. */
export function nearestDouble(value: number | ExactNumber): number | undefined {
  const nearest = Number(value) + 0;
  return Number.isFinite(nearest) ? nearest : undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof ExactNumber);

export const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

/** Of a path, into a list: the place of an element, or the position that somebody has now. */
export const isListStep = (step: string): boolean => step === 'current' || /^\d+$/.test(step);

export const elementAt = (list: readonly unknown[], step: string): unknown =>
  step === 'current'
    ? list.find((one) => isObject(one) && one.is_current === true)
    : list[Number(step)];

/** `whole` is the text where it is one line, exact, and without an escape that hides a character; `parts` are those of a list. */
export interface ReadJson {
  readonly value: unknown;
  readonly whole?: string;
  readonly parts?: readonly string[];
}

/** @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep */
export function readJson(text: string): ReadJson {
  const whole = text.trim();
  const scanned = scan(whole);
  if (scanned === undefined) throw new RangeError(`more than ${maxDepth} levels`);
  const { parts, isCompact, isExact } = scanned;
  const value = isExact
    ? JSON.parse(text)
    : parse(text, undefined, { parseNumber: exactOrPlain, onDuplicateKey: takeLater });
  if (whole.includes('\\u'))
    return { value: mayBeHalf.test(whole) ? withWholeCharacters(value) : value };
  return isCompact && isExact ? { value, whole, parts } : { value };
}

const mayBeHalf = /\\u[dD][89a-fA-F]/;

export const parseJson = (text: string): unknown => readJson(text).value;

const isExactNumber = (digits: string): boolean => String(Number(digits)) === digits;

const exactOrPlain = (digits: string): number | ExactNumber =>
  isExactNumber(digits) ? Number(digits) : new ExactNumber(digits);

const takeLater = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/** Where a text stops being JSON, which the engine's own words do not tell in some versions. */
export function faultIn(text: string): { readonly at: number; readonly why: string } {
  try {
    parse(text, undefined, { onDuplicateKey: takeLater });
  } catch (error) {
    const [, why, at] =
      /^(.*) at position (\d+)$/s.exec(error instanceof Error ? error.message : '') ?? [];
    if (why !== undefined)
      return {
        at: Number(at),
        why: why.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()).replace(/\s+/g, ' '),
      };
  }
  return { at: 0, why: 'not readable' };
}

/** Holds the value as it was. It goes with a copy by spread, and no writer of JSON sees it. */
const mended = Symbol('mended');

export const wasMended = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(wasMended)
    : typeof value === 'object' && value !== null && mended in value;

export function unmended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmended);
  return isObject(value) && mended in value ? value[mended] : value;
}

/** With U+FFFD for each half of a character (lone surrogate), which no other program can read. */
function withWholeCharacters(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const elements = value.map(withWholeCharacters);
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return value;
  const entries = Object.entries(value);
  const changed = entries.map(
    ([key, inner]) => [key.toWellFormed(), withWholeCharacters(inner)] as const,
  );
  if (changed.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1]))
    return value;
  return Object.assign(Object.fromEntries(changed), { [mended]: value });
}

export const isSameValue = (digits: string): boolean =>
  normalNumber(digits) === normalNumber(String(Number(digits)));

/** Significant digits and a power of ten: `1.50` and `15e-1` are the same, as are `-0` and `0`. */
function normalNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // To begin anew at each zero within would take minutes for a million of them.
  const counting = digits.replace(/(?<!0)0+$/, '');
  return counting === ''
    ? '0'
    : `${sign}${counting}e${Number(exponent) - fraction.length + digits.length - counting.length}`;
}

/** A deeper value may overflow the stack of who walks through it; the API's own bodies have six levels. */
export const maxDepth = 500;

export const isNestedTooDeep = (text: string): boolean => scan(text) === undefined;

const [quote, backslash, comma, minus, zero, nine, space] = [
  0x22, 0x5c, 0x2c, 0x2d, 0x30, 0x39, 0x20,
];
const [opensArray, closesArray, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d];

const number = /[-+.\deE]+/y;

/** The elements of an array (else the text), whether white space stands outside of strings, whether doubles keep all digits. */
function scan(text: string) {
  const isArray = text.charCodeAt(0) === opensArray;
  const parts: string[] = [];
  let [depth, from] = [0, isArray ? 1 : 0];
  let [isCompact, isExact] = [true, true];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === opensArray || code === opensObject) {
      depth += 1;
      if (depth > maxDepth) return undefined;
    } else if (code === closesArray || code === closesObject) depth -= 1;
    else if (code === comma && depth === 1 && isArray) {
      parts.push(text.slice(from, at));
      from = at + 1;
    } else if (code === minus || (code >= zero && code <= nine)) {
      number.lastIndex = at;
      number.test(text);
      isExact &&= isExactNumber(text.slice(at, number.lastIndex));
      at = number.lastIndex - 1;
    } else if (code <= space) isCompact = false;
  }
  if (text !== '[]') parts.push(isArray ? text.slice(from, -1) : text);
  return { parts, isCompact, isExact };
}

/** The place of the closing quote, or the end of the text; a quote behind an odd number of backslashes is escaped. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** A terminal may obey these, which JSON allows: the second control set and bidirectional controls. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An `ExactNumber` in JSON: to search the text is cheaper than to walk the value. */
const trace = /"source":\s?"/;

const exactNumbers = [
  { test: (value: unknown) => value instanceof ExactNumber, stringify: String },
];

/** In ASCII only one is unsafe, and this finds it many times faster than the pattern. */
const isUnsafe = (text: string): boolean =>
  Buffer.byteLength(text) === text.length ? text.includes('\u007f') : text.search(unsafe) >= 0;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const withoutUnsafe = (json: string): string =>
  isUnsafe(json) ? json.replace(unsafe, escaped) : json;

/** Keeps every digit; `indent` 0 gives one line; undefined is null. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  const exact = trace.test(text) ? stringify(value, undefined, indent, exactNumbers) : text;
  return withoutUnsafe(exact ?? 'null');
}
