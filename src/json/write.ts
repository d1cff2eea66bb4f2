/** JSON written: every digit kept, and nothing in it that a terminal obeys. */
import { ExactNumber } from './parse.ts';

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
