import { describe, expect, it } from 'vitest';
import { plainInvestor } from '../../src/contract/investors.ts';
import { parseUrl } from '../../src/rows/url.ts';

/** More than it takes until the engine optimises a function. */
const often = 20_000;

describe('parseUrl', () => {
  it('gives the URL, from a base where there is one, and undefined for what is none', () => {
    expect(parseUrl('https://a.example/b')?.pathname).toBe('/b');
    expect(parseUrl('../c', 'https://a.example/b/d')?.href).toBe('https://a.example/c');
    expect(['', 'a.example', 'https://', 'https://a b/'].map((text) => parseUrl(text))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads an address with an accent in the last row of a long job as in the first', () => {
    for (let row = 0; row < often; row += 1) {
      expect(parseUrl('https://münchen.example/café')?.hostname).toBe('xn--mnchen-3ya.example');
      expect(plainInvestor('website', 'münchen.example')).toEqual({ text: 'münchen.example' });
    }
  });
});
