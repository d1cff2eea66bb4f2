import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeylessStderr, maskKey } from '../../src/config/mask.ts';

test.each([
  ['invented-key-abcd', '…abcd'],
  ['twelve-chars', '…hars'],
  ['eleven-char', '…'],
  ['invented-key-a"bc', '…bc'],
  ['invented-key-abc\\', '…'],
  ['', '…'],
])('maskKey(%s) is %s', (key, masked) => expect(maskKey(key)).toBe(masked));

const redact = (text: string, ...keys: readonly string[]): string => {
  const mask = new KeylessStderr({ stderr: new PassThrough() });
  for (const key of keys) mask.guardKey(key);
  return mask.redact(text);
};

describe('KeylessStderr', () => {
  const key = 'inv/ented key+"\\0001ü';

  test.each<readonly [string, string]>([
    ['plain', key],
    ['URL-encoded', encodeURIComponent(key)],
    [
      'URL-encoded in lower case',
      encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['as a form field', encodeURIComponent(key).replaceAll('%20', '+')],
    ['in JSON', JSON.stringify({ key }).slice(8, -2)],
    ['in HTML', key.replace('"', '&quot;')],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(key).toString('base64url')],
  ])('%s', (_, form) => {
    const redacted = redact(`before ${form} between ${form} after`, key);
    expect(redacted).toMatch(
      /^before …01ü.{0,3} between …01ü.{0,3} after$|^before …\S{4}=* between …\S{4}=* after$/,
    );
    expect(redacted).not.toContain(form);
  });

  test('base64 with the characters that only one of its alphabets has', () => {
    const awkward = '>>>invented???0001';
    const form = Buffer.from(awkward).toString('base64');
    expect(form).toMatch(/[+/]/);
    expect(redact(`a ${form} b`, awkward)).toBe('a …0001 b');
  });

  test.each([
    [
      'begins as another, to its end',
      'invented-key-0001',
      ['invented', 'invented-key-0001'],
      '…0001',
    ],
    ['has signs of replacement patterns', 'invented-key-$&$1', ['invented-key-$&$1'], '…$&$1'],
  ])('masks a key that %s', (_what, text, keys, masked) =>
    expect(redact(`x ${text} y`, ...keys)).toBe(`x ${masked} y`),
  );

  test.each(['invented-key-0001', '', 'e', 'no', 'her', 'here'])(
    'leaves words alone that are no key, or one as short as %j',
    (key) => {
      expect(redact('nothing here', key)).toBe('nothing here');
    },
  );

  test('no key survives, wherever it stands', () => {
    const keys = fc.string({
      minLength: 5,
      maxLength: 40,
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(keys, fc.array(fc.string()), (secret, pieces) => {
        expect(redact(pieces.join(secret) + secret, secret)).not.toContain(secret);
      }),
    );
  });
});
