/** Writes JSON with every digit, and without characters that a terminal obeys. */
import { stringify } from 'lossless-json';
import { ExactNumber } from './parse.ts';

/** JSON allows these characters, but a terminal may obey them: the second control set and bidirectional controls. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An `ExactNumber` looks like this in plain JSON. To search the text is cheaper than to walk the value. */
const trace = /"source":\s?"/;

const exactNumbers = [{ test: (value: unknown) => value instanceof ExactNumber, stringify: String }];

/** In ASCII only one character is unsafe, and this finds it many times faster than the pattern. */
const isUnsafe = (text: string): boolean => (Buffer.byteLength(text) === text.length ? text.includes('\u007f') : text.search(unsafe) >= 0);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The escapes have the same meaning, but a terminal does not obey them. */
export const withoutUnsafe = (json: string): string => (isUnsafe(json) ? json.replace(unsafe, escaped) : json);

/** Keeps every digit; `indent` 0 gives one line, and what JSON cannot hold (undefined) is null. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  const exact = trace.test(text) ? stringify(value, undefined, indent, exactNumbers) : text;
  return withoutUnsafe(exact ?? 'null');
}
