import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBaseUrl, normalBaseUrl, parseBaseUrl } from '../../src/config/base-url.ts';
import { UsageError } from '../../src/errors.ts';

describe('parseBaseUrl', () => {
  test.each([
    ['https://api.example/api/v1', 'https://api.example/api/v1'],
    ['https://api.example/api/v1/', 'https://api.example/api/v1'],
    ['https://api.example/api/v1//', 'https://api.example/api/v1'],
    ['https://api.example', 'https://api.example'],
    [' HTTPS://API.Example:443/api/v1 ', 'https://api.example/api/v1'],
    ['http://127.0.0.1:8080/api/v1', 'http://127.0.0.1:8080/api/v1'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
    ['https://api.example/a/../api/v1', 'https://api.example/api/v1'],
  ])('%s becomes %s', (text, expected) => expect(parseBaseUrl(text)).toBe(expected));

  test.each([
    '',
    'api.example/api/v1',
    '/api/v1',
    'ftp://api.example/api/v1',
    'file:///etc/passwd',
    'https:api.example',
    'https:\\\\api.example',
    'https://',
    'https://api.example/a b',
    'https://api.example/a\nb',
    'https://api.example/api/v1?',
    'https://api.example/api/v1?x=1',
    'https://api.example/api/v1#',
    'https://api.example/api/v1#top',
    'https://user@api.example/api/v1',
    'https://user:hunter2@api.example/api/v1',
  ])('refuses %j', (text) => expect(() => parseBaseUrl(text)).toThrow(UsageError));

  test.each([
    '"https://api.example/api/v1"',
    "'https://api.example/api/v1'",
    'https://api.example/api/v1"',
    '\u201chttps://api.example\u201d',
  ])('says that %s is in quotes, as files of variables for containers keep them', (text) =>
    expect(() => parseBaseUrl(text)).toThrow('the URL is in quotes'),
  );

  test('lets an apostrophe end a path, as a URL may', () =>
    expect(parseBaseUrl("https://api.example/v1'")).toBe("https://api.example/v1'"));

  test('has one form: reading it again changes nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), (url) => {
        const once = parseBaseUrl(url);
        expect(parseBaseUrl(once)).toBe(once);
        expect(parseBaseUrl(`${once}/`)).toBe(once);
      }),
      { numRuns: 30 },
    );
  });

  test('normalBaseUrl gives undefined instead of throwing', () => {
    expect([
      normalBaseUrl(5),
      normalBaseUrl('nowhere'),
      normalBaseUrl('https://a.example/'),
    ]).toEqual([undefined, undefined, 'https://a.example']);
  });
});

test.each([
  ['https://api.example', true],
  ['http://127.0.0.1:8080', true],
  ['http://127.9.8.7', true],
  ['http://[::1]:8080', true],
  ['http://localhost:8080', true],
  ['http://0x7f000001', true],
  ['http://api.example', false],
  ['http://127.0.0.1.example', false],
  ['http://localhost.example', false],
  ['http://[::2]', false],
  ['http://10.0.0.1', false],
  ['http://0.0.0.0', false],
])('checkBaseUrl: %s is accepted: %s', (url, accepted) => {
  const check = () => checkBaseUrl(url, false);
  if (accepted) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ hint: expect.stringContaining('--allow-http') }),
      }),
    );
  expect(() => checkBaseUrl(url, true)).not.toThrow();
});
