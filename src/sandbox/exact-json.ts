/** Reads and writes JSON without losing a digit, and uses the fast built-in functions where no digit can be lost. */
import { parse, stringify } from 'lossless-json';
import { ExactNumber } from '../json/parse.ts';

/** `JSON.parse` may change a number in texts with long digit runs, fractions or exponents. */
const mayHoldExactNumber = /\d{16}|\d[.e]/i;

const keptNumber = (source: string): number | ExactNumber => (String(Number(source)) === source ? Number(source) : new ExactNumber(source));

export function parseExactly(text: string): unknown {
  return mayHoldExactNumber.test(text) ? parse(text, undefined, keptNumber) : JSON.parse(text);
}

const exactNumbers = [{ test: (value: unknown) => value instanceof ExactNumber, stringify: String }];

export function stringifyExactly(value: unknown): string {
  const plain = JSON.stringify(value);
  // The built-in function shows an ExactNumber as an object with its only field.
  return plain.includes('{"source":"') ? (stringify(value, undefined, undefined, exactNumbers) ?? plain) : plain;
}
