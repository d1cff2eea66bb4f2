/** Workbooks by other hands, as people leave them, and as attackers make them. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { utils, write } from 'xlsx';
import { UsageError } from '../../src/errors.ts';
import { expectToGrowWith } from '../support/cost.ts';
import { failureOf } from '../support/failure.ts';
import { needsProgram, needsPython, python } from '../support/needs.ts';
import { byOffice } from '../support/office.ts';
import { newFolder } from '../support/run.ts';
import { book, type Listed, type Parts, relations, rels, stylesOf, zipOf } from './book.ts';
import { openFile, resolveNames, rowsOf } from './reading.ts';

const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships';

const text = (address: string, inside: string): string =>
  `<c r="${address}" t="inlineStr"><is><t>${inside}</t></is></c>`;
const table = (...ids: readonly string[]): string =>
  ['person_id', ...ids]
    .map((id, at) => `<row r="${at + 1}">${text(`A${at + 1}`, id)}</row>`)
    .join('');

/** A workbook of one sheet. */
const sheet = (xml: string, more: Parts = {}, after = ''): Buffer =>
  book([{ name: 'S', xml, after }], more);

const opened = (content: Buffer, extras = {}) => openFile('a.xlsx', content, extras);
const textsIn = async (content: Buffer, extras = {}) =>
  (await rowsOf(await opened(content, extras))).map((row) => row.text);
const refusalOf = async (content: Buffer, extras = {}) => {
  const failure = await failureOf(opened(content, extras));
  expect(failure.code).toBe('usage');
  return `${failure.message} ${failure.details.hint}`;
};

describe('the sheet that a person sees', () => {
  const data = { name: 'Data', xml: table('per_1') };
  test.each<readonly [string, readonly Listed[]]>([
    [
      'is read where a hidden one comes first',
      [{ name: 'Lookup', xml: table('per_secret'), state: 'hidden' }, data],
    ],
    [
      'is read where a very hidden one comes first',
      [{ name: 'Lookup', xml: table('per_secret'), state: 'veryHidden' }, data],
    ],
    ['is read where a chart comes first', [{ name: 'Chart', xml: '', type: 'chartsheet' }, data]],
    [
      'is read where a macro sheet and a dialog come first',
      [
        { name: 'M', xml: '', type: 'xlMacrosheet' },
        { name: 'D', xml: '', type: 'dialogsheet' },
        data,
      ],
    ],
  ])('%s, with a notice', async (_what, sheets) => {
    const notices: string[] = [];
    const input = await opened(book(sheets), { notice: (text: string) => notices.push(text) });
    expect(notices).toEqual([expect.stringMatching(/the sheet "Data" is read/)]);
    expect((await rowsOf(input)).map((row) => row.text)).toEqual(['per_1']);
  });

  test('a complaint names the sheet that was read, and the others', async () => {
    const summary = {
      name: 'Export Summary',
      xml: `<row r="1">${text('A1', 'Metric')}${text('B1', 'Value')}</row><row r="2">${text('A2', 'Rows')}${text('B2', '1')}</row>`,
    };
    expect(await refusalOf(book([summary, data, { name: 'Notes', xml: '' }]))).toMatch(
      /this is the sheet "Export Summary"; --sheet NAME reads another: "Data", "Notes"\./,
    );
    expect(await refusalOf(book([{ name: 'Cover', xml: '' }, data]))).toMatch(
      /has no rows .*this is the sheet "Cover"; --sheet NAME reads another: "Data"/,
    );
    expect(await textsIn(book([summary, data]), { sheet: 'Data' })).toEqual(['per_1']);
  });

  test('a hidden sheet is read where it is named, a chart is not', async () => {
    const sheets = [
      { name: 'My  List', xml: table('per_2'), state: 'hidden' },
      { name: 'Chart', xml: '', type: 'chartsheet' },
      data,
    ];
    expect(await textsIn(book(sheets), { sheet: 'My  List' })).toEqual(['per_2']);
    expect(await refusalOf(book(sheets), { sheet: 'Chart' })).toContain(
      'holds no cells: it is a chart or a macro',
    );
    expect(await refusalOf(book(sheets.slice(0, 2)))).toContain(
      'has no visible sheet with cells Name one with --sheet: My  List, Chart.',
    );
  });

  test('rows that a filter hid are asked for, with their number', async () => {
    const xml = table('per_1', 'per_2', 'per_3')
      .replace('<row r="3">', '<row r="3" hidden="1">')
      .replace('<row r="4">', "<row r='4' hidden='true'>");
    const notices: string[] = [];
    const input = await opened(sheet(xml), { notice: (text: string) => notices.push(text) });
    expect(notices).toEqual([
      expect.stringContaining('2 rows that a filter or a person hid are taken too'),
    ]);
    expect(await rowsOf(input)).toHaveLength(3);
  });
});

describe('a workbook by another hand', () => {
  const prefixed =
    '<x:row r="1"><x:c r="A1" t="str"><x:v>person_id</x:v></x:c><x:c r="B1" t="str"><x:v>n</x:v></x:c></x:row><x:row r="2"><x:c r="A2" t="s"><x:v>0</x:v></x:c><x:c r="B2" t="e"><x:v>#N/A</x:v></x:c></x:row>';

  test.each<readonly [string, Parts]>([
    [
      'parts of other names, by a path from the root',
      {
        '_rels/.rels': rels([['w', 'officeDocument', '/xl/workbook2.xml']]),
        'xl/workbook2.xml': `<workbook xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>`,
        'xl/_rels/workbook2.xml.rels': rels([
          ['a', 'worksheet', '/data/one.xml'],
          ['b', 'sharedStrings', '../texts.xml'],
        ]),
        'data/one.xml': `<worksheet><sheetData>${table('per_1')}</sheetData></worksheet>`,
        'texts.xml': '<sst/>',
      },
    ],
    [
      'a prefix for each element, single quotes, and the strict namespaces',
      {
        '_rels/.rels': rels([['w', 'officeDocument', 'xl/workbook.xml']], strict).replaceAll(
          '"',
          "'",
        ),
        'xl/workbook.xml': `<x:workbook xmlns:x='x' xmlns:q='${strict}'><x:sheets><x:sheet name='S' sheetId='1' q:id='a'/></x:sheets></x:workbook>`,
        'xl/_rels/workbook.xml.rels': `<pr:Relationships xmlns:pr="p"><pr:Relationship Id="a" Type="${strict}/worksheet" Target="worksheets\\sheet1.xml"/><pr:Relationship Id="b" Type="${strict}/sharedStrings" Target="SharedStrings.xml"/></pr:Relationships>`,
        'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x='x'><x:sheetData>${prefixed.replaceAll('"', "'")}</x:sheetData></x:worksheet>`,
        'xl/sharedStrings.xml': "<x:sst xmlns:x='x'><x:si><x:t>per_1</x:t></x:si></x:sst>",
      },
    ],
    [
      'a blank that is written as %20 where the part is named, and as itself in the archive',
      {
        '_rels/.rels': rels([['w', 'officeDocument', 'xl/My%20Book.xml']]),
        'xl/My Book.xml': `<workbook xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>`,
        'xl/_rels/My Book.xml.rels': rels([
          ['a', 'worksheet', 'sheets/My%20Sheet%C3%A9.xml'],
          ['b', 'sharedStrings', 'My Texts.xml'],
        ]),
        'xl/sheets/My Sheeté.xml':
          '<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>person_id</v></c></row><row r="2"><c t="s"><v>0</v></c></row></sheetData></worksheet>',
        'xl/My%20Texts.xml': '<sst><si><t>per_1</t></si></sst>',
      },
    ],
    [
      'paths in another case, with a blank, and UTF-16',
      {
        '_rels/.rels': rels([['w', 'officeDocument', 'XL/Workbook.xml']]),
        'xl/workbook.xml': `<workbook xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': rels([['a', 'worksheet', 'sheets/My Sheet.xml']]),
        'xl/sheets/my sheet.xml': new Uint8Array(
          Buffer.from(
            `\ufeff<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData>${table('per_1')}</sheetData></worksheet>`,
            'utf16le',
          ),
        ),
      },
    ],
  ])('%s', async (_what, parts) => {
    expect(await textsIn(zipOf(parts))).toEqual(['per_1']);
  });

  test('SheetJS', async () => {
    const sheet = utils.aoa_to_sheet([
      ['person_id', 'n', 'when', 'ok'],
      // It makes a Date a day of the zone it runs in: other programs give a day as a number with a format.
      ['per_1', 1.5, { t: 'n', v: 45_296, z: 'yyyy-mm-dd' }, true],
      ['per_2', 700_000_001, null, false],
    ]);
    const bytes: unknown = write(
      { SheetNames: ['S'], Sheets: { S: sheet } },
      { type: 'buffer', bookType: 'xlsx' },
    );
    if (!Buffer.isBuffer(bytes)) throw new Error('no workbook');
    const rows = await rowsOf(await opened(bytes));
    expect(rows.map(({ own }) => own?.cells)).toEqual([
      ['per_1', '1.5', '2024-01-05', 'TRUE'],
      ['per_2', '700000001', '', 'FALSE'],
    ]);
  });

  const writers = {
    openpyxl:
      "import openpyxl,datetime,sys\nb=openpyxl.Workbook();s=b.active;s.append(['person_id','a','b','c','d']);s.append(['per_1',chr(0x20bb7)+' & <b>',datetime.datetime(2024,1,5,10,30),datetime.timedelta(hours=36),True]);s.append(['per_2',700000001,datetime.date(2024,2,29),0.1,None]);b.save(sys.argv[1])",
    xlsxwriter:
      "import xlsxwriter,datetime,sys\nb=xlsxwriter.Workbook(sys.argv[1]);s=b.add_worksheet();d=b.add_format({'num_format':'yyyy-mm-dd hh:mm'});h=b.add_format({'num_format':'[h]:mm:ss'});e=b.add_format({'num_format':'dd/mm/yyyy'})\ns.write_row(0,0,['person_id','a','b','c','d']);s.write(1,0,'per_1');s.write(1,1,chr(0x20bb7)+' & <b>');s.write_datetime(1,2,datetime.datetime(2024,1,5,10,30),d);s.write_datetime(1,3,datetime.timedelta(hours=36),h);s.write(1,4,True)\ns.write(2,0,'per_2');s.write(2,1,700000001);s.write_datetime(2,2,datetime.date(2024,2,29),e);s.write(2,3,0.1);b.close()",
  } as const;
  for (const [writer, script] of Object.entries(writers)) {
    test(writer, needsPython(writer), async () => {
      const file = join(newFolder(), 'book.xlsx');
      execFileSync(python, ['-c', script, file]);
      expect((await rowsOf(await opened(readFileSync(file)))).map(({ own }) => own?.cells)).toEqual(
        [
          ['per_1', '\u{20bb7} & <b>', '2024-01-05 10:30:00', '36:00:00', 'TRUE'],
          ['per_2', '700000001', '2024-02-29', '0.1', ''],
        ],
      );
    });
  }

  test('LibreOffice', { timeout: 300_000, ...needsProgram('soffice') }, async () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'book.csv'),
      'person_id,n,when\nper_1,1.5,2024-01-05\nper_2,"a, ""b""",\n',
    );
    byOffice([join(folder, 'book.csv')], 'xlsx', folder);
    expect(
      (await rowsOf(await opened(readFileSync(join(folder, 'book.xlsx'))))).map(
        ({ own }) => own?.cells,
      ),
    ).toEqual([
      ['per_1', '1.5', '2024-01-05'],
      ['per_2', 'a, "b"', ''],
    ]);
  });
});

describe('what a cell shows is not what it is', () => {
  const people = (cells: readonly string[], links: readonly string[] = []) => ({
    name: 'S',
    xml: `<row r="1">${text('A1', 'profnet_url')}</row>${cells.map((cell, at) => `<row r="${at + 2}">${cell}</row>`).join('')}`,
    links,
  });
  const [ada, bob] = [
    'https://www.profnet.example/in/ada',
    'https://www.profnet.example/in/bob?trk=a&amp;x=1',
  ];

  test('the link behind a cell of the identifier column is the identifier, and the text stays in the own columns', async () => {
    const formula = `<c r="A4" t="str"><f>HYPERLINK("${ada}","Ada")</f><v>Ada</v></c>`;
    const cutOff = 'https://www.profnet.example/in/a…';
    const cells = [
      text('A2', 'LinkedIn'),
      text('A3', 'Profile'),
      formula,
      text('A5', 'per_5'),
      text('A6', 'mail'),
      text('A7', cutOff),
    ];
    const rows = await rowsOf(
      await opened(book([people(cells, [ada, bob, ada, ada, 'mailto:a@b.example', ada])]), {
        candidates: resolveNames,
      }),
    );
    expect(rows.map((row) => [row.text, row.own?.cells[0]])).toEqual([
      [ada, 'LinkedIn'],
      ['https://www.profnet.example/in/bob?trk=a&x=1', 'Profile'],
      [ada, 'Ada'],
      ['per_5', 'per_5'],
      ['mail', 'mail'],
      [ada, cutOff],
    ]);
  });

  test.each([
    [
      'a name of an investor is asked, whatever page it leads to',
      'name',
      'Acme Ventures',
      ['website', 'name'],
      'Acme Ventures',
    ],
    ['so is a website', 'website', 'acme.example', ['website', 'name'], 'acme.example'],
    ['a label is not', 'website', 'Visit', ['website', 'name'], ada],
    [
      'an id of a company is asked, however its column is called',
      'Firma ID',
      'c-1',
      ['company_id', 'id'],
      'c-1',
    ],
    ['in a column of that name too', 'company_id', 'c-1', ['company_id', 'id'], 'c-1'],
    ['a name in place of one is not', 'Madrid', 'Acme', ['company_id', 'id'], ada],
    ['nor is a name in a column of ids that links have', 'LinkedIn ID', 'Ada', resolveNames, ada],
  ])('%s', async (_what, column, shown, candidates, asked) => {
    const sheet = {
      name: 'S',
      xml: `<row r="1">${text('A1', column)}</row><row r="2">${text('A2', shown)}</row>`,
      links: [ada],
    };
    expect(await textsIn(book([sheet]), { candidates, column })).toEqual([asked]);
  });

  const seventeenIn = async (code: string) => {
    const xml = `<row r="1">${text('A1', 'company_id')}</row><row r="2"><c r="A2" s="1"><v>17</v></c></row>`;
    const content = book([{ name: 'S', xml }], { 'xl/styles.xml': stylesOf(['General', code]) });
    const [row] = await rowsOf(await opened(content, { candidates: ['company_id'] }));
    return [Number(row?.text), row?.invalid];
  };

  test.each(['"C-"0000', '0000\\-0000', '00-00', 'General" units"', '0"x";-0'])(
    'a number that the format %s shows otherwise is no id, and stays a number',
    async (code) =>
      expect(await seventeenIn(code)).toEqual([
        17,
        expect.stringContaining('its format shows with other characters'),
      ]),
  );

  test.each([
    '#,##0',
    '0.00',
    '[$€-407] #,##0',
    '_-* #,##0_-;-* #,##0_-',
    '0;"none"',
    '#,##0 "€"',
    '@',
  ])('the format %s does no harm', async (code) =>
    expect(await seventeenIn(code)).toEqual([17, undefined]),
  );

  test('a label that others have links behind is no id where its own is missing; a text with one link may be', async () => {
    const cells = ['Profile', 'Profile', 'bob', 'Profile', 'bob'].map((shown, at) =>
      text(`A${at + 2}`, shown),
    );
    const rows = await rowsOf(
      await opened(book([people(cells, [ada, bob, bob])]), { candidates: resolveNames }),
    );
    expect(rows.slice(3).map(({ text: shown, invalid }) => [shown, invalid])).toEqual([
      ['Profile', 'the label of a link that is missing: give the address itself'],
      ['bob', undefined],
    ]);
  });

  test.each([
    ['A2:A3', [ada, ada, 'c', 'd']],
    ['$A$2:$B$4', [ada, ada, ada, 'd']],
    ['A1:XFD1048576', [ada, ada, ada, ada]],
    ['B2:C5', ['a', 'b', 'c', 'd']],
  ])('a link over the cells %s is behind each of them', async (ref, expected) => {
    const after = `<hyperlinks><hyperlink ref="${ref}" r:id="l"/></hyperlinks>`;
    const cells = ['a', 'b', 'c', 'd'].map((shown, at) => text(`A${at + 2}`, shown));
    const content = book([{ ...people(cells), after }], {
      'xl/worksheets/_rels/sheet1.xml.rels': rels([['l', 'hyperlink', ada, true]]),
    });
    expect(await textsIn(content, { candidates: resolveNames })).toEqual(expected);
  });

  test('links over whole columns do no harm where a row stands in the last line of the sheet', async () => {
    const after = `<hyperlinks>${'<hyperlink ref="A2:A1048576" r:id="l"/>'.repeat(9)}</hyperlinks>`;
    const sheet = people([text('A2', 'a')]);
    const xml = `${sheet.xml}<row r="1048576">${text('A1048576', 'z')}</row>`;
    const content = book([{ ...sheet, xml, after }], {
      'xl/worksheets/_rels/sheet1.xml.rels': rels([['l', 'hyperlink', ada, true]]),
    });
    expect(await textsIn(content, { candidates: resolveNames })).toEqual([ada, ada]);
  });

  const linkRow = (formula: string, attributes = '') =>
    `<c r="A2" t="str"><f${attributes}>${formula.replaceAll('&', '&amp;')}</f><v>Ada</v></c>${text('B2', ada)}<c r="C2"><v>7</v></c><c r="D2" s="2"><v>45296</v></c>`;
  const found = async (rows: readonly string[]) =>
    (
      await rowsOf(
        await opened(book([people(rows)], { 'xl/styles.xml': styles }), {
          candidates: resolveNames,
        }),
      )
    ).map(({ text: shown, invalid }) => (invalid === undefined ? shown : `invalid: ${invalid}`));

  test.each([
    ['HYPERLINK(B2,"x")', ada],
    ['=HYPERLINK($B$2)', ada],
    ['_xlfn.HYPERLINK( B2 ; "x" )', ada],
    [
      'HYPERLINK("https://www.profnet.example/in/"&"a""b"&C2, "x")',
      'https://www.profnet.example/in/a"b7',
    ],
    ['HYPERLINK(B2&"/"&12&Z99,"x")', `${ada}/12`],
    ['HYPERLINK("www.profnet.example/in/ada","x")', 'www.profnet.example/in/ada'],
    ['UPPER("HYPERLINK(B2)")', 'Ada'],
    ['HYPERLINK("#People!A1","x")', 'Ada'],
    [
      'HYPERLINK(Z99,"x")',
      'invalid: a link of a formula (HYPERLINK) whose address is empty; put an address into the column',
    ],
    [
      'HYPERLINK(C2,"x")',
      'invalid: a link of a formula (HYPERLINK) whose address is no web address; put an address into the column',
    ],
    ...[
      'HYPERLINK(D2,"x")',
      'HYPERLINK(Other!B2,"x")',
      'HYPERLINK(People[[#This Row],[URL]],"x")',
      'IF(B2="","",HYPERLINK(B2,"x"))',
    ].map((formula) => [
      formula,
      'invalid: a link of a formula (HYPERLINK) whose address cannot be told; put the addresses themselves into the column',
    ]),
  ])('the formula %s: %s', async (formula, expected) => {
    expect(await found([linkRow(formula)])).toEqual([expected]);
  });

  test('a formula that several cells share has the address of each', async () => {
    const first = linkRow('HYPERLINK(B2&$C$2,"x")', ' t="shared" ref="A2:A3" si="0"');
    const next = `<c r="A3" t="str"><f t="shared" si="0"/><v>Bob</v></c>${text('B3', 'https://www.profnet.example/in/bob')}`;
    expect(await found([first, next])).toEqual([`${ada}7`, 'https://www.profnet.example/in/bob7']);
  });

  test('an address that a formula shows is asked for, wherever it comes from', async () => {
    const shown = `<c r="A2" t="str"><f>HYPERLINK(IF(B2="",C2,B2))</f><v>${ada}</v></c>`;
    expect(await found([shown])).toEqual([ada]);
  });

  const styles = stylesOf(['General', '[h]:mm', 'yyyy/mm/dd', '00000']);

  test.each([
    ['a day', '<c r="A2" s="2"><v>45296</v></c>', 'a day or a time'],
    ['a duration', '<c r="A2" s="1"><v>1.5</v></c>', 'a duration'],
    ['TRUE', '<c r="A2" t="b"><v>1</v></c>', 'a truth value'],
    ['a fraction', '<c r="A2"><v>1.5</v></c>', 'a fraction'],
    ['a time in ISO 8601', '<c r="A2" t="d"><v>2024-01-05T10:00:00Z</v></c>', 'a day or a time'],
    ['an error', '<c r="A2" t="e"><v>#N/A</v></c>', 'an error of a formula'],
    [
      'what a formula finds in an empty cell',
      '<c r="A2"><f>VLOOKUP(B2,X:Y,2,0)</f><v>0</v></c>',
      'a formula that gives 0',
    ],
    [
      'the same, filled up with zeros',
      '<c r="A2" s="3"><f>VLOOKUP(B2,X:Y,2,0)</f><v>0</v></c>',
      'a formula that gives 0',
    ],
    [
      'a formula that was never calculated, as openpyxl writes it',
      '<c r="A2"><f>B2&amp;C2</f><v/></c>',
      'or was never calculated',
    ],
    ['a shared one', '<c r="A2"><f t="shared" si="0"/></c>', 'or was never calculated'],
    [
      'a shared formula that was never calculated',
      '<c r="A2"><f t="shared" si="0"/><v>0</v></c>',
      'a formula that gives 0',
    ],
  ])('%s is no identifier', async (_what, cell, words) => {
    const xml = `<row r="1">${text('A1', 'company_id')}</row><row r="2">${cell}</row>`;
    const [row] = await rowsOf(
      await opened(sheet(xml, { 'xl/styles.xml': styles }), { candidates: ['company_id'] }),
    );
    expect(row?.invalid).toContain(words);
  });
});

test('a formula that gives an empty text, as spreadsheets say, makes no row, and one that makes a link is the link', async () => {
  const link = 'https://www.profnet.example/in/ada';
  const rows = [
    text('A1', 'profnet_url'),
    '<c r="A2" t="str"><f>IF(B2="","",B2)</f><v></v></c>',
    `<c r="A3"><f>HYPERLINK("${link}","Ada")</f><v/></c>`,
  ];
  const xml = rows.map((cells, at) => `<row r="${at + 1}">${cells}</row>`).join('');
  const read = await rowsOf(await opened(sheet(xml), { candidates: ['profnet_url'] }));
  expect(read.map(({ line, text: identifier, invalid }) => [line, identifier, invalid])).toEqual([
    [3, link, undefined],
  ]);
});

test('a link over lines far below is behind no row, and a fixed column of a shared formula stays where it is', async () => {
  const far = {
    'xl/worksheets/_rels/sheet1.xml.rels': rels([
      ['l', 'hyperlink', 'https://www.profnet.example/in/far', true],
    ]),
  };
  const links = '<hyperlinks><hyperlink ref="A100:A200" r:id="l"/></hyperlinks>';
  const names = ['profnet_url', 'ada', 'bob']
    .map((name, at) => `<row r="${at + 1}">${text(`A${at + 1}`, name)}</row>`)
    .join('');
  expect(await textsIn(sheet(names, far, links), { candidates: resolveNames })).toEqual([
    'ada',
    'bob',
  ]);
  const link = 'https://www.profnet.example/in/ada';
  const formulas =
    '<c r="B2"><f t="shared" ref="B2:C2" si="0">HYPERLINK($A2,"x")</f><v>x</v></c><c r="C2"><f t="shared" si="0"/><v>x</v></c>';
  const xml = `<row r="1">${text('A1', 'a')}${text('B1', 'b')}${text('C1', 'c')}</row><row r="2">${text('A2', link)}${formulas}</row>`;
  expect(await textsIn(sheet(xml), { column: 'c' })).toEqual([link]);
});

describe('a workbook as people leave it, or as an attacker makes it, costs what it holds', () => {
  const lots = (count: number, cell: (line: number) => string): string => {
    const pieces: string[] = [];
    for (let line = 5; line < 5 + count; line += 1) pieces.push(cell(line));
    return pieces.join('');
  };
  const read: readonly (readonly [string, string])[] = [
    [
      'a border down to the last row',
      lots(
        10_000,
        (line) =>
          `<row r="${line}" spans="1:4"><c r="A${line}" s="1"/><c r="B${line}" s="1"/><c r="C${line}" s="1"></c></row>`,
      ),
    ],
    [
      'a blank cell in the last column and the last row',
      '<row r="1048576"><c r="XFD1048576" s="1"/></row>',
    ],
    ['a cell beyond all columns, without a value', '<row r="9"><c r="ZZZZZZZ1"/></row>'],
    ['1,000,000 empty rows', '<row/>'.repeat(1_000_000)],
  ];
  test.each(read)('%s: read', { timeout: 300_000 }, async (_what, xml) => {
    expect(await textsIn(sheet(`${table('per_1', 'per_2')}${xml}`))).toEqual(['per_1', 'per_2']);
  });

  test('a format code without end takes no time that grows with its square', async () => {
    await expectToGrowWith(100_000, async (count) => {
      const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'[h'.repeat(count)}"/></numFmts></styleSheet>`;
      expect(await textsIn(sheet(table('per_1'), { 'xl/styles.xml': styles }))).toEqual(['per_1']);
    });
  });

  test('one long cell in the addresses of many formulas makes no more of them than it may', async () => {
    const long = `<row r="9">${text('A9', 'https://a.example/'.padEnd(4096, 'a'))}</row>`;
    const xml = lots(
      17_000,
      (line) =>
        `<row r="${line + 10}"><c r="A${line + 10}" t="str"><f>HYPERLINK(A9&amp;A9)</f><v>x</v></c></row>`,
    );
    const content = sheet(table('per_1').replace('person_id', 'profnet_url') + long + xml);
    const rows = await rowsOf(await opened(content, { candidates: resolveNames }));
    expect([rows[5]?.invalid, rows.at(-1)?.invalid]).toEqual([
      undefined,
      expect.stringContaining('cannot be told'),
    ]);
  });

  const refused: readonly (readonly [string, () => Buffer, RegExp])[] = [
    [
      'a value beyond all columns',
      () => sheet('<row r="1"><c r="ZZZZZZZ1"><v>1</v></c></row>'),
      /beyond the last column of a spreadsheet/,
    ],
    [
      'a text of 40 MB',
      () => sheet(`<row r="1">${text('A1', 'a'.repeat(40_000_000))}</row>`),
      /MiB/,
    ],
    [
      'shared texts of 12 MB',
      () =>
        sheet(table('per_1'), {
          'xl/sharedStrings.xml': `<sst>${'<si><t>aaaaaaaaaaaaaaaa</t></si>'.repeat(400_000)}</sst>`,
        }),
      /far more than a workbook of its size holds/,
    ],
    [
      'a far column that is filled in many rows',
      () =>
        sheet(
          `${table('per_1')}${lots(3000, (line) => `<row r="${line}"><c r="A${line}"/><c r="XFD${line}"><v>1</v></c></row>`)}`,
        ),
      /a\.xlsx: the cell XFD5 is so far from the others that 3002 rows would get 16384 columns Delete the content of XFD5/,
    ],
    [
      'one long text in many rows',
      () =>
        sheet(
          `${table('per_1')}${lots(20_000, (line) => `<row r="${line}"><c r="A${line}" t="s"><v>0</v></c></row>`)}`,
          {
            'xl/sharedStrings.xml': `<sst><si><t>${'a'.repeat(30_000)}</t></si></sst>`,
          },
        ),
      /shows more than \d+ MiB of text/,
    ],
    [
      'links over the whole sheet again and again',
      () =>
        sheet(
          table('per_1', ...Array.from({ length: 1000 }, () => 'a')),
          {
            'xl/worksheets/_rels/sheet1.xml.rels': rels([
              ['l', 'hyperlink', 'https://a.example', true],
            ]),
          },
          `<hyperlinks>${'<hyperlink ref="A1:XFD1048576" r:id="l"/>'.repeat(5000)}</hyperlinks>`,
        ),
      /has links over the same cells again and again/,
    ],
    [
      'more links than a sheet has use for',
      () => {
        const cells = '<c><f>HYPERLINK(A1)</f><v>1</v></c>'.repeat(1000);
        const incompressible = `<!--${randomBytes(500_000).toString('base64url').replaceAll('-', '_')}-->`;
        return sheet(lots(251, (line) => `<row r="${line}">${cells}</row>`) + incompressible);
      },
      /has more than 250000 links/,
    ],
    ['elements without end', () => sheet('<a>'.repeat(1_000_000)), /nested too deep/],
    [
      'an entity that grows',
      () =>
        zipOf({
          'xl/workbook.xml':
            '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;">]><workbook>&c;</workbook>',
        }),
      /cannot be read as a workbook/,
    ],
    ['a binary workbook', () => zipOf({ 'xl/workbook.bin': 'x' }), /\.xlsb/],
  ];
  test.each(refused)('%s: refused', { timeout: 300_000 }, async (_what, content, words) => {
    expect(await refusalOf(content())).toMatch(words);
  });

  test.each(['c', 'row'])(
    'attributes of a %s that repeat without end take no time that grows with their square',
    async (name) => {
      await expectToGrowWith(2500, async (count) => {
        const repeated = `<${name} x=' ${'r="A1" '.repeat(count)}'>`;
        const xml = `${table('per_1')}${name === 'c' ? `<row r="9">${repeated}<v>1</v></c></row>` : `${repeated}<c r="B9"><v>1</v></c></row>`}`;
        await opened(sheet(xml)).catch((error: unknown) =>
          expect(error).toBeInstanceOf(UsageError),
        );
      });
    },
  );

  test('one long text that many cells of a row share is refused by its length', async () => {
    const cells = Array.from({ length: 2000 }, () => '<c t="s"><v>0</v></c>').join('');
    const shared = `<sst><si><t>${'a'.repeat(300_000)}</t></si></sst>`;
    const content = sheet(`${table('per_1')}<row r="9">${cells}</row>`, {
      'xl/sharedStrings.xml': shared,
    });
    expect(await refusalOf(content)).toMatch(/more than 4 MiB in row 9/);
  });

  test('a row of one far cell costs what it holds', async () => {
    const xml = `<row r="1">${text('A1', 'person_id')}${text('XFD1', 'far')}</row>${lots(100, (line) => `<row r="${line}">${text(`A${line}`, `per_${line}`)}</row>`)}`;
    expect(await rowsOf(await opened(sheet(xml)))).toHaveLength(100);
  });
});
