/** Tables that were put together: the header comes again, in its own line or at the end of a row's. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { InputRow } from '../../src/rows/row.ts';
import { failureOf } from '../support/failure.ts';
import { bookOf, row } from './book.ts';
import { expectRefused, openFile, openPiped, rowsOf, rowsUntilFailure } from './reading.ts';

const candidates = ['company_id'];
const bom = '\ufeff';

/** Each is the second table; the rows of both are expected. */
const seconds: readonly [what: string, first: string, second: string][] = [
  ['as it was', 'company_id,name\nc-1,Acme\n', 'company_id,name\nc-2,Beta\n'],
  [
    'behind a byte order mark',
    `${bom}company_id,name\nc-1,Acme\n`,
    `${bom}company_id,name\nc-2,Beta\n`,
  ],
  [
    'quoted, behind a byte order mark',
    'company_id,name\nc-1,Acme\n',
    `${bom}"company_id","name"\nc-2,Beta\n`,
  ],
  ['with CRLF', 'company_id,name\r\nc-1,Acme\r\n', 'company_id,name\r\nc-2,Beta\r\n'],
  ['with LF after CRLF', 'company_id,name\r\nc-1,Acme\r\n', 'company_id,name\nc-2,Beta\n'],
  ['with quotes', '"company_id","name"\n"c-1","Acme"\n', 'company_id,"name"\nc-2,Beta\n'],
  ['in another case', 'company_id,name\nc-1,Acme\n', 'Company_ID,Name\nc-2,Beta\n'],
  ['with other blanks', 'company_id, name\nc-1,Acme\n', 'company_id ,\u00a0name\nc-2,Beta\n'],
  ['with empty cells behind', 'company_id,name\nc-1,Acme\n', 'company_id,name,,\nc-2,Beta\n'],
  [
    'at the end of a row without a line end',
    'company_id,name\nc-1,Acme',
    'company_id,name\nc-2,Beta\n',
  ],
  [
    'there, behind a byte order mark',
    'company_id,name\nc-1,Acme',
    `${bom}company_id,name\nc-2,Beta\n`,
  ],
  [
    'after a cell over two lines',
    'company_id,name\nc-1,"Acme\nLtd"\n',
    'company_id,name\nc-2,Beta\n',
  ],
  ['of one column', 'company_id\nc-1\n', 'company_id\nc-2\n'],
  ['of one column, at the end of a row', 'company_id\nc-1', 'company_id\nc-2\n'],
  [
    'below its title',
    'Export of May\n\ncompany_id,name\nc-1,Acme\n',
    `${bom}Export of May\n\ncompany_id,name\nc-2,Beta\n`,
  ],
  [
    'below a title and a ruler',
    'Export of May\n-----\ncompany_id,name\nc-1,Acme\n',
    'Export of May\n-----\ncompany_id,name\nc-2,Beta\n',
  ],
  [
    'below a line for Excel',
    'sep=;\ncompany_id;name\nc-1;Acme\n',
    'sep=;\ncompany_id;name\nc-2;Beta\n',
  ],
  [
    'below a quoted line for Excel',
    '"sep=,"\ncompany_id,name\nc-1,Acme\n',
    '"sep=,"\ncompany_id,name\nc-2,Beta\n',
  ],
  ['with the column last', 'name;company_id\nAcme;c-1\n', `${bom}name;company_id\nBeta;c-2\n`],
];

describe.each(seconds)('a header that comes again %s is no row', (_what, first, second) => {
  it.each(['a.csv', 'a.txt'])('in %s', async (name) => {
    const rows = await rowsOf(await openFile(name, first + second, { candidates }));
    expect(rows.map(({ text, invalid }) => invalid ?? text)).toEqual(['c-1', 'c-2']);
  });

  it.each([3, 100_000])('in a pipe of %d bytes at a time', async (size) => {
    const rows = await rowsOf(
      await openPiped(first + second, { candidates, inputFormat: 'csv' }, size),
    );
    expect(rows.map(({ text }) => text)).toEqual(['c-1', 'c-2']);
  });
});

it('a quoted row behind a byte order mark is a row', async () => {
  const rows = await rowsOf(
    await openFile('a.csv', `company_id,name\nc-1,x\n${bom}"c-2","a, b"\n`, { candidates }),
  );
  expect(rows.map(({ own }) => own?.cells.join(';'))).toEqual(['c-1;x', 'c-2;a, b']);
});

it.each(['file', 'pipe'])(
  'a row that is the same as a title above the header is a row: %s',
  async (source) => {
    const content = 'Acme\n\nname\nBeta\nAcme\nAcme\nGamma\nAcme\nname\nAcme\n';
    const wish = { candidates: ['name'], inputFormat: 'csv' } as const;
    const input =
      source === 'pipe'
        ? await openPiped(content, wish, 3)
        : await openFile('a.csv', content, wish);
    expect((await rowsOf(input)).map(({ text }) => text)).toEqual([
      'Beta',
      'Acme',
      'Acme',
      'Gamma',
      'Acme',
    ]);
  },
);

const lineOf = ({ line, status }: InputRow) => (status === 'skipped' ? `${line} skipped` : line);

describe.each([
  ['another order', 'name,company_id\nBeta,c-2\n'],
  ['another order, behind a byte order mark', `${bom}"name","company_id"\nBeta,c-2\n`],
  ['another column', 'company_id,city\nc-2,Paris\n'],
  ['one column more', 'company_id,name,city\nc-2,Beta,Paris\n'],
])('a header with %s', (_what, second) => {
  const content = `company_id,name\nc-1,Acme\n${second}c-3,Gamma\n`;

  const words = /, line 3: another header, with other columns or in another order than line 1$/;

  it('is found in a file before anything is sent', async () => {
    await expectRefused(openFile('a.csv', content, { candidates }), words);
  });

  it.each(['trial of a file', 'pipe'])('stops a %s there: the rest is not sent', async (source) => {
    const input =
      source === 'pipe'
        ? await openPiped(content, { candidates, inputFormat: 'csv' })
        : await openFile('a.csv', content, { candidates, checked: true });
    const { rows, failure } = await rowsUntilFailure(input);
    expect(rows.map(lineOf)).toEqual([2, '4 skipped', '5 skipped']);
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toHaveProperty('message', expect.stringMatching(words));
  });
});

it('another header in a sheet is found before anything is sent, and in a trial its rows and those below are not sent', async () => {
  const sheet =
    row(1, 'company_id', 'name') +
    row(2, 'c-1', 'x\ny') +
    row(3, 'company_id', 'name') +
    row(4, 'name', 'company_id');
  const book = bookOf({ sheets: { S: sheet + row(5, 'z', 'c-2'), T: row(1, 'x') } });
  const failure = await failureOf(openFile('a.xlsx', book, { candidates }));
  expect(failure).toMatchObject({
    message: expect.stringMatching(/line 4: another header/),
    details: { hint: expect.stringMatching(/^Give the tables one by one.*the sheet "S"/) },
  });
  const { rows, failure: atItsRow } = await rowsUntilFailure(
    await openFile('a.xlsx', book, { candidates, checked: true }),
  );
  expect(rows.map(lineOf)).toEqual([2, '5 skipped']);
  expect(atItsRow).toHaveProperty('message', expect.stringMatching(/line 4: another header/));
});

it.each([
  [
    'a name that is a word of the header',
    ['name', 'website'],
    'name,website\nWebsite,https://a.example\n',
    ['Website'],
  ],
  ['a name that ends with one', ['name'], 'name\nBrand name\n', ['Brand name']],
  ['an id that holds one', candidates, 'company_id,name\nmy_company_id,x\n', ['my_company_id']],
  ['a note with one', candidates, 'company_id,name\nc-1,company_id\n', ['c-1']],
])('%s is a row', async (_what, names, content, texts) => {
  expect(
    (await rowsOf(await openFile('a.csv', content, { candidates: names }))).map(({ text }) => text),
  ).toEqual(texts);
});
