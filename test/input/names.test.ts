/** Names of columns that look alike are the same name; what they are made of comes back as it was. */
import { describe, expect, it, test } from 'vitest';
import { nameKey } from '../../src/input/column.ts';
import { openFile, resolveNames, rowsOf } from './reading.ts';

const lookAlikes: readonly [what: string, written: string][] = [
  ['a no-break space', 'LinkedIn\u00a0URL'],
  ['an ideographic space', 'LinkedIn\u3000URL'],
  ['two blanks', 'LinkedIn  URL'],
  ['a tab', 'LinkedIn\tURL'],
  ['a zero-width blank before it', '\u200bLinkedIn URL'],
  ['a soft hyphen in it', 'Linked\u00adIn URL'],
  ['a byte order mark behind it', 'LinkedIn URL\ufeff'],
  ['a mark of direction', '\u200eLinkedIn URL\u200f'],
  ['a word joiner', 'LinkedIn\u2060 URL'],
  ['another case', 'linkedin url'],
];

describe.each(lookAlikes)('%s in a name', (_what, written) => {
  it('is not seen in the header, which comes back as it was', async () => {
    const input = await openFile('a.csv', `n,"${written}"\n1,ada\n`, { candidates: resolveNames, column: 'LinkedIn URL' });
    expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
    expect(input.own).toMatchObject({ header: ['n', written], rawHeader: `n,"${written}"` });
  });

  it('is not seen in the keys of JSON', async () => {
    const record = JSON.stringify({ n: 1, a: [{ [written]: 'bob' }], [written]: 'ada' });
    const wish = { candidates: resolveNames, column: 'LinkedIn URL' };
    expect((await rowsOf(await openFile('a.ndjson', record, wish))).map(({ text }) => text)).toEqual(['ada']);
    const nested = await openFile('a.json', record, { ...wish, column: 'A.0.LinkedIn URL' });
    expect((await rowsOf(nested)).map(({ text }) => text)).toEqual(['bob']);
  });

  it('is not seen in --column', async () => {
    const input = await openFile('a.csv', 'n,LinkedIn URL\n1,ada\n', { candidates: resolveNames, column: written });
    expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
  });
});

it.each([
  ['prénom in NFD', 'prénom'.normalize('NFD'), 'prénom'],
  ['prénom in NFC', 'prénom', 'prénom'.normalize('NFD')],
  ['Hangul in NFD', '회사'.normalize('NFD'), '회사'],
])('%s is the same name', async (_what, written, column) => {
  const input = await openFile('a.csv', `${written},n\nada,1\n`, { candidates: resolveNames, column });
  expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
  expect(input.own?.header[0]).toBe(written);
});

test.each(['\u200bprofnet_url', 'profnet_url\u00a0', '\ufeffprofnet_url'])(
  '%j is found without a flag, in a file of any name',
  async (name) => {
    for (const file of ['a.csv', 'a']) {
      const input = await openFile(file, `\ufeff${name};n\nada;1\n`, { candidates: resolveNames });
      expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
    }
  },
);

it('other characters stay apart', () => {
  expect(new Set(['a', 'á', 'b', 'a b', 'ab', 'a-b', ''].map(nameKey)).size).toBe(7);
});
