/** What an identifier is taken for, and what is refused before it is sent. Sections PersonResolveIdentifier, Limits. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainIdentifier, requireShape } from '../../src/contract/identifier.ts';
import { classify, type IdentifierName } from '../../src/contract/person-identifier.ts';
import { personResolveIdentifier } from '../../src/contract/resolve.ts';
import { ExactNumber } from '../../src/json/parse.ts';

const url = 'https://www.profnet.example/in/ada';

describe('classify', () => {
  test.each<[written: string, identifier: object, as?: IdentifierName]>([
    [url, { profnet_url: url }],
    ['http://profnet.example/in/ada/', { profnet_url: url }],
    ['www.profnet.example/in/ada', { profnet_url: url }],
    ['//www.profnet.example/in/ada', { profnet_url: url }],
    ['profnet.example:8080/in/ada?x=1', { profnet_url: 'https://www.profnet.example:8080/in/ada' }],
    ['https://profnet.example/ada', { profnet_url: 'https://www.profnet.example/ada' }],
    ['HTTPS://profnet.example/in/zoé', { profnet_url: 'https://www.profnet.example/in/zoé' }],
    [`<${url}?a=b c>`, { profnet_url: url }],
    [`"${url}"`, { profnet_url: url }, 'url'],
    ['="700000001"', { profnet_num_id: 700000001 }],
    ['="700000001"', { profnet_id: '700000001' }, 'id'],
    ['@ada', { profnet_id: 'ada' }],
    ["'@ada", { profnet_id: 'ada' }, 'id'],
    ['“urn:profnet:person:7”', { profnet_urn: 'urn:profnet:person:7' }],
    ['urn:profnet:person:7', { profnet_urn: 'urn:profnet:person:7' }],
    ['URN:profnet:person:a/b', { profnet_urn: 'URN:profnet:person:a/b' }],
    [' 12345 ', { profnet_num_id: 12345 }],
    ['007', { profnet_num_id: 7 }],
    ['9007199254740991', { profnet_num_id: 9007199254740991 }],
    ['9007199254740993', { profnet_num_id: new ExactNumber('9007199254740993') }],
    ['ada-lovelace', { profnet_id: 'ada-lovelace' }],
    ['https://profnet.example/in/ada,-mba-7', { profnet_url: 'https://www.profnet.example/in/ada,-mba-7' }],
    [`${url}?ids=a,www.b/c`, { profnet_url: url }],
    ['ada.sample', { profnet_id: 'ada.sample' }],
    ['李雷', { profnet_id: '李雷' }],
    ['12345', { profnet_id: '12345' }, 'id'],
    ['12345.0', { profnet_id: '12345.0' }, 'id'],
    ['12345', { profnet_num_id: 12345 }, 'num-id'],
    ['opaque-reference', { profnet_urn: 'opaque-reference' }, 'urn'],
  ])('%s', (written, identifier, as) => {
    const found = classify(written, as);
    expect(found).toEqual({ identifier, key: expect.any(String) });
    expect('identifier' in found && personResolveIdentifier.safeParse(found.identifier).success).toBe(true);
  });

  test.each<[written: string, reason: RegExp, as?: IdentifierName]>([
    ['', /empty/],
    ['  \t', /empty/],
    ['""', /empty/],
    ['\u200b', /empty/],
    ['ada lovelace', /white space/],
    ['ada\u0000', /control/],
    ['ada\u001b[31m', /control/],
    ['x'.repeat(2001), /longer than 2000/],
    ['https://www.profnet.example', /slug/],
    ['https://www.profnet.example/', /slug/],
    ['https://www.profnet.example/in/', /slug/],
    ['www.profnet.example/in?x=1', /slug/],
    ['ftp://profnet.example/in/ada', /http/],
    ['file:///in/ada', /http/],
    ['mailto:ada@profnet.example', /not an id/],
    ['N/A', /not a URL/],
    ['https:///', /not a URL/],
    ['ada', /not a URL/, 'url'],
    ['in/ada', /not an id/, 'id'],
    ['ada', /whole number/, 'num-id'],
    ['-5', /whole number/, 'num-id'],
    ['1.5', /whole number/, 'num-id'],
    ['9'.repeat(31), /30 digits/],
    ['1.23457E+15', /rounded/],
    ['700000001.0', /decimals/],
    ['700,000,001', /separators/],
    ['urn:', /URN/],
    ['urn:profnet', /URN/],
    ['urn:profnet:', /URN/],
    ['ada,bob', /comma/],
    ['ada,bob', /comma/, 'id'],
    [`${url},${url}`, /comma/],
    ['www.profnet.example/in/ada,www.profnet.example/in/bob', /comma/],
  ])('refuses %j', (written, reason, as) => {
    expect(classify(written, as)).toMatchObject({ invalid: expect.stringMatching(reason) });
  });

  test('one question, one key', () => {
    const key = (written: string, as?: IdentifierName) => {
      const found = classify(written, as);
      return 'key' in found ? found.key : undefined;
    };
    expect(key('www.profnet.example/in/ada')).toBe(key(url));
    expect(key('http://m.profnet.example/in/ada/?x=1')).toBe(key(url));
    expect(key('007')).toBe(key('7'));
    expect(key('7')).not.toBe(key('7', 'id'));
    expect(key('9007199254740993')).not.toBe(key('9007199254740992'));
  });

  test('whatever is written, the answer is one identifier with exactly one field, or a reason', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (written) => {
        const found = classify(written);
        if ('invalid' in found) return found.invalid !== '';
        return Object.keys(found.identifier).length === 1;
      }),
    );
  });

  test('no key stands for two questions', () => {
    const written = fc.oneof(
      fc.constantFrom('7', '007', 'a7', 'urn:a:7', 'URN:a:7', 'x.y/in/7', 'https://x.y/in/7', 'http://x.y/in/7', 'id 7', 'num-id 7'),
      fc.string({ unit: fc.constantFrom('0', '7', 'a', '/', ':', '.', '-'), maxLength: 5 }),
    );
    const as = fc.option(fc.constantFrom('url' as const, 'id' as const, 'num-id' as const, 'urn' as const), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(written, as), { minLength: 2, maxLength: 40 }), (all) => {
        const asked = new Map<string, object>();
        for (const [text, kind] of all) {
          const found = classify(text, kind);
          if ('invalid' in found) continue;
          expect(asked.get(found.key) ?? found.identifier).toEqual(found.identifier);
          asked.set(found.key, found.identifier);
        }
      }),
    );
  });

  test('no digit of a number is lost', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }), (number) => {
        const found = classify(String(number));
        const value = 'identifier' in found ? found.identifier.profnet_num_id : undefined;
        expect(String(value)).toBe(String(number));
      }),
    );
  });
});

describe('plainIdentifier', () => {
  test.each([' per_1 ', 'inv_x/y', '42', 'é', 'x'.repeat(500)])('%j', (written) => {
    expect(plainIdentifier(written)).toEqual({ text: written.trim() });
  });

  test.each(['"per_1"', '="per_1"', "'per_1", '<per_1>', '\u200bper_1', '@per_1'])('%j is per_1', (written) => {
    expect(plainIdentifier(written, 'person')).toEqual({ text: 'per_1' });
    expect(() => requireShape('person', written, 'personId')).not.toThrow();
  });

  test.each([
    ['', /empty/],
    ['.', /not an id/],
    ['..', /not an id/],
    ['per 1', /white space/],
    ['per\u007f1', /control/],
    ['x'.repeat(501), /longer than 500/],
  ])('refuses %j', (written, reason) => {
    expect(plainIdentifier(written)).toEqual({ invalid: expect.stringMatching(reason) });
  });
});
