/** A workbook as its parts tell it: rows, widths, filters, links, names. */

import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Column, FieldKind } from '../../../src/contract/columns.ts';
import { ExactNumber } from '../../../src/json/exact.ts';
import type { Formatter } from '../../../src/output/layout.ts';
import { style } from '../../../src/output/xlsx/book-parts.ts';
import { Cells, sheetRoom, xlsxFormatter } from '../../../src/output/xlsx/xlsx.ts';
import { ApiRecord, type ResultRow } from '../../../src/rows/row.ts';
import { fileOf, newFile, origin, sandbox } from '../../support/service.ts';
import { layoutOf } from '../support.ts';

/** The parts of a book that a command wrote, by their paths. */
const partsOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(unzipSync(readFileSync(file))).map(([path, part]) => [path, strFromU8(part)]),
  );

const sheetIn = (parts: Readonly<Record<string, string>>, number = 1): string =>
  parts[`xl/worksheets/sheet${number}.xml`] ?? '';

const widthsIn = (sheet: string): readonly number[] =>
  [...sheet.matchAll(/<col [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));

/** The parts of a book of these records. */
function written(formatter: Formatter, records: readonly object[]) {
  const rows = records.map(
    (record): ResultRow => ({ record: new ApiRecord(record), status: 'ok' }),
  );
  return unzipSync(
    Buffer.concat([formatter.rows(rows), formatter.end()].map((part) => Buffer.from(part))),
  );
}

/** The sheets of a book of these records that is written into sheets of 5 rows and 3 links. */
function booked(column: Column, records: readonly object[], header = true) {
  const formatter = xlsxFormatter(layoutOf([column], { header }), { rows: 5, links: 3 });
  const parts = written(formatter, records);
  const count = (path: RegExp, what: string) =>
    Object.entries(parts).flatMap(([name, part]) =>
      path.test(name) ? [strFromU8(part).split(what).length - 1] : [],
    );
  return {
    rows: count(/sheet\d+\.xml$/, '<row '),
    links: count(/sheet1\.xml(\.rels)?$/, 'hyperlink'),
    remark: formatter.remark?.(),
  };
}

it.each([
  [5, true, [5, 2]],
  [5, false, [5]],
  [12, false, [5, 5, 2]],
])(
  'puts %i records (header: %s) into sheets of as many rows as they take',
  (count, header, sheets) => {
    expect(
      booked({ name: 'n', kind: 'count', inTable: true }, Array(count).fill({ n: 1 }), header).rows,
    ).toEqual(sheets);
  },
);

it('takes as many links as a sheet does, and says that the others are text', () => {
  const column = { name: 'profnet_url', kind: 'url', inTable: true } as const;
  const { links, remark } = booked(column, Array(4).fill({ profnet_url: 'https://a.example/' }));
  // The list of links has a name of its own, twice.
  expect([links, remark]).toEqual([[3 + 2, 3], expect.stringContaining('a sheet takes 3 links')]);
});

it('a sheet takes as much as that of Excel', () => {
  expect(sheetRoom).toEqual({ rows: 1_048_576, links: 65_530 });
});

it('takes no more columns than a sheet, and says so before the first call', async () => {
  const { pdi, service } = await origin(() => ({ json: [] }));
  const header = Array.from({ length: 16_384 }, (_, index) => `c${index}`);
  const input = fileOf('wide.csv', `${['profnet_url', ...header].join()}\nada\n`);
  const { code, stderr } = await pdi(
    `resolve -i ${input} --out ${newFile('wide.xlsx')} --errors text`,
  );
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^pdi: a sheet takes 16384 columns, and there are \d+; write csv/),
  ]);
  expect(service.requests).toEqual([]);
});

describe('a workbook needs no hand', () => {
  const book = async (argv: string, ...more: readonly string[]) => {
    const { pdi: ask } = await sandbox();
    const out = newFile('book.xlsx');
    expect((await ask([...argv.split(' '), '--out', out, ...more])).code).toBe(0);
    return partsOf(out);
  };
  /** The text of each header cell, and its column's width. */
  const columnsIn = (sheet: string): ReadonlyMap<string, number> => {
    const [, header = ''] = /<row [^>]*>(.*?)<\/row>/.exec(sheet) ?? [];
    const titles = [...header.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, title = '']) => title);
    return new Map(titles.map((title, at) => [title, widthsIn(sheet)[at] ?? 0]));
  };

  it('every date, time and figure has room, also in rows after those that are looked at', async () => {
    const widths = columnsIn(sheetIn(await book('feed --limit 3')));
    expect(widths.get('signal_date')).toBeGreaterThanOrEqual('2026-01-01'.length + 2);
    expect(widths.get('signal_total_funding_usd')).toBeGreaterThanOrEqual(
      '999,999,999,999.00'.length + 2,
    );
    const times = columnsIn(sheetIn(await book('network --limit 3')));
    expect(times.get('connected_at')).toBeGreaterThanOrEqual('2026-01-01 00:00:00'.length + 2);
  });

  it('a header and ids are seen whole, and a long text does not push the others away', async () => {
    const widths = columnsIn(sheetIn(await book('feed --limit 50')));
    for (const [title, width] of widths)
      expect(width, title).toBeGreaterThanOrEqual(Math.min(62, title.length + 3));
    expect(widths.get('signal_id')).toBeGreaterThanOrEqual(38);
    expect(Math.max(...widths.values())).toBeLessThanOrEqual(62);
  });

  it('the header is frozen and filters the rows below it; the sheet has the name of its records', async () => {
    const parts = await book('lists investors get d0000000-0000-4000-8000-000000000002');
    expect(sheetIn(parts)).toMatch(
      /<pane ySplit="1".*state="frozen"\/>.*<cols>.*<\/sheetData><autoFilter ref="A1:D4"\/>/,
    );
    expect(parts['xl/workbook.xml']).toContain('<sheet name="investors" sheetId="1"');
    expect(parts['xl/workbook.xml']).toContain('hidden="1">\'investors\'!$A$1:$D$4</definedName>');
  });

  it('rows and cells have their addresses, and empty cells are left out', async () => {
    const sheet = sheetIn(await book('lists companies list --fields id,name,company_count'));
    expect(sheet).toMatch(
      /<row r="1"><c r="A1" s="1" t="inlineStr">.*<row r="2"><c r="A2" t="inlineStr">/,
    );
    expect(sheet).not.toMatch(/<c\/>|<c r="[A-Z]+\d+"\/>|xml:space/);
  });

  it.for([
    ['--fields signal_date,signal_score', 1, "'signals'!$A$1:$B$4", "'signals'!$1:$1"],
    ['', 6, "'signals'!$A$1:$AM$4", "'signals'!$A:$A,'signals'!$1:$1"],
  ] as const)(
    'on paper: landscape, pages that can be read, header and first column on every page, page n of m: %s',
    async ([fields, pages, area, titles]) => {
      const parts = await book(`feed --limit 3 ${fields}`.trim());
      expect(sheetIn(parts)).toMatch(
        /<worksheet [^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr><sheetViews>/,
      );
      const [, beside] =
        /<pageSetup orientation="landscape" fitToWidth="(\d+)" fitToHeight="0"\/><headerFooter><oddFooter>.*Page &amp;P of &amp;N/.exec(
          sheetIn(parts),
        ) ?? [];
      expect(Number(beside)).toBe(pages);
      expect(parts['xl/workbook.xml']).toContain(
        `<definedName name="_xlnm.Print_Area" localSheetId="0">${area}</definedName>`,
      );
      expect(parts['xl/workbook.xml']).toContain(
        `<definedName name="_xlnm.Print_Titles" localSheetId="0">${titles}</definedName>`,
      );
    },
  );

  it('a header stands as its column does: figures to the right, with a distance from the next text', async () => {
    const parts = await book('feed --limit 3', '--fields', 'signal_date,signal_score,signal_type');
    expect(sheetIn(parts)).toMatch(/<c r="A1" s="1" .*<c r="B1" s="2" .*<c r="C1" s="1" /);
    expect(parts['xl/styles.xml']).toContain('<alignment horizontal="right" indent="1"/>');
  });

  it('--explode A,B: a sheet a list beside the main one, with what tells the record', async () => {
    const parts = await book('person per_sample1 per_sample3', '--explode', 'experience,skills');
    const names = [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual(['people', 'experience', 'skills']);
    expect([...columnsIn(sheetIn(parts)).keys()]).not.toContain('experience');
    expect([...columnsIn(sheetIn(parts, 2)).keys()].slice(0, 4)).toEqual([
      'person_id',
      'full_name',
      'pdi_item',
      'company_name',
    ]);
    expect(parts['xl/workbook.xml']).toContain("'experience'!$A:$D,'experience'!$1:$1<");
    expect([...columnsIn(sheetIn(parts, 3)).keys()]).toEqual([
      'person_id',
      'full_name',
      'pdi_item',
      'skills',
    ]);
    expect(sheetIn(parts).split('<row ')).toHaveLength(4);
    expect(sheetIn(parts, 3)).toMatch(/<row r="2"><c r="A2" t="inlineStr"><is><t>per_sample1<\/t>/);
    const chosen = await book(
      'person per_sample1',
      '--explode',
      'experience,skills',
      '--fields',
      'location',
    );
    expect(sheetIn(chosen, 3)).toBe(
      sheetIn(await book('person per_sample1', '--explode', 'experience,skills'), 3),
    );
  });

  it.each([
    [
      '-o csv --explode experience,skills',
      /--explode experience,skills: csv shows the elements of one list/,
    ],
    ['-o xlsx --explode experience,nothing', /--explode: no list is called "nothing"/],
  ])('%s: refused before the first call', async (words, message) => {
    const { pdi: ask, service } = await origin(() => ({ json: {} }));
    const { code, stderr } = await ask([
      'person',
      'per_a1',
      ...words.split(' '),
      '--errors',
      'text',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(service.requests).toEqual([]);
  });

  it('--no-header: no row to freeze or to filter by', async () => {
    const parts = await book('feed --limit 3', '--no-header');
    expect(sheetIn(parts)).not.toMatch(/<pane|<autoFilter/);
    expect(parts['xl/workbook.xml']).not.toContain('definedName');
  });

  it('counts and money have separators, years have none', async () => {
    const parts = await book('feed --limit 3');
    const sheet = sheetIn(parts);
    expect(parts['xl/styles.xml']).toMatch(/<cellXfs count="10">/);
    expect(sheet).toMatch(/<c r="[A-Z]+2" s="6"><v>21060333<\/v><\/c>/);
    expect(sheet).toMatch(/<c r="[A-Z]+\d" s="7"><v>2010<\/v><\/c>/);
  });

  it('web addresses are links, by place; nothing is a formula', async () => {
    const parts = await book(
      'person per_sample1 per_sample3',
      '--fields',
      'profnet_url,github_url,tagline',
    );
    const sheet = sheetIn(parts);
    expect(sheet).toMatch(
      /<hyperlinks><hyperlink ref="B2" r:id="l1"\/><hyperlink ref="B3" r:id="l2"\/><\/hyperlinks><pageMargins/,
    );
    const links = parts['xl/worksheets/_rels/sheet1.xml.rels'] ?? '';
    expect(links).toMatch(
      /Id="l1" Type="[^"]*\/hyperlink" Target="https:\/\/www\.profnet\.example\/in\/ada-sample-1" TargetMode="External"/,
    );
    expect(sheet).not.toContain('<f>');
  });

  it.each([
    ['https://a.example/x y?a=1&b="2"', 'https://a.example/x%20y?a=1&amp;b=%222%22'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
    ["https://a.example/it's", 'https://a.example/it&apos;s'],
    ['javascript:alert(1)', undefined],
    ['=HYPERLINK("https://a.example")', undefined],
    ['https://', undefined],
    [`https://a.example/${'x'.repeat(2100)}`, undefined],
  ])('%j is a link that a spreadsheet can open, or text', async (url, target) => {
    const { pdi: ask } = await origin(() => ({ json: { person_id: 'per_a1', profnet_url: url } }));
    const out = newFile('book.xlsx');
    expect(await ask(`person per_a1 --fields profnet_url --out ${out}`)).toMatchObject({
      code: 0,
      stdout: '',
    });
    const links = partsOf(out)['xl/worksheets/_rels/sheet1.xml.rels'];
    expect(/Target="([^"]*)"/.exec(links ?? '')?.[1]).toBe(target);
  });

  it('looks at the first 1,000 rows, and no further', async () => {
    const widthWith = (at: number): number => {
      const formatter = xlsxFormatter(layoutOf([{ name: 'about', kind: 'text', inTable: true }]));
      const records = Array.from({ length: 1200 }, (_, index) => ({
        about: 'x'.repeat(index === at ? 40 : 5),
      }));
      return (
        widthsIn(
          strFromU8(written(formatter, records)['xl/worksheets/sheet1.xml'] ?? new Uint8Array()),
        )[0] ?? 0
      );
    };
    expect([widthWith(999), widthWith(1000)]).toEqual([42, 10]);
  });
});

const valueCell = (value: unknown, kind: FieldKind, name = 'amount') =>
  new Cells().value('A1', value, { kind, name });
const exact = (digits: string) => new ExactNumber(digits);

describe('a number', () => {
  it.each([
    ['4580000.0', 'usd', `<c r="A1" s="${style.cents}"><v>4580000</v></c>`],
    ['1500000.50', 'usd', `<c r="A1" s="${style.cents}"><v>1500000.5</v></c>`],
    [
      '33.3333333333333333',
      'percent',
      `<c r="A1" s="${style.cents}"><v>33.333333333333336</v></c>`,
    ],
    ['1234567.8900000000000001', 'usd', `<c r="A1" s="${style.cents}"><v>1234567.89</v></c>`],
    ['-0.0', 'percent', `<c r="A1" s="${style.cents}"><v>0</v></c>`],
    ['4.0', 'number', `<c r="A1" s="${style.figure}"><v>4</v></c>`],
    ['1e7', 'count', `<c r="A1" s="${style.whole}"><v>10000000</v></c>`],
    ['-0', 'count', `<c r="A1" s="${style.whole}"><v>0</v></c>`],
    ['1.5', 'count', `<c r="A1" s="${style.figure}"><v>1.5</v></c>`],
  ] as const)(
    '%s is one, however the service writes it, in the one format of its column',
    (digits, kind, cell) => {
      expect(valueCell(exact(digits), kind)).toBe(cell);
    },
  );

  it.each(['founded_year', 'company.founded_year'])('a year (%s) has no separators', (name) => {
    expect(valueCell(1999, 'count', name)).toBe(`<c r="A1" s="${style.figure}"><v>1999</v></c>`);
  });

  it.each([
    ['9007199254740993', 'count'],
    ['9007199254740993', 'text'],
    ['-9007199254740993', 'json'],
    ['700000001.0', 'id'],
    ['1e400', 'usd'],
  ] as const)('%s stays text where a digit would be lost', (digits, kind) => {
    expect(valueCell(exact(digits), kind)).toBe(
      `<c r="A1" t="inlineStr"><is><t>${digits}</t></is></c>`,
    );
  });
});

it.each([
  ['a\r\nb', '<t xml:space="preserve">a_x000D_\nb</t>'],
  [' a', '<t xml:space="preserve"> a</t>'],
  ['a  b', '<t xml:space="preserve">a  b</t>'],
  ['a b', '<t>a b</t>'],
])('blanks and line ends of %j stay', (text, written) => {
  expect(valueCell(text, 'text')).toContain(written);
});

it.each([
  ['_x0041_', '_x005F_x0041_'],
  ['a_x000D__x000a_b', 'a_x005F_x000D__x005F_x000a_b'],
  ['_x0041_x0041_', '_x005F_x0041_x005F_x0041_'],
  ['_x005F_x0041_', '_x005F_x005F_x005F_x0041_'],
  ['_x41_ _xyzzy_ x0041_', '_x41_ _xyzzy_ x0041_'],
])('the text %s does not become another in a spreadsheet', (text, written) => {
  expect(valueCell(text, 'text')).toContain(`>${written}</t>`);
});

describe('a time', () => {
  it.each([
    ['2026-01-01', '<c><v>46023</v></c>'],
    ['2026-01-01t06:00z', '<c><v>46023.25</v></c>'],
    ['20260101T060000Z', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00Z', '<c><v>46023.25</v></c>'],
    ['2026-01-01 06:00:00', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00+08:00', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00.000Z', '<c><v>46023.25</v></c>'],
    ['2025-12-31T23:59:59.999Z', '<c><v>46022.99998842593</v></c>'],
    ['2026-01-01T06:00:00.5+02:00', '<c><v>46023.25</v></c>'],
    ['1900-03-01', '<c><v>61</v></c>'],
    ['1900-03-01 12:00:00', '<c><v>61.5</v></c>'],
  ])('%s stands there as it was written', (text, cell) => {
    expect(valueCell(text, 'date').replace(/ r="A1" s="\d"/, '')).toBe(cell);
  });

  it.each([
    ...[
      'soon',
      '1776-07-04',
      '2026-13-01',
      '2026-02-30',
      '2026-02-30 10:00:00',
      '2026-02-29T10:00:00Z',
      '2026-01-01 24:00:00',
    ],
    // Excel counts a February 29 in 1900, which there was not: what comes before it would be another day there than in LibreOffice.
    ...['1900-02-28', '1900-02-28 23:59:59', '1900-01-01', '1899-12-31', '1899-12-30'],
  ])('%s is text', (text) => {
    expect(valueCell(text, 'date')).toContain(`>${text}<`);
  });
});
