/** Workbooks: each cell as its user sees it, the sheet that was asked for, and books that cannot be read. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { failureOf } from '../support/failure.ts';
import { book, bookOf, row, value, zipOf } from './book.ts';
import { expectRefused, openFile, openPiped, resolveNames, rowsOf, textsOf } from './reading.ts';

const simple = bookOf({
  sheets: { People: row(1, 'name', 'person_id') + row(2, 'Ada', 'per_1') + row(3, 'Bob', 'per_2') },
});

const cellsOf = async (content: Buffer, extras = {}) =>
  (await rowsOf(await openFile('a.xlsx', content, extras))).map(({ own }) => own?.cells);

/** The cells of one row below a header, without the identifier. */
async function shown(
  cells: readonly (string | readonly [string, string])[],
  parts: Partial<Parameters<typeof bookOf>[0]> = {},
) {
  const header = row(1, 'person_id', ...cells.map((_cell, index) => `c${index}`));
  const [found] = await cellsOf(
    bookOf({ sheets: { S: header + row(2, 'per_1', ...cells) }, ...parts }),
  );
  return found?.slice(1);
}

describe('a workbook is a table', () => {
  test.each(['a.xlsx', 'a', 'a.csv', 'a.xlsx.gz'])('%s: told by its first bytes', async (name) => {
    const content = name.endsWith('.gz') ? gzipSync(simple) : simple;
    const pipes = [
      await openPiped(content, {}, 11),
      await openPiped(content, { inputFormat: 'xlsx' }, 5000),
    ];
    const form = {
      rawHeader: 'name,person_id',
      delimiter: ',',
      lineEnd: '\r\n',
      isOfWorkbook: true,
    };
    for (const input of [await openFile(name, content), ...pipes]) {
      expect(input.kind).toBe('xlsx');
      expect(input.own).toEqual({ header: ['name', 'person_id'], read: [1], ...form });
      expect(await rowsOf(input)).toEqual([
        {
          line: 2,
          text: 'per_1',
          field: 'person_id',
          own: { raw: 'Ada,per_1', cells: ['Ada', 'per_1'] },
        },
        {
          line: 3,
          text: 'per_2',
          field: 'person_id',
          own: { raw: 'Bob,per_2', cells: ['Bob', 'per_2'] },
        },
      ]);
    }
  });

  test.each(['\r\n', '\0'.repeat(70_000), 'PK\x05\x06 is no end', '\r\n------boundary--\r\n'])(
    'bytes behind it are passed over: %j',
    async (tail) => {
      expect(
        await textsOf(
          await openFile('a.xlsx', Buffer.concat([simple, Buffer.from(tail, 'latin1')])),
        ),
      ).toEqual(['per_1', 'per_2']);
    },
  );

  test('--sheet names another than the first, also with characters that XML escapes', async () => {
    const sheets = {
      One: row(1, 'person_id') + row(2, 'per_1'),
      'R&D "new"': row(1, 'person_id') + row(2, 'per_2'),
    };
    expect(await textsOf(await openFile('a.xlsx', bookOf({ sheets })))).toEqual(['per_1']);
    expect(
      await textsOf(await openFile('a.xlsx', bookOf({ sheets }), { sheet: 'R&D "new"' })),
    ).toEqual(['per_2']);
    const failure = await failureOf(openFile('a.xlsx', bookOf({ sheets }), { sheet: 'Two' }));
    expect(failure).toMatchObject({ details: { hint: 'Its sheets are: One, R&D "new".' } });
    expect(failure).toHaveProperty('message', expect.stringMatching(/a\.xlsx has no sheet "Two"$/));
  });

  test('--column names the column; blank rows are none, and neither are blank cells at the end', async () => {
    const xml =
      row(3, 'key', 'note') + row(4, 'k1', 'x') + row(7, '', 'y') + row(8, 'k2') + row(9, '', '');
    const rows = await rowsOf(
      await openFile('a.xlsx', bookOf({ sheets: { S: xml } }), { column: 'key' }),
    );
    expect(rows.map(({ line, text, own }) => [line, text, own?.cells])).toEqual([
      [4, 'k1', ['k1', 'x']],
      [7, undefined, ['', 'y']],
      [8, 'k2', ['k2', '']],
    ]);
  });

  test('cells past the header belong to a column without a name, as a spreadsheet saves them to CSV', async () => {
    const xml = row(1, 'person_id') + row(2, 'per_1', '', 'stray') + row(3, 'per_2');
    const input = await openFile('a.xlsx', bookOf({ sheets: { S: xml } }));
    expect(input.own?.rawHeader).toBe('person_id,,');
    expect((await rowsOf(input)).map(({ own }) => own?.raw)).toEqual(['per_1,,stray', 'per_2,,']);
  });

  test('what a CSV would quote is quoted in the raw row', async () => {
    const xml = row(1, 'a "b"', 'person_id') + row(2, 'x, "y"\nz', 'per_1');
    const input = await openFile('a.xlsx', bookOf({ sheets: { S: xml } }));
    expect(input.own?.rawHeader).toBe('"a ""b""",person_id');
    expect((await rowsOf(input)).map(({ own }) => own?.raw)).toEqual(['"x, ""y""\nz",per_1']);
  });
});

describe('a cell is what its user sees', () => {
  test.each([
    ['700000001', '700000001'],
    ['7.00000001E8', '700000001'],
    ['1.1000000000000001', '1.1'],
    ['0.30000000000000004', '0.3'],
    ['-2.50', '-2.5'],
    ['0.05', '0.05'],
    ['1.0', '1'],
    ['1234567890123456789', '1234567890123456789'],
    ['1.23456789012345E+18', '1234567890123450000'],
    ['1E-7', '1e-7'],
  ])('the number %s is %s', async (written, expected) => {
    expect(await shown([value(written)])).toEqual([expected]);
  });

  test.each([
    ['yyyy-mm-dd', '45292', '2024-01-01'],
    ['d. mmmm yyyy', '45351', '2024-02-29'],
    ['[$-409]m/d/yy h:mm AM/PM;@', '45292.5', '2024-01-01 12:00:00'],
    ['[$-409]m/d/yy h:mm AM/PM;@', '45292.999988425923', '2024-01-01 23:59:59'],
    ['[$-409]m/d/yy h:mm AM/PM;@', '45292.404965277776', '2024-01-01 09:43:09'],
    ['h:mm:ss', '0.75', '18:00:00'],
    ['yyyy-mm-dd', '61', '1900-03-01'],
    ['yyyy-mm-dd', '59', '1900-02-28'],
    ['yyyy-mm-dd', '1', '1900-01-01'],
    ['yyyy-mm-dd', '2958465', '9999-12-31'],
    ['yyyy-mm-dd', '99999999999999', ''],
    ['"day "0', '45292', '45292'],
    ['#,##0.00 "d"', '45292', '45292'],
    ['[Red]0.00', '45292', '45292'],
    ['0%', '0.25', '0.25'],
    ['[h]:mm', '1.5', '36:00'],
    ['[h]:mm:ss', '1.5', '36:00:00'],
    ['[h]:mm:ss', '-0.0625', '-1:30:00'],
    ['[mm]:ss', '0.05', '72:00'],
    ['[ss]', '0.001', '86'],
    ['hh:mm', '0.75', '18:00:00'],
    ['yyyy/mm/dd', '45296', '2024-01-05'],
    ['0.00E+00', '1.5', '1.5'],
    ['"d"0', '3', '3'],
    ['[$-F400]h:mm:ss AM/PM', '0.5', '12:00:00'],
    ['0.0;[Red]-0.0;"day"', '3', '3'],
    ['General', '36', '36'],
    ['00000', '2134', '02134'],
    ['0000000000;;;@', '3.20193E5', '0000320193'],
    ['000', '2134', '2134'],
    ['00', '1.5', '1.5'],
    ['000', '-7', '-7'],
    ['0', '7', '7'],
    ['"TRUE";"TRUE";"FALSE"', '1', 'TRUE'],
    ['"TRUE";"TRUE";"FALSE"', '0', 'FALSE'],
  ])('in the format %s, %s is %s', async (format, written, expected) => {
    expect(await shown([value(written, 1)], { formats: [format] })).toEqual([expected]);
  });

  test('built-in formats of days and times, and books that count from 1904', async () => {
    const xml = row(1, 'person_id', 'd') + row(2, 'per_1', value('45292', 1));
    const styles =
      '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    expect(await cellsOf(book([{ name: 'S', xml }], { 'xl/styles.xml': styles }))).toEqual([
      ['per_1', '2024-01-01'],
    ]);
    expect(await shown([value('43830', 1)], { formats: ['yyyy-mm-dd'], since1904: true })).toEqual([
      '2024-01-01',
    ]);
    expect(await shown([value('0.5', 1)], { formats: ['h:mm'], since1904: true })).toEqual([
      '12:00:00',
    ]);
  });

  test('cells of a row may stand in any order, and of two in one place the later one counts', async () => {
    const cell = (place: string, text: string) =>
      `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const xml = `${row(1, 'person_id', 'b')}<row r="2">${cell('B2', 'x')}${cell('A2', 'old')}${cell('A2', 'per_1')}</row>`;
    expect(await cellsOf(book([{ name: 'S', xml }]))).toEqual([['per_1', 'x']]);
  });

  const shared = [
    '<t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh>',
    '<r><t>Zo</t></r><r><rPr><b/></rPr><t>ë</t></r>',
  ];
  test.each([
    ['t="b"', '<v>1</v>', 'TRUE'],
    ['t="b"', '<v>0</v>', 'FALSE'],
    ['t="e"', '<f>VLOOKUP(1,A:A,1)</f><v>#N/A</v>', '#N/A'],
    ['t="str"', '<f>A1&amp;"x"</f><v>a &amp; x</v>', 'a & x'],
    ['', '<f>1+1</f><v>2</v>', '2'],
    ['', '<f>1+1</f>', ''],
    ['t="s"', '<v>0</v>', '山田'],
    ['t="s"', '<v>1</v>', 'Zoë'],
    ['t="inlineStr"', '<is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></is>', 'a b'],
    ['t="inlineStr"', '<is><t xml:space="preserve">  two blanks </t></is>', '  two blanks '],
    ['t="inlineStr"', '<is><t>a_x000D_b _x005F_x000D_</t></is>', 'a\rb _x000D_'],
    ['t="d"', '<v>2024-01-05T00:00:00</v>', '2024-01-05'],
    ['t="d" s="0"', '<v>2024-01-05T10:30:00.000</v>', '2024-01-05 10:30:00'],
    ['t="d"', '<v>2024-01-05T10:30:00Z</v>', '2024-01-05 10:30:00'],
    ['t="d"', '<v>2024-01-05</v>', '2024-01-05'],
    ['t="inlineStr"', '<is><t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh></is>', '山田'],
    [
      't="inlineStr"',
      '<is><t>&#134071;&#x1F600;𠮷 &lt;&amp;&gt;_x000D__x005F_x000D_</t></is>',
      '\u{20bb7}\u{1f600}𠮷 <&>\r_x000D_',
    ],
  ])('the cell of %s with %s is %j', async (attributes, inside, expected) => {
    expect(await shown([[attributes, inside]], { shared })).toEqual([expected]);
  });

  test('a merged cell is its first, and the others are blank', async () => {
    const after = '<mergeCells count="1"><mergeCell ref="B2:C2"/></mergeCells>';
    const xml = row(1, 'person_id', 'a', 'b') + row(2, 'per_1', 'x', '');
    expect(await cellsOf(book([{ name: 'S', xml, after }]))).toEqual([['per_1', 'x', '']]);
  });

  test('rows and cells without addresses come one after another', async () => {
    const cells =
      '<c t="inlineStr"><is><t>per_1</t></is></c><c/><c><v>3</v></c><c t="e"><v>#REF!</v></c>';
    const header = ['person_id', 'a', 'b', 'c']
      .map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`)
      .join('');
    expect(
      await cellsOf(bookOf({ sheets: { S: `<row>${header}</row><row/><row>${cells}</row>` } })),
    ).toEqual([['per_1', '', '3', '#REF!']]);
  });

  test('columns without addresses are as many as a sheet has', async () => {
    const cells = (text: string) =>
      Array.from({ length: 16_384 }, (_, index) => `<c t="str"><v>${text}${index}</v></c>`).join(
        '',
      );
    const wide = bookOf({ sheets: { S: `<row>${cells('h')}</row><row>${cells('c')}</row>` } });
    for (const at of [0, 26, 16_383])
      expect(await textsOf(await openFile('a.xlsx', wide, { column: `h${at}` }))).toEqual([
        `c${at}`,
      ]);
  });
});

test.each([
  ['1234567890123456', true],
  ['1.2345678901234568E+18', true],
  ['-1234567890123456', true],
  ['123456789012345', false],
  ['700000001', false],
])('an id that a cell has rounded is invalid: %s: %s', async (written, isRounded) => {
  const xml = row(1, 'profnet_num_id', 'other') + row(2, value(written), value('1234567890123456'));
  const [found] = await rowsOf(
    await openFile('a.xlsx', bookOf({ sheets: { S: xml } }), { candidates: resolveNames }),
  );
  expect(found?.invalid).toEqual(
    isRounded ? expect.stringContaining('a number of more than 15 digits') : undefined,
  );
  expect(found?.own?.cells[1]).toBe('1234567890123456');
});

describe('refused, with one line', () => {
  const sheetless = zipOf({
    'xl/workbook.xml': '<workbook/>',
    'xl/_rels/workbook.xml.rels': '<a/>',
  });
  const cells = '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>9</v></c></row>';
  const textless = bookOf({ sheets: { S: cells }, shared: ['<t>profnet_id</t>'] });

  const refused: readonly [
    what: string,
    name: string,
    content: Buffer,
    message: RegExp,
    extras?: object,
  ][] = [
    ['an empty sheet', 'a.xlsx', bookOf({ sheets: { S: '' } }), /a\.xlsx has no rows$/],
    [
      'blank rows alone',
      'a.xlsx',
      bookOf({ sheets: { S: '<row r="2"><c r="B2" s="0"/></row>' } }),
      /a\.xlsx has no rows$/,
    ],
    [
      'no such column',
      'a.xlsx',
      simple,
      /a\.xlsx has no column "x" \(\d+ columns?: person_id, name\)$/,
      { column: 'x' },
    ],
    [
      'a book that is cut off',
      'a.xlsx',
      simple.subarray(0, 700),
      /cannot be read as a workbook \(.+\)$/,
    ],
    [
      'a first byte of a book',
      'a.xlsx',
      simple.subarray(0, 6),
      /cannot be read as a workbook \(.+\)$/,
    ],
    ['a book without its sheet', 'a.xlsx', sheetless, /has no visible sheet with cells$/],
    [
      'texts that were lost',
      'a.xlsx',
      textless,
      /cannot be read as a workbook \(a cell names the text 9, which is not there\)$/,
    ],
    [
      'broken XML',
      'a.xlsx',
      bookOf({ sheets: { S: '<row r="1"><c r="A1"' } }),
      /cannot be read as a workbook \(.+\)$|has no rows$/,
    ],
    [
      'text called .xlsx',
      'a.xlsx',
      Buffer.from('person_id\nper_1\n'),
      /a\.xlsx is no workbook \(\.xlsx\)$/,
    ],
    [
      'text said to be one',
      'a.csv',
      Buffer.from('person_id\nper_1\n'),
      /a\.csv is no workbook \(\.xlsx\)$/,
      { inputFormat: 'xlsx' },
    ],
    [
      'a workbook said to be text',
      'a.xlsx',
      simple,
      /is binary: a workbook or a ZIP archive$/,
      { inputFormat: 'csv' },
    ],
    [
      'more rows than are read',
      'a.xlsx',
      bookOf({ sheets: { S: row(1, 'person_id') + '<row><c><v>1</v></c></row>'.repeat(200_001) } }),
      /a\.xlsx has more than 200000 rows$/,
    ],
  ];

  test.each(refused)('%s', async (_what, name, content, message, extras = {}) => {
    await expectRefused(openFile(name, content, extras), message);
  });

  test('of a header alone there are no rows, which is a job of none', async () => {
    expect(
      await rowsOf(await openFile('a.xlsx', bookOf({ sheets: { S: row(1, 'person_id') } }))),
    ).toEqual([]);
  });

  test('any byte may be wrong: one line, or other rows', { timeout: 300_000 }, async () => {
    for (let at = 0; at < simple.length; at += 17) {
      const bytes = Buffer.from(simple);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
      const outcome: unknown = await openFile('a.xlsx', bytes).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(UsageError);
    }
  });
});
