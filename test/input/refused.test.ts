/** Every bad input that is refused as a whole: the class of the failure, and words a person can act on. */
import { chmodSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { openInput } from '../../src/input/open-input.ts';
import { failureOf } from '../support/failure.ts';
import { needsNoRoot } from '../support/needs.ts';
import { fileOf } from '../support/service.ts';
import { bookOf, row, zipOf } from './book.ts';
import {
  expectRefused,
  hintOf,
  openFile,
  openPiped,
  personNames,
  resolveNames,
  rowsOf,
  rowsUntilFailure,
  untouchable,
} from './reading.ts';

const wide = Array.from({ length: 200 }, (_, index) => `column ${index}`).join(',');

const refused: readonly [
  what: string,
  name: string,
  content: string | Buffer,
  message: RegExp,
  extras?: object,
][] = [
  ['an empty file', 'a.csv', '', /a\.csv has no rows/],
  ['nothing but blank lines', 'a.txt', '\n \r\n\n', /a\.txt has no rows/],
  ['nothing but white space', 'a.csv', ' \n  \n', /a\.csv has no rows/],
  ['nothing but a BOM', 'a.csv', '\uFEFF', /has no rows/],
  ['a JSON file without even a list', 'a.json', '\n', /a\.json has no rows/],
  ['an empty file of unknown kind', 'a', '', /has no rows/],
  [
    'no such columns',
    'a.csv',
    'name,city\nAda,Paris\n',
    /no column has a name that pdi knows \(\d+ columns?: name, city\)$/,
  ],
  [
    'a table of no known kind',
    'a',
    'Firm,City,Size\nAcme,Paris,9\n',
    /columns?: Firm, City, Size\)$/,
  ],
  [
    'columns of pdi, of no known kind',
    'a',
    'signal_id;company.name\ns1;Acme\n',
    /columns?: signal_id, company\.name\)$/,
  ],
  [
    'a column that is not there',
    'a.csv',
    'name,city\n',
    /no column "town" \(\d+ columns?: name, city\)$/,
    { column: 'town' },
  ],
  [
    'a column called as what objects inherit',
    'a.csv',
    'name,city\n',
    /no column "toString" \(\d+ columns?: name, city\)$/,
    { column: 'toString' },
  ],
  [
    'a misspelt column, kind unknown',
    'a',
    'name,city\n',
    /no column "town" \(\d+ columns?: name, city\)$/,
    { column: 'town' },
  ],
  [
    'line ends and empty names in a header',
    'a.csv',
    '"x\ny",,z\n',
    /columns?: x y, \(empty\), z\)$/,
  ],
  [
    '200 columns, none of them ours',
    'a.csv',
    wide,
    /columns?: column 0, .*, column 7 and 192 more\)$/,
  ],
  [
    'a header that has the candidate twice',
    'a.csv',
    'person_id,x,person_id\n',
    /two columns are called "person_id" \(columns 1 and 3\)/,
  ],
  [
    'a header that has --column twice',
    'a.csv',
    'a,b,a\n',
    /two columns are called "a"/,
    { column: 'a' },
  ],
  [
    '--column that two spellings answer to',
    'a.csv',
    'Key,key\n',
    /could be Key or key/,
    { column: 'KEY' },
  ],
  [
    'a candidate that two spellings answer to',
    'a.csv',
    'Person_id,PERSON_ID\n',
    /person_id could be Person_id or PERSON_ID/,
  ],
  ['a binary file', 'a.txt', Buffer.from([1, 2, 0, 3, 10]), /is binary/],
  ['a binary file, said to be CSV', 'a.csv', Buffer.from('person_id\n\0\n'), /is binary/],
  [
    'line ends of CR alone',
    'a.csv',
    '"person_id","x"\rper_1,1\rper_2,2\r',
    /line ends of old Macintoshes/,
  ],
  ['lines that end in CR alone', 'a.txt', 'per_1\rper_2\r', /line ends of old Macintoshes/],
  [
    'line ends of CR alone but for the last',
    'a.csv',
    'person_id,"x"\rper_1,1\rper_2,2\n',
    /line ends of old Macintoshes/,
  ],
  [
    'one line over 1 MiB',
    'a.txt',
    'x'.repeat(1024 * 1024 + 1),
    /line 1: the line is longer than 1 MiB/,
  ],
  [
    'a JSON array, said to be NDJSON',
    'a.ndjson',
    '["per_1","per_2"]',
    /line 1: JSON, but not one object a line/,
  ],
  [
    'JSON over lines, said to be NDJSON',
    'a.json',
    '{\n  "person_id": "per_1"\n}\n',
    /not one object a line/,
    { inputFormat: 'ndjson' },
  ],
  [
    'a first record without the fields',
    'a.ndjson',
    '{"id":1,"name":"x"}\n',
    /line 1: none of the fields .*; the record has: id, name$/,
  ],
  [
    'a second one without them',
    'a.ndjson',
    '{"input":"x","pdi_status":"not_found"}\n{"id":1}\n',
    /line 2: none of the fields/,
  ],
  [
    '--column for lines',
    'a',
    'per_1\n',
    /read as lines, which have no column x/,
    { column: 'x', inputFormat: 'lines' },
  ],
];

describe('advice', () => {
  test('a table without a header is told that it needs one, and no identifier is taken for a name', async () => {
    const hint =
      'Its first row holds an identifier: a table needs a row of column names first; a plain list of identifiers needs --input-format lines.';
    expect(await hintOf(openFile('a.csv', 'per_1,x\nper_2,y\n'))).toBe(hint);
    expect(await hintOf(openFile('a.csv', 'nobody,x\nper_2,y\n'))).toMatch(/nobody holds such ids/);
  });

  test('a sheet is never told to be lines', async () => {
    expect(
      await hintOf(
        openFile('a.xlsx', bookOf({ sheets: { S: row(1, 'a', 'b') + row(2, 'x', 'y') } })),
      ),
    ).toBe('Name the column that holds the identifier with --column NAME, or call it person_id');
  });

  test.each([
    [
      'a quote that a backslash escapes, where it breaks the file',
      'a.csv',
      'person_id,n\nper_1,"say \\""\nper_2,c\n',
      /^It has \\" for a quote, which CSV writes twice: sed /,
    ],
    [
      'a row over 1 MiB',
      'a.csv',
      `person_id,n\nper_1,${'x'.repeat(1024 * 1024 + 1)}\n`,
      /of a table, leave the long column out/,
    ],
    [
      'a ZIP archive',
      'a.zip',
      zipOf({ 'a b.csv': 'per_1\n' }),
      /^Unpack it, and give one file of it: unzip -p FILE 'a b\.csv' \| pdi … -i -$/,
    ],
  ])('%s', async (_what, name, content, hint) => {
    expect(await hintOf(openFile(name, content))).toMatch(hint);
  });

  test('a quote that a backslash escapes, where it breaks a row', async () => {
    const [row] = await rowsOf(await openFile('a.csv', 'person_id,n\nper_1,"a \\"b, c\\" d"\n'));
    expect(row?.invalid).toMatch(
      /cells where the header has 2; it has \\" for a quote, which CSV writes twice$/,
    );
  });

  test('names that no line can hold are cut, and so is their number', async () => {
    const wide = await failureOf(
      openFile('a.csv', `${'x'.repeat(50_000)},${'y,'.repeat(500).slice(0, -1)}\nper_1\n`),
    );
    expect(wide.message).toMatch(/columns?: x{60}…, y, .*, y and 493 more\)$/);
    const key = await failureOf(
      openFile('a.ndjson', JSON.stringify({ [`${'x'.repeat(59)}😀${'x'.repeat(50_000)}`]: 1 })),
    );
    expect(key.message).toMatch(/the record has: x{59}…$/);
  });
});

describe('refused as a whole, exit code 2', () => {
  test.each(refused)('%s', async (_what, name, content, message, extras = {}) => {
    await expectRefused(openFile(name, content, extras), message);
  });

  test.each([1, 3, 4096])(
    'archives and binaries are told apart in a pipe of %d bytes at a time',
    async (size) => {
      await expect(openPiped('PK\x03\x04rest\n', {}, size)).rejects.toThrow(
        'standard input cannot be read as a workbook',
      );
      await expect(openPiped('per_1\0\n', {}, size)).rejects.toThrow('standard input is binary');
    },
  );

  test('an unreadable file is no mistake of usage', needsNoRoot, async () => {
    const path = fileOf('a.csv', 'person_id\n');
    chmodSync(path, 0o000);
    const failure = await failureOf(
      openInput({ path, io: { stdin: untouchable() }, candidates: personNames }),
    );
    expect(failure).toMatchObject({
      code: 'internal',
      message: `${path} cannot be read: permission denied`,
    });
  });

  test('a stream that breaks while it is read', async () => {
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('per_1\n');
        throw Object.assign(new Error('bad sector'), { code: 'EIO' });
      })(),
    );
    const input = await openInput({ path: '-', io: { stdin }, candidates: personNames });
    const { rows, failure } = await rowsUntilFailure(input);
    expect(rows).toHaveLength(1);
    expect(failure).toMatchObject({
      code: 'internal',
      message: 'standard input cannot be read: the disk reports an error',
    });
  });
});

const [y, z] = ['y\n', 'z'.repeat(600_000)];
test.each<[what: string, content: string, message: RegExp]>([
  [
    'a huge line further down',
    `per_1\n${'x'.repeat(1024 * 1024 + 1)}\nper_4\n`,
    /2: the line is longer than 1 MiB$/,
  ],
  [
    'a quote that swallows more than 1 MiB',
    `person_id,name\nper_1,x\nper_2,"${y.repeat(600_000)}`,
    /3: a quote is opened here and its row does not end within 1 MiB: 5\d{5} lines after it were not read as rows$/,
  ],
  [
    'a row over 1 MiB in which every quote is closed',
    `person_id,a,b\nper_1,,\nper_2,"${y.repeat(300_000)}",${z}\nper_3,x,"y\n`,
    /3: the row is longer than 1 MiB$/,
  ],
])('refused late: the rows before come first: %s', async (_what, content, message) => {
  const { rows, failure } = await rowsUntilFailure(await openPiped(content, {}, 60_000));
  expect(rows.map(({ text }) => text)).toEqual(['per_1']);
  expect(failure).toHaveProperty(
    'message',
    expect.stringMatching(new RegExp(`^standard input, line ${message.source}`)),
  );
});

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Rows 2 to 1000 of a table; `odd` takes the place of the row on its line. */
const thousand = (odd: Readonly<Record<number, string>>): string =>
  `person_id,note\n${Array.from({ length: 999 }, (_, index) => odd[index + 2] ?? `per_${index + 2},"x"`).join('\n')}\n`;

describe('a quote that cannot be meant', () => {
  const amid = 'a quote is opened here and closed only in the middle of another row';
  const long = `"${'a line, of "".\n'.repeat(20)}"`;
  const broken: readonly [string, Readonly<Record<number, string>>, number, string, number][] = [
    [
      'never closed',
      {
        503: 'per_503,"oops',
        ...Object.fromEntries(range(504, 1000).map((line) => [line, 'per,x'])),
      },
      503,
      'a quote is opened here and never closed: 497 lines after it were not read as rows',
      502,
    ],
    [
      'closed by the next row that has quotes',
      { 503: 'per_503,"oops', 504: 'per_504,x' },
      503,
      amid,
      502,
    ],
    [
      'closed by a row that begins with quotes',
      { 503: 'per_503,"oops', 504: '"per_504",x' },
      503,
      amid,
      502,
    ],
    ['opened on another line than its row', { 502: 'per_502,"a\nb","oops' }, 503, amid, 501],
    ['after cells over many lines', { 2: `per_2,${long}`, 503: 'per_503,"oops' }, 523, amid, 502],
    [
      'on the last line',
      { 1000: 'per_1000,"oops' },
      1000,
      'a quote is opened here and never closed',
      999,
    ],
    [
      'one line before it',
      { 999: 'per_999,"oops', 1000: 'per_1000,x' },
      999,
      'a quote is opened here and never closed: 1 line after it was not read as rows',
      998,
    ],
  ];

  test.each(broken)('%s: a file is refused', async (_what, odd, line, words) => {
    await expectRefused(
      openFile('a.csv', thousand(odd)),
      `a.csv, line ${line}: ${words}`,
      new RegExp(`line ${line}`),
    );
  });

  test.each(broken)(
    '%s: a pipe stops, and the rows before come first',
    async (_what, odd, line, words, before) => {
      for (const size of [11, 1000, 100_000]) {
        const { rows, failure } = await rowsUntilFailure(
          await openPiped(thousand(odd), { inputFormat: 'csv' }, size),
        );
        expect(failure).toBeInstanceOf(UsageError);
        expect(failure).toHaveProperty(
          'message',
          expect.stringContaining(`standard input, line ${line}: ${words}`),
        );
        expect(rows).toHaveLength(before - 1);
      }
    },
  );

  test.each([
    ['20 lines, quotes within', `per_503,${long}`],
    ['blanks after the closing quote', 'per_503,"a\nb" \t'],
    ['careless quotes on one line', 'per_503,"a" b'],
    ['a quote within a cell', 'per_503,5" wide'],
    ['CRLF', '"per_503","a\r\nb"\r'],
    ['a line end right after the opening quote', 'per_503,"\n"'],
  ])('a cell that is fine: %s', async (_what, row) => {
    const content = thousand({ 503: row });
    for (const input of [
      await openFile('a.csv', content),
      await openPiped(content, { inputFormat: 'csv' }, 64),
    ])
      expect(await rowsOf(input)).toHaveLength(999);
  });
});

test('a line of exactly 1 MiB is read', async () => {
  const rows = await rowsOf(
    await openFile('a.txt', `${'x'.repeat(1024 * 1024)}\nper_2\n`, { candidates: resolveNames }),
  );
  expect(rows.map(({ line }) => line)).toEqual([1, 2]);
});
