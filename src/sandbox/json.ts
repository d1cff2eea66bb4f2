/** JSON in and out without losing a digit, at the built-in functions' speed wherever no such number occurs. */
import { parse, stringify } from 'lossless-json';
import { ExactNumber } from '../json/parse.ts';

/** Long digit runs, fractions and exponents: texts in which a number might not survive `JSON.parse`. */
const mayHoldExactNumber = /\d{16}|\d[.e]/i;

const keptNumber = (source: string): number | ExactNumber => (String(Number(source)) === source ? Number(source) : new ExactNumber(source));

/** Throws a SyntaxError for a text that is not JSON. */
export function parseExactly(text: string): unknown {
  return mayHoldExactNumber.test(text) ? parse(text, undefined, keptNumber) : JSON.parse(text);
}

const exactNumbers = [{ test: (value: unknown) => value instanceof ExactNumber, stringify: String }];

/** Writes an `ExactNumber` as the digits it came with. */
export function stringifyExactly(value: unknown): string {
  const plain = JSON.stringify(value);
  // The built-in function shows an ExactNumber as an object with its one field.
  return plain.includes('{"source":"') ? (stringify(value, undefined, undefined, exactNumbers) ?? plain) : plain;
}
