/** Words for a key or a proxy that was written down with more than itself. */
import { describe, expect, it } from 'vitest';
import { proxyFrom } from '../../src/client/connections.ts';
import { parseKey } from '../../src/config/values.ts';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('a key', () => {
  it.each<readonly [words: string, ...texts: string[]]>([
    ['the key stands in quotes', '"abc-123"', "'abc-123'", '`abc-123`', '\u201cabc-123\u201d', ' "abc-123"\n'],
    [
      'the key is not UTF-8, but perhaps UTF-16',
      ...[utf16('\ufeffabc-123\r\n'), utf16('abc-123\n'), utf16('\ufeffabc-123\n').swap16()].map((bytes) => bytes.toString('utf8')),
    ],
    ['behind its name', 'PDI_API_KEY=abc-123', 'export API_KEY = abc-123', 'X-API-Key: abc-123', 'x-api-key:abc-123', 'Bearer abc-123'],
    // A call that may be billed would count as lost, because no server would take it.
    ['longer than 4096 characters', 'a'.repeat(4097)],
  ])('is told so: %s', (words, ...texts) => {
    for (const text of texts) expect(() => parseKey(text), text).toThrow(words);
  });

  it.each([
    ['a quote within', 'a"b', 'a"b'],
    ['a sign at its end', 'abc=', 'abc='],
    ['the most characters', 'a'.repeat(4096), 'a'.repeat(4096)],
  ])('with %s is the key', (_what, text, key) => expect(parseKey(text)).toBe(key));
});

it.each([
  ['HTTPS_PROXY stands in quotes', '"http://proxy.example:3128"', "'http://proxy.example:3128'", '"proxy.example:3128"'],
  ['HTTPS_PROXY is not the address of a proxy', 'http:/proxy.example:3128', 'https//proxy.example:3128', 'http:proxy.example'],
])('a proxy is told so: %s', (words, ...texts) => {
  for (const text of texts) expect(() => proxyFrom({ HTTPS_PROXY: text }), text).toThrow(words);
});
