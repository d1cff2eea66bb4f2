/** The header below titles, notes and other headers, and tables that are called lists of lines. */

import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.ts';
import { bookOf, row } from './book.ts';
import { hintOf, openFile, openPiped, textsOf } from './reading.ts';

const connections = `Notes:
"When exporting your connection data, you may notice that some of the email addresses are missing. You will only see ""email"" addresses, see https://www.profnet.example/psettings/privacy/email. You can learn more"

First Name,Last Name,URL,Email Address,Company,Position,Connected On
Ada,Sample,https://www.profnet.example/in/ada-sample,,"Acme, Inc.",CTO,01 Jan 2026
Bob,Sample,https://www.profnet.example/in/bob-sample,,Beta,CEO,02 Jan 2026
`;

const tables: readonly [what: string, content: string, line: number, above: number][] = [
  ['an export note behind a #', '# exported 2026-05-01\nperson_id,n\nper_1,x\nper_2,y\n', 2, 1],
  ['a title and a blank line', 'Customers of May\n\nperson_id;n\nper_1;x\nper_2;y\n', 3, 1],
  ['a title with empty cells', 'Customers,,\n,,\nn,person_id,m\nx,per_1,\ny,per_2,\n', 3, 2],
  ['a second header above', 'Person,,Company\nperson_id,n,c\nper_1,x,\nper_2,y,\n', 2, 1],
  [
    'many notes',
    `${'Note: this is, of course, a note\n'.repeat(19)}person_id\tn\nper_1\tx\nper_2\ty\n`,
    20,
    19,
  ],
  [
    'a note over two lines in quotes',
    '"two\nlines, and more"\nperson_id,n\nper_1,x\nper_2,y\n',
    3,
    1,
  ],
  ['one column below a note', '# a note\nperson_id\nper_1\nper_2\n', 2, 1],
  ['one column below one word', 'Customers\nperson_id\nper_1\nper_2\n', 2, 1],
];

describe.each(tables)('%s', (_what, content, line, above) => {
  it.each(['a.csv', 'a.txt', 'a'])('is passed over in %s, with a notice', async (name) => {
    const remarks: string[] = [];
    const input = await openFile(name, content, { notice: (remark) => remarks.push(remark) });
    expect(await textsOf(input)).toEqual(['per_1', 'per_2']);
    expect(remarks).toEqual([
      expect.stringMatching(
        `${name}, line ${line}: the header; ${above === 1 ? '1 row above it is' : `${above} rows above it are`} passed over$`,
      ),
    ]);
    expect(input.own?.header).toContain('person_id');
  });

  it.each([5, 100_000])('is passed over in a pipe of %d bytes at a time', async (size) => {
    expect(await textsOf(await openPiped(content, { inputFormat: 'csv' }, size))).toEqual([
      'per_1',
      'per_2',
    ]);
  });
});

it('reads the connections that LinkedIn exports, and tells their column where none is named', async () => {
  const input = await openFile('Connections.csv', connections, { column: 'URL' });
  expect(await textsOf(input)).toEqual([
    'https://www.profnet.example/in/ada-sample',
    'https://www.profnet.example/in/bob-sample',
  ]);
  const candidates = ['profnet_url'];
  for (const open of [
    () => openFile('Connections.csv', connections, { candidates }),
    () => openPiped(connections, { candidates }),
  ]) {
    expect(await failureOf(open)).toMatchObject({
      message: expect.stringMatching(/: URL, First Name, Last Name,/),
      details: { hint: expect.stringMatching(/URL holds such ids/) },
    });
  }
});

it('a workbook too has its header below a title, or where it is said to be', async () => {
  const book = bookOf({
    sheets: { S: row(1, 'Export of May') + row(2, 'person_id', 'n') + row(3, 'per_1', 'x') },
  });
  expect(await textsOf(await openFile('a.xlsx', book))).toEqual(['per_1']);
  const last = await openFile('a.xlsx', book, { headerRow: 3, column: 'x' });
  expect(last.own?.header).toEqual(['per_1', 'x']);
});

describe('--header-row', () => {
  const content = 'a "note\nwith,a "" lone quote"\nid,person_id\nx,per_1\nz,last\n';

  it('says which line is the header, whatever quotes stand above it', async () => {
    expect(await textsOf(await openFile('a.csv', content, { headerRow: 3 }))).toEqual([
      'per_1',
      'last',
    ]);
  });

  it('makes a table of a file of lines, and is for no other', async () => {
    expect(
      await textsOf(await openFile('a.txt', 'x\nperson_id\nper_1\n', { headerRow: 2 })),
    ).toEqual(['per_1']);
    await expect(openFile('a.ndjson', '{"person_id":"per_1"}\n', { headerRow: 2 })).rejects.toThrow(
      'is read as ndjson, which has no header',
    );
  });

  it.each([
    ['a file', (text: string) => openFile('a.csv', text, { headerRow: 9 })],
    ['a pipe', (text: string) => openPiped(text, { inputFormat: 'csv', headerRow: 9 })],
  ] as const)(
    'a line that %s does not have is refused, because no row would come back',
    async (_what, open) => {
      await expect(open(content)).rejects.toThrow(
        / has no line 9, where --header-row says the header is$/,
      );
    },
  );

  it('of an empty pipe is fine', async () => {
    expect(await textsOf(await openPiped('', { inputFormat: 'csv', headerRow: 9 }))).toEqual([]);
  });

  it('looks at the cells below all the same: codes are no ids, and the likeliest column is named', async () => {
    const opening = openFile('a.csv', 'x\nid,n\nDE,Acme\nFR,Beta\n', {
      candidates: ['company_id', 'id'],
      headerRow: 2,
    });
    await expect(opening).rejects.toThrow(/\(id holds codes of two letters\)/);
    expect(
      await hintOf(openFile('a.csv', 'x\nn,link\nA,per_1\nB,per_2\n', { headerRow: 2 })),
    ).toContain('link holds such ids');
  });

  it('takes a row that would be lost otherwise', async () => {
    await expect(
      openFile('a.csv', 'company-1,x\ncompany_id,n\ncompany-2,y\n', { candidates: ['company_id'] }),
    ).rejects.toThrow(/line 1: a row above the header, which is in line 2$/);
    const input = await openFile('a.csv', 'company-1,x\ncompany_id,n\ncompany-2,y\n', {
      candidates: ['company_id'],
      headerRow: 2,
    });
    expect(await textsOf(input)).toEqual(['company-2']);
  });
});

it.each([
  ['a.txt', 'per_a\nper_b\n'],
  ['a.csv', 'per_a\nper_b\n'],
  ['a.txt', 'acme\nbeta-labs\n'],
  ['a.csv', 'acme\nbeta-labs\n'],
])(
  'a list that ends where another begins with a header is not lost: %s, %j',
  async (name, list) => {
    const opening = openFile(name, `${list}person_id\nper_c\n`);
    await expect(opening).rejects.toThrow(/line 1: a row above the header, which is in line 3$/);
  },
);

describe('what a file is called decides less than what is in it', () => {
  it.each([
    ['semicolons in .txt', 'c.txt', 'company_id;name\ncompany-1;Acme\n'],
    ['commas in .list', 'c.list', 'name,company_id\nAcme,company-1\n'],
    ['one column in .txt', 'c.txt', 'company_id\ncompany-1\n'],
    ['a table in .json', 'c.json', '"company_id","name"\n"company-1","Acme"\n'],
    ['a table in .ndjson', 'c.ndjson', 'company_id,name\ncompany-1,Acme\n'],
    ['NDJSON in .txt', 'c.txt', '{"company_id":"company-1"}\n'],
    ['JSON in .list', 'c.list', '[\n{"company_id":"company-1"}\n]\n'],
  ])('%s', async (_what, name, content) => {
    expect(await textsOf(await openFile(name, content, { candidates: ['company_id'] }))).toEqual([
      'company-1',
    ]);
  });
});

describe('a value that is spelled like the named column', () => {
  it.each([
    ['beside a link', 'Link;Source\nhttps://www.profnet.example/in/ada;LinkedIn\n'],
    ['in the third row', 'Link,Source\nada,Twitter\nbob,LinkedIn\n'],
  ])('%s makes its row no header', async (_what, content) => {
    const opening = openFile('a.csv', content, { column: 'LinkedIn' });
    await expect(opening).rejects.toThrow(
      /no column "LinkedIn" \(\d+ columns?: (?:Source, Link|Link, Source)\)$/,
    );
  });

  it.each([
    ['below another header', 'Person,Person\nName,LinkedIn\nAda,ada\n'],
    ['below pairs of notes', 'Report,May 2026\nRegion,EMEA\nName,LinkedIn\nAda,ada\n'],
    [
      'below notes with commas',
      'Note: this, of course, is one\nAnd, so, is this\nName,LinkedIn\nAda,ada\n',
    ],
    ['alone below notes', 'Export of 2026\nby Ada\nLinkedIn\nada\n'],
  ])('%s is the header', async (_what, content) => {
    expect(await textsOf(await openFile('a.csv', content, { column: 'LinkedIn' }))).toEqual([
      'ada',
    ]);
  });
});

describe('a code of two letters that is spelled like an id', () => {
  const candidates = ['company_id', 'id'];

  it.each([
    ['of a state, in a table without a header', 'a.csv', 'acme,Boise,ID\nbeta,Dallas,TX\n'],
    ['of a language, in a file of lines', 'a.txt', 'Firm;lang\nacme;id\nbeta;en\n'],
    ['of a country, in a list', 'a.txt', 'ID\nDE\n'],
  ])('%s, heads no ids', async (_what, name, content) => {
    const opening = openFile(name, content, { candidates });
    await expect(opening).rejects.toThrow(
      /no column has a name that pdi knows (?:\(ID holds codes of two letters\) )?\(/,
    );
  });

  it('leaves its column to another that has ids, and to the one who names it', async () => {
    const content = 'company_id,ID\nc-1,DE\nc-2,FR\n';
    expect(await textsOf(await openFile('a.csv', content, { candidates }))).toEqual(['c-1', 'c-2']);
    expect(await textsOf(await openFile('a.csv', content, { candidates, column: 'id' }))).toEqual([
      'DE',
      'FR',
    ]);
  });

  it('is no matter where NA stands for nothing, or the ids are longer', async () => {
    expect(await textsOf(await openFile('a.csv', 'id,Firm\nNA,Acme\n', { candidates }))).toEqual([
      undefined,
    ]);
    expect(
      await textsOf(
        await openFile('a.csv', 'Kennung,Firma\nID,name\nDE,x\nacme,y\n', { candidates }),
      ),
    ).toEqual(['DE', 'acme']);
  });
});

it('a word that may say where a lead came from is a header above what it may head', async () => {
  const candidates = ['website', 'name'];
  for (const site of [
    'beta.example',
    'bücher.example',
    'https://例え.テスト',
    'xn--r8jz45g.xn--zckzah/de',
  ])
    expect(
      await textsOf(
        await openFile('a.csv', `Firm,Link\nTitle,Website\nBeta,${site}\n`, { candidates }),
      ),
    ).toEqual([site]);
  expect(
    await textsOf(await openFile('a.csv', 'Funds of May\nWebsite\nn/a\n', { candidates })),
  ).toEqual([undefined]);
});

describe('a header longer than what tells the format', () => {
  const questions = Array.from(
    { length: 2000 },
    (_, at) => `Q${at}: how satisfied are you with it?`,
  );
  const row = (last: string) => [...questions.map(() => '3'), last].join(',');
  const content = `${[...questions, 'person_id'].join(',')}\n${row('per_1')}\n`;

  it.each(['a.txt', 'a'])('is one in %s, and below a title', async (name) => {
    for (const above of ['', 'A survey\n\n']) {
      const texts = await textsOf(await openFile(name, above + content));
      expect(texts.map((text) => text?.slice(0, 9))).toEqual(['per_1']);
    }
  });

  it('is one in a pipe', async () => {
    expect(
      (await textsOf(await openPiped(content, {}, 4096))).map((text) => text?.slice(0, 9)),
    ).toEqual(['per_1']);
  });
});

it.each([
  'company_id:name\nc-1:Acme\n',
  'company_id   name\nc-1          Acme\n',
  'Company_ID\u0001name\nc-1\u0001Acme\n',
])('a table with a separator that nobody knows is no list of lines: %j', async (content) => {
  const candidates = ['company_id', 'id'];
  await expect(openFile('c.txt', content, { candidates })).rejects.toThrow(
    /is a table whose columns are not told apart/,
  );
  expect(
    await textsOf(await openFile('c.txt', content, { candidates, inputFormat: 'lines' })),
  ).toHaveLength(2);
  for (const line of ['company_id2', 'id:a'])
    expect(await textsOf(await openFile('c.txt', line, { candidates }))).toEqual([line]);
});

it.each(['person_id,n\nper_1,x\n', 'n;person_id\nx;per_1\n', 'person_id|n\nper_1|x\n'])(
  'a .tsv without a tab is told apart by its header: %j',
  async (content) => {
    expect(await textsOf(await openFile('a.tsv', content))).toEqual(['per_1']);
    await expect(openFile('a.tsv', content, { inputFormat: 'tsv' })).rejects.toThrow(
      /no column has a name/,
    );
  },
);
