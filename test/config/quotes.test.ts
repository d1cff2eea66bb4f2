/** Words for a key or a proxy that was written down with more than itself. */
import { describe, expect, it } from 'vitest';
import { proxyFrom } from '../../src/client/connections.ts';
import { parseKey } from '../../src/config/values.ts';

describe('a key', () => {
  it.each(['"abc-123"', "'abc-123'", '`abc-123`', '\u201cabc-123\u201d', ' "abc-123"\n'])('in quotes is told so: %j', (text) => {
    expect(() => parseKey(text)).toThrow('the key stands in quotes');
  });

  it.each([
    ['little-endian with a mark', Buffer.from('\ufeffabc-123\r\n', 'utf16le')],
    ['little-endian', Buffer.from('abc-123\n', 'utf16le')],
    ['big-endian with a mark', Buffer.from('\ufeffabc-123\n', 'utf16le').swap16()],
  ])('in UTF-16 (%s) is told so', (_what, bytes) => {
    expect(() => parseKey(bytes.toString('utf8'))).toThrow('the key is not UTF-8, but perhaps UTF-16');
  });

  it.each(['PDI_API_KEY=abc-123', 'export API_KEY = abc-123', 'X-API-Key: abc-123', 'x-api-key:abc-123', 'Bearer abc-123'])(
    'behind its name is told so: %s',
    (text) => {
      expect(() => parseKey(text)).toThrow('the key stands behind its name');
    },
  );

  it('that no server would take is not sent: a call that may be billed would count as lost', () => {
    expect(() => parseKey('a'.repeat(4097))).toThrow('longer than 4096 characters');
    expect(parseKey('a'.repeat(4096))).toHaveLength(4096);
  });

  it('with a byte order mark or a quote within is the key', () => {
    expect(parseKey('\ufeffabc-123\n')).toBe('abc-123');
    expect(parseKey('a"b')).toBe('a"b');
    expect(parseKey('abc=')).toBe('abc=');
  });
});

it.each(['"http://proxy.example:3128"', "'http://proxy.example:3128'", '"proxy.example:3128"'])(
  'a proxy in quotes is told so: %s',
  (text) => {
    expect(() => proxyFrom({ HTTPS_PROXY: text })).toThrow('HTTPS_PROXY stands in quotes');
  },
);

it.each(['http:/proxy.example:3128', 'https//proxy.example:3128', 'http:proxy.example'])(
  'a proxy without its slashes is told so: %s',
  (text) => {
    expect(() => proxyFrom({ HTTPS_PROXY: text })).toThrow('HTTPS_PROXY is not the address of a proxy');
  },
);
