/** Looks at JSON text before it is parsed: whether it is compact or nested too deep, and where the elements of its array begin and end. */

/** Tells whether a double gives back a number's digits as they were sent. */
export const isExact = (digits: string): boolean => String(Number(digits)) === digits;

/** Tells whether a double has the same value, even with other digits (`5.0`, `1e7`). It is false for numbers that a double changes. */
export const isSameValue = (digits: string): boolean => normalNumber(digits) === normalNumber(String(Number(digits)));

/** It writes a number as significant digits and a power of ten, so that `1.50` and `15e-1` are the same, as are `-0` and `0`. */
function normalNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const counting = digits.replace(/0+$/, '');
  return counting === '' ? '0' : `${sign}${counting}e${Number(exponent) - fraction.length + digits.length - counting.length}`;
}

const [quote, backslash, comma, minus, zero, nine] = [0x22, 0x5c, 0x2c, 0x2d, 0x30, 0x39];
const [opensArray, closesArray, opensObject, closesObject, space] = [0x5b, 0x5d, 0x7b, 0x7d, 0x20];

const isDigit = (code: number): boolean => code >= zero && code <= nine;

const notWhole: ReadonlySet<number> = new Set(Array.from('.eE+-', (character) => character.charCodeAt(0)));
const isInNumber = (code: number): boolean => isDigit(code) || notWhole.has(code);

const surelyExact = 15;

/** Gives an array's elements, or the text; undefined for white space, inexact numbers or many levels. Invalid JSON may give anything. */
export function compactParts(text: string): readonly string[] | undefined {
  const isArray = text.charCodeAt(0) === opensArray;
  const parts: string[] = [];
  let [depth, from] = [0, 1];
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
    } else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (code <= space) return undefined;
  }
  if (!isArray) return [text];
  return text === '[]' ? parts : [...parts, text.slice(from, -1)];
}

/** Gives the place of the closing quote, or the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function endOfNumber(text: string, start: number): number | undefined {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  const isWhole = text.charCodeAt(start) !== minus && !notWhole.has(text.charCodeAt(end));
  if (isWhole && end - start <= surelyExact) return end;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return isExact(text.slice(start, end)) ? end : undefined;
}

/** It counts levels of arrays and objects; the API's own bodies have six. */
export const maxDepth = 500;

/** To write a deeper value, or to walk through it, overflows the stack. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === opensArray || code === opensObject) depth += 1;
    else if (code === closesArray || code === closesObject) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}
