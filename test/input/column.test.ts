/** Which columns `--column` names. */

import { describe, expect, it, test } from 'vitest';
import { nameKey } from '../../src/contract/identifier.ts';
import { columnsNamed } from '../../src/input/column.ts';
import { expectRefused, openFile, resolveNames, rowsOf } from './reading.ts';

it.each<[text: string, header: readonly string[], columns: readonly string[]]>([
  ['a', [], ['a']],
  ['a,b', [], ['a', 'b']],
  [' b , a ', [], ['b', 'a']],
  ['a,,b,', [], ['a', 'b']],
  ['a,b,a', [], ['a', 'b']],
  [',', [], [',']],
  ['Last, first', ['Last, first', 'Last', 'first'], ['Last, first']],
  ['last, FIRST', [' Last, first '], ['last, FIRST']],
  ['Last, first', ['Last', 'first'], ['Last', 'first']],
])('%j of %j is %j', (text, header, columns) => {
  expect(columnsNamed(text, header)).toEqual(columns);
});

/** The identifiers of a row with their columns, in the order that they are tried. */
async function triedIn(
  name: string,
  content: string,
  column: string,
): Promise<readonly string[][]> {
  const rows = await rowsOf(await openFile(name, content, { column }));
  return rows.map((row) => {
    const tried: string[] = [];
    for (let one: typeof row | undefined = row; one !== undefined; one = one.next)
      tried.push(`${one.field}=${one.text ?? ''}`);
    return tried;
  });
}

it('a row of a table keeps all named columns that it fills, in their order', async () => {
  const content = 'x,A,b,"c,d"\n0,1,2,3\n0,,2,3\n0,1\n0,"""""",\u200b,3\n0,,,\n';
  expect(await triedIn('a.csv', content, 'b,a')).toEqual([
    ['b=2', 'A=1'],
    ['b=2'],
    ['A=1'],
    ['b='],
    ['b='],
  ]);
  expect(await triedIn('a.csv', content, 'c,d')).toEqual([
    ['c,d=3'],
    ['c,d=3'],
    ['c,d='],
    ['c,d=3'],
    ['c,d='],
  ]);
});

it('so does a record of ndjson', async () => {
  const content =
    '{"a":{"b":"1"},"c":2}\n{"c":"2"}\n{"a":{"b":" "},"c":null}\n{"a":{"b":[]},"c":"2"}\n{"a.b,c":"whole","c":"2"}\n';
  expect(await triedIn('a.ndjson', content, 'a.b,c')).toEqual([
    ['a.b=1', 'c=2'],
    ['c=2'],
    ['a.b='],
    ['a.b=', 'c=2'],
    ['a.b,c=whole'],
  ]);
});

it.each([
  ['b,z', /no column "z" \(2 columns: a, b\)/],
  ['z', /no column "z" \(2 columns: a, b\)/],
])('--column %s names a column that is not there', async (column, message) => {
  await expect(openFile('a.csv', 'a,b\n1,2\n', { column })).rejects.toThrow(message);
});

it('a named column shows that a file is a table, and where its cells end', async () => {
  expect(await triedIn('a', 'z.x;link;handle\n,1,5;per_1;per_2\n', 'link,handle')).toEqual([
    ['link=per_1', 'handle=per_2'],
  ]);
});

const [urls, persons, companies] = [['profnet_url'], ['person_id'], ['company_id', 'id']];

it.each<
  [
    what: string,
    content: string,
    candidates: readonly string[],
    message: RegExp,
    hint: RegExp,
    column?: string,
  ]
>([
  [
    'the likeliest by its cells comes first',
    'name,my link\nA,x.example/in/a\nB,\n',
    urls,
    /: my link, name\)$/,
    /my link holds such ids/,
  ],
  [
    'the flag to give has no line break',
    'n,"my\r\nlink"\nA,x.example/in/a\n',
    urls,
    /: my link, n\)$/,
    /my link holds such ids/,
  ],
  [
    'a rare likeness does not count',
    'note,b\nper_1,\nx,\ny,\nz,\n',
    persons,
    /: note, b\)$/,
    /--column NAME/,
  ],
  [
    'one that is spelled alike comes next',
    'a,b,persn_id\n',
    persons,
    /: persn_id, a, b\)$/,
    /--column NAME/,
  ],
  [
    'so does one that ends in it',
    'b,experience.0.company_id,experience.1.company_id\n',
    companies,
    /: experience.0.company_id, experience.1.company_id, b\)$/,
    /--column NAME/,
  ],
  [
    'so does one like --column',
    'a,linkedin\n',
    urls,
    /no column "linkdin" \(\d+ columns?: linkedin, a\)$/,
    /--column NAME/,
    'linkdin',
  ],
  ['half a header is one', 'a,b,,\n1,2,3,4\n', persons, /: a, b, \(empty\), \(empty\)\)$/, /NAME/],
  ['others stay as they stand', 'c,b,a\n1,2,3\n', persons, /: c, b, a\)$/, /--column NAME/],
])(
  'where no column has the name: %s',
  async (_what, content, candidates, message, hint, column) => {
    await expectRefused(openFile('x.csv', content, { candidates, column }), message, hint);
  },
);

/** Names of columns that look alike are the same name; what they are made of comes back as it was. */
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
    const input = await openFile('a.csv', `n,"${written}"\n1,ada\n`, {
      candidates: resolveNames,
      column: 'LinkedIn URL',
    });
    expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
    expect(input.own).toMatchObject({ header: ['n', written], rawHeader: `n,"${written}"` });
  });

  it('is not seen in the keys of JSON', async () => {
    const record = JSON.stringify({ n: 1, a: [{ [written]: 'bob' }], [written]: 'ada' });
    const wish = { candidates: resolveNames, column: 'LinkedIn URL' };
    expect(
      (await rowsOf(await openFile('a.ndjson', record, wish))).map(({ text }) => text),
    ).toEqual(['ada']);
    const nested = await openFile('a.json', record, { ...wish, column: 'A.0.LinkedIn URL' });
    expect((await rowsOf(nested)).map(({ text }) => text)).toEqual(['bob']);
  });

  it('is not seen in --column', async () => {
    const input = await openFile('a.csv', 'n,LinkedIn URL\n1,ada\n', {
      candidates: resolveNames,
      column: written,
    });
    expect((await rowsOf(input)).map(({ text }) => text)).toEqual(['ada']);
  });
});

it.each([
  ['prénom in NFD', 'prénom'.normalize('NFD'), 'prénom'],
  ['prénom in NFC', 'prénom', 'prénom'.normalize('NFD')],
  ['Hangul in NFD', '회사'.normalize('NFD'), '회사'],
])('%s is the same name', async (_what, written, column) => {
  const input = await openFile('a.csv', `${written},n\nada,1\n`, {
    candidates: resolveNames,
    column,
  });
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
