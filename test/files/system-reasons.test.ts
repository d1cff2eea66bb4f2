import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasonOf } from '../../src/files/system-reasons.ts';

test.each([
  [() => readFileSync('/'), 'it is a folder'],
  [() => readFileSync('/etc/passwd/file'), 'a part of the path is not a folder'],
  [() => readFileSync('a\0b'), "The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received 'a\\x00b'"],
  [() => readFileSync(987_654), 'bad file descriptor'],
])('%s', (read, reason) => {
  let failure: unknown;
  try {
    read();
  } catch (error) {
    failure = error;
  }
  expect(reasonOf(failure)).toBe(reason);
});

test('what is no error is said as it is', () => expect(reasonOf('odd')).toBe('odd'));
