/** CSV and TSV: columns, broken rows, and the raw text that a join writes back. */
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFile, openPiped, resolveNames, rowsOf, textsOf } from './reading.ts';

describe('formats of tables', () => {
  test.each([
    ['comma', 'a.csv', 'x,person_id\n1,per_1\n', ',', '\n'],
    ['CRLF', 'a.csv', 'x,person_id\r\n1,per_1\r\n', ',', '\r\n'],
    ['BOM', 'a.csv', '\uFEFFperson_id,x\nper_1,1\n', ',', '\n'],
    ['semicolons of a European Excel', 'a.csv', 'x;person_id\r\n1,5;per_1\r\n', ';', '\r\n'],
    [
      'semicolons, commas within names',
      'a.csv',
      'last, first, middle;person_id\n1;per_1\n',
      ';',
      '\n',
    ],
    [
      'delimiters between quotes do not count',
      'a.csv',
      '"a;b;c;d",person_id\n1,per_1\n',
      ',',
      '\n',
    ],
    ['bars, commas within names', 'a.csv', 'last, first|person_id\n1|per_1\n', '|', '\n'],
    ['bars between quotes do not count', 'a.csv', '"a|b|c",person_id\n1,per_1\n', ',', '\n'],
    ['tabs in a .csv', 'a.csv', 'x\tperson_id\n1\tper_1\n', '\t', '\n'],
    ['TSV', 'a.tsv', 'x, y\tperson_id\n1\tper_1\n', '\t', '\n'],
    ['a single column', 'a.csv', 'person_id\nper_1\n', ',', '\n'],
    ['a quoted line end in the header', 'a.csv', '"x\ny",person_id\r\n1,per_1\r\n', ',', '\r\n'],
  ])('%s', async (_what, name, content, delimiter, lineEnd) => {
    const input = await openFile(name, content);
    expect(input.own).toMatchObject({ delimiter, lineEnd });
    expect(input.own?.rawHeader).toBe(
      content.replace('\uFEFF', '').slice(0, input.own?.rawHeader.length),
    );
    expect(await textsOf(input)).toEqual(['per_1']);
  });

  test.each([
    ['CSV', 'x,person_id\n1,per_1\n', 'csv'],
    ['a header alone in its line', 'person_id\nper_1\n', 'csv'],
    ['a header in another case', 'Person_ID\nper_1\n', 'csv'],
    ['TSV', 'x\tperson_id\n1\tper_1\n', 'tsv'],
    ['NDJSON', '{"person_id":"per_1"}\n', 'ndjson'],
    ['JSON strings', '"per_1"\n', 'ndjson'],
    ['lines', 'per_1\n', 'lines'],
    ['a name in brackets, as databases write it', '[x],person_id\n1,per_1\n', 'csv'],
    ['an array of texts', '["per_1"]\n', 'json'],
    ['a name over two lines', '"x\ny",person_id\n1,per_1\n', 'csv'],
    ['a name over two lines, among others', 'a,"x ""y""\r\nz",person_id\r\n1,2,per_1\r\n', 'csv'],
    ['a name over two lines, with tabs', '\uFEFF"x\ny"\tperson_id\n1\tper_1\n', 'tsv'],
  ])('a pipe is known by its first row: %s', async (_what, content, kind) => {
    const input = await openPiped(content);
    expect(input).toMatchObject({ kind, name: 'standard input' });
    expect(await textsOf(input)).toEqual(['per_1']);
  });

  test.each([
    ['a.csv', 'sep=;\r\r\nx,y;person_id\r\r\n1;per_1\r\r\n2;per_2;z\r\r\n', ';', 'x,y;person_id'],
    ['a.csv', 'sep=;\r\nx,y;person_id\r\n1;per_1\r\n2;per_2;z\r\n', ';', 'x,y;person_id'],
    ['a.csv', '\uFEFFSEP=,\nx,person_id\n1,per_1\n2,per_2,z\n', ',', 'x,person_id'],
    ['a.csv', 'sep=\t\nx\tperson_id\n1\tper_1\n2\tper_2\tz\n', '\t', 'x\tperson_id'],
    ['a', '\nsep=~\nx~person_id\n1~per_1\n2~per_2~z\n', '~', 'x~person_id'],
    ['a.csv', 'sep=|\n"x"|person_id\n1|per_1\n2|per_2|z\n', '|', '"x"|person_id'],
    ['a', 'sep=;\nx;Person_id\n1;per_1\n2;per_2;z\n', ';', 'x;Person_id'],
    ['a.csv', '\ufeff"SEP=~"\r\nx;y~person_id\r\n1~per_1\r\n2~per_2~z\r\n', '~', 'x;y~person_id'],
    ['a.csv', 'sep=~,,,\r\nx;y~person_id\r\n1~per_1\r\n2~per_2~z\r\n', '~', 'x;y~person_id'],
  ])(
    'the line of Excel before the header is none of the rows: %s %j',
    async (name, content, delimiter, rawHeader) => {
      for (const input of [
        await openFile(name, content),
        await openPiped(content, { inputFormat: name === 'a' ? undefined : 'csv' }),
      ]) {
        expect(input.own).toMatchObject({ delimiter, rawHeader });
        const rows = await rowsOf(input);
        const first = content.startsWith('\n') ? 4 : 3;
        expect(rows.map(({ line, text, invalid }) => [line, text, invalid])).toEqual([
          [first, 'per_1', undefined],
          [first + 1, 'per_2', '3 cells where the header has 2'],
        ]);
      }
    },
  );

  test('where the header has blanks before its quotes, the rows may have them too', async () => {
    const header = '"id", "person_id" , "n"\n';
    const content = `${header}"1", "per_1", "b, ""c"""\n2,"per_2",  "two\nlines"\n${header}3, per_3, "x" y\n4, "per_4", , z\n`;
    for (const input of [
      await openFile('a.csv', content),
      await openPiped(content, { inputFormat: 'csv' }, 5),
    ]) {
      expect(input.own?.header).toEqual(['id', 'person_id', 'n']);
      const rows = await rowsOf(input);
      expect(rows.map(({ text, own, invalid }) => [text, own?.cells[2], invalid])).toEqual([
        ['per_1', 'b, "c"', undefined],
        ['per_2', 'two\nlines', undefined],
        ['per_3', ' "x" y', undefined],
        ['per_4', ' , z', '4 cells where the header has 3'],
      ]);
      expect(rows[0]?.own?.raw).toBe('"1", "per_1", "b, ""c"""');
    }
  });

  test.each([',', ';', '\t', '|'])(
    'also where the only one holds the delimiter: %j',
    async (delimiter) => {
      const content = `person_id${delimiter} "a${delimiter}b"\nper_1${delimiter} "c${delimiter}d"\n`;
      const rows = await rowsOf(await openFile('a.csv', content));
      expect(rows.map(({ own, invalid }) => [own?.cells[1], invalid])).toEqual([
        [`c${delimiter}d`, undefined],
      ]);
    },
  );

  test('a row that old line ends cut says so', async () => {
    const rows = await rowsOf(await openFile('a.csv', 'person_id,n\nper_1,a\rper_2,b\n'));
    expect(rows.map(({ invalid }) => invalid)).toEqual([
      expect.stringContaining('it has line ends of old Macintoshes'),
    ]);
  });

  test('below a header of one column, semicolons and bars are parts of its cells', async () => {
    const rows = await rowsOf(
      await openFile('a.csv', 'profnet_url\nper_1;\na;b\n"c,d"|e\n', { column: 'profnet_url' }),
    );
    expect(rows.map(({ own, invalid }) => [own?.cells, invalid])).toEqual([
      [['per_1;'], undefined],
      [['a;b'], undefined],
      [['"c,d"|e'], undefined],
    ]);
  });

  test('so are commas in a .tsv', async () => {
    expect(
      await textsOf(await openFile('a.tsv', 'name\nAcme, Inc.\n', { candidates: ['name'] })),
    ).toEqual(['Acme, Inc.']);
  });

  test('a header alone is a table without rows', async () => {
    const input = await openFile('a.csv', 'person_id,x');
    expect(input.own).toEqual({
      header: ['person_id', 'x'],
      rawHeader: 'person_id,x',
      read: [0],
      delimiter: ',',
      lineEnd: '\n',
    });
    expect(await rowsOf(input)).toEqual([]);
  });
});

describe('columns', () => {
  const wide = Array.from({ length: 200 }, (_, index) => `c${index}`);

  test.each([
    [
      'the first candidate',
      'matches.0.person_id,person_id\nper_2,per_1\n',
      undefined,
      'per_1',
      'person_id',
    ],
    [
      'the second, where the first is not there',
      'id,matches.0.person_id\n7,per_1\n',
      undefined,
      'per_1',
      'matches.0.person_id',
    ],
    ['--column over candidates', 'person_id,Key\nper_1,k\n', 'Key', 'k', 'Key'],
    ['--column in any case', 'person_id,Key\nper_1,k\n', 'KEY', 'k', 'Key'],
    ['--column as written, though others are alike', 'key,Key\n1,2\n', 'Key', '2', 'Key'],
    [
      '--column as written, though others look like it',
      'a\u00a0b,a b,A B\n1,2,3\n',
      'a b',
      '2',
      'a b',
    ],
    [
      '--column as it looks, though others are alike',
      'A B,a\u00a0b\n1,2\n',
      'a b',
      '2',
      'a\u00a0b',
    ],
    ['a candidate in any case', 'x,PERSON_ID\n1,per_1\n', undefined, 'per_1', 'PERSON_ID'],
    [
      'a candidate as written, though others are alike',
      'Person_ID,person_id\n1,per_1\n',
      undefined,
      'per_1',
      'person_id',
    ],
    [
      'the first candidate, before another as written',
      'matches.0.person_id,Person_Id\n2,per_1\n',
      undefined,
      'per_1',
      'Person_Id',
    ],
    [
      'a duplicate that nobody asked for',
      'x,x,person_id\n1,2,per_1\n',
      undefined,
      'per_1',
      'person_id',
    ],
    ['spaces around a header', 'x, person_id \n1, per_1 \n', undefined, 'per_1', 'person_id'],
    [
      'one of 200',
      `${wide.join(',')}\n${wide.map((name) => `v${name}`).join(',')}\n`,
      'c199',
      'vc199',
      'c199',
    ],
  ])('%s', async (_what, content, column, text, field) => {
    expect(await rowsOf(await openFile('a.csv', content, { column }))).toMatchObject([
      { text, field },
    ]);
  });

  test('of several person identifiers, each row uses the first it fills', async () => {
    const content =
      'profnet_num_id,name,profnet_url\n7,Ada,https://x.example/in/ada\n8,Bob,\n,Eve, \n';
    const rows = await rowsOf(await openFile('a.csv', content, { candidates: resolveNames }));
    expect(rows.map(({ text, field }) => [text, field])).toEqual([
      ['https://x.example/in/ada', 'profnet_url'],
      ['8', 'profnet_num_id'],
      [undefined, 'profnet_url'],
    ]);
  });

  test('other candidates are not alternatives: an empty company_id is not answered with the id of something else', async () => {
    const rows = await rowsOf(
      await openFile('a.csv', 'id,company_id\n7,\n', { candidates: ['company_id', 'id'] }),
    );
    expect(rows).toMatchObject([{ text: undefined, field: 'company_id' }]);
  });
});

describe('rows', () => {
  test('short, long and empty rows keep their place and their raw text', async () => {
    const rows = await rowsOf(
      await openFile('a.csv', 'person_id,name\nper_1,Ada\nper_2\n\nper_3,a,b\n,\nper_6,b\uFFFD\n'),
    );
    expect(rows.map(({ line, text, invalid, own }) => [line, text, invalid, own?.raw])).toEqual([
      [2, 'per_1', undefined, 'per_1,Ada'],
      [3, 'per_2', undefined, 'per_2'],
      [5, 'per_3', '3 cells where the header has 2', 'per_3,"a,b"'],
      [6, undefined, undefined, ','],
      [7, 'per_6', undefined, 'per_6,b\uFFFD'],
    ]);
  });

  test.each([
    ['a trailing delimiter', '"per_1", a ,', '"per_1", a ', ['per_1', ' a '], undefined],
    ['filler, quoted and blank', 'per_1,"a,b","", ,', 'per_1,"a,b"', ['per_1', 'a,b'], undefined],
    [
      'text',
      '"per_1",5" x,"y",,z',
      '"per_1","5"" x,y,,z"',
      ['per_1', '5" x,y,,z'],
      '5 cells where the header has 2',
    ],
    ['careless quotes', '"per_1"x,"a",', '"per_1"x,"a"', ['"per_1"x', 'a'], undefined],
    [
      'quoted line ends',
      'per_1,"a\nb",c',
      'per_1,"a\nb,c"',
      ['per_1', 'a\nb,c'],
      '3 cells where the header has 2',
    ],
  ])('cells past the header: %s', async (_what, line, raw, cells, invalid) => {
    const rows = await rowsOf(await openFile('a.csv', `person_id,name\n${line}\nper_2,b\n`));
    expect(rows.map(({ own, invalid }) => [own, invalid])).toEqual([
      [{ raw, cells }, invalid],
      [{ raw: 'per_2,b', cells: ['per_2', 'b'] }, undefined],
    ]);
  });

  test('a table of one column has its filler dropped and its text kept', async () => {
    const rows = await rowsOf(
      await openFile('a.csv', 'person_id\nper_1,,\nper_2,b\n', { inputFormat: 'csv' }),
    );
    expect(rows.map(({ text, own, invalid }) => [text, own?.raw, invalid])).toEqual([
      ['per_1', 'per_1', undefined],
      ['per_2', '"per_2,b"', '2 cells where the header has 1'],
    ]);
  });

  // A program that turns \n into \r\n twice writes \r\r\n.
  test.each(['1,per_1\r\r\n"2",per_2', '1,per_1\r\r\n2,"per_2"', '"1\n1",per_1\r\r\n2,"per_2"'])(
    'a line end with two CR: %j',
    async (rows) => {
      const [first, second, ...others] = await rowsOf(
        await openFile('a.csv', `x,person_id\r\r\n${rows}\r\r\n`),
      );
      expect([first?.text, second?.own, others]).toEqual([
        'per_1',
        { raw: rows.split('\r\r\n')[1], cells: ['2', 'per_2'] },
        [],
      ]);
    },
  );

  test('a short row without the column of the identifier has none', async () => {
    const rows = await rowsOf(
      await openFile('a.csv', 'name,city,person_id\nAda\nBob,Paris\nEve,Rome,per_3\n'),
    );
    expect(rows.map(({ text, invalid, own }) => [text, invalid, own?.cells])).toEqual([
      [undefined, undefined, ['Ada']],
      [undefined, undefined, ['Bob', 'Paris']],
      ['per_3', undefined, ['Eve', 'Rome', 'per_3']],
    ]);
  });

  test.each(['pdi_status', 'PDI_Status'])(
    'a row that the last of several jobs has no answer for: %s',
    async (name) => {
      const content = `name,pdi_status,pdi_error,person_id,${name},${name.replace(/status/i, 'error')}
Ada,ok,,,failed,"timeout, 3 tries"
Bob,ok,,,skipped,
Eve,failed,timeout,,ok,
Zoe,ok,,,not_found,x
Kim,ok,,,a word of theirs,x
Lea,ok,,per_1,failed,x
`;
      const rows = await rowsOf(await openFile('a.csv', content));
      expect(rows.map(({ text, invalid }) => [text, invalid])).toEqual([
        [undefined, 'no record: failed, timeout, 3 tries'],
        [undefined, 'no record: skipped'],
        [undefined, undefined],
        [undefined, 'no match in the input'],
        [undefined, undefined],
        ['per_1', undefined],
      ]);
    },
  );
});

describe('nothing is lost', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '🦊', ',', ';', '"', '\n', '\r', '\r\n', ' ', '\t'),
    maxLength: 6,
  });
  const written = (text: string, quoted: boolean) =>
    quoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const table = fc.record({
    // The first cell is never empty: a blank line would be no row.
    rows: fc.array(fc.tuple(fc.constantFrom('per_1', 'x'), cell, cell), { maxLength: 8 }),
    quoted: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    lastLineEnd: fc.boolean(),
    size: fc.integer({ min: 1, max: 50 }),
  });

  test('raw rows and line ends make the file again, and every cell is as it was meant', async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ rows, quoted, lineEnd, lastLineEnd, size }) => {
        const records = [['person_id', 'a', 'b'], ...rows];
        const file =
          records.map((row) => row.map((text) => written(text, quoted)).join(',')).join(lineEnd) +
          (lastLineEnd ? lineEnd : '');
        const input = await openPiped(file, { inputFormat: 'csv' }, size);
        const read = await rowsOf(input);
        const raws = [input.own?.rawHeader, ...read.map(({ own }) => own?.raw)];
        expect(raws.join(lineEnd) + (lastLineEnd ? lineEnd : '')).toBe(file);
        expect(read.map(({ own }) => own?.cells)).toEqual(rows);
        expect(read.map(({ text }) => text)).toEqual(rows.map(([text]) => text));
        for (const { line, own } of read)
          expect(
            file
              .split('\n')
              .slice(line - 1)
              .join('\n')
              .startsWith(own?.raw ?? '?'),
          ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('careless quotes mean what they mean to csv-parse', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', ' ', ',', '"', '""', '","', '\r'),
      maxLength: 6,
    });
    const line = fc.oneof(
      fc.constantFrom('"a"b,x', 'a"b,"x"', '"""",""'),
      cell.map((text) => `x${text.replaceAll('"', '')}x`),
      fc
        .array(cell, { minLength: 1, maxLength: 3 })
        .map((cells) => cells.map((text) => written(text, true)).join(',')),
      fc
        .array(cell, { minLength: 1, maxLength: 3 })
        .map((cells) => cells.map((text) => `x${text.replaceAll(',', '')}`).join(',')),
      fc
        .tuple(cell, cell)
        .map(([one, other]) => `${one.replaceAll(/[",]/g, '')},${written(other, true)},x`),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        async (lines, size) => {
          const file = `person_id,${'x,'.repeat(9)}\n${lines.join('\n')}\n`;
          const rows = await rowsOf(await openPiped(file, { inputFormat: 'csv' }, size));
          const options = {
            relax_quotes: true,
            relax_column_count: true,
            record_delimiter: ['\r\r\n', '\r\n', '\n'],
          };
          expect(rows.map(({ own }) => own?.cells)).toEqual(parse(file, options).slice(1));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a row of tabs alone is a row, also near the header', async () => {
  expect(await textsOf(await openFile('a.tsv', 'person_id\tx\nper_1\ta\n\t\nper_2\tb\n'))).toEqual([
    'per_1',
    undefined,
    'per_2',
  ]);
});

describe('a row of totals', () => {
  const read = async (rows: string) => {
    const content = `name,company_id,size\n${rows}\n`;
    return (await rowsOf(await openFile('a.csv', content, { candidates: ['company_id'] }))).map(
      ({ text, invalid }) => [text, invalid],
    );
  };

  test.each([
    'Total,2,',
    'TOTAL:,2,19',
    'Grand Total,2,19',
    'Summe,2,',
    'Gesamtergebnis,2,',
    ',2,sum',
    ' Итого ,0,',
  ])('counts ids that are no numbers: %s', async (totals) => {
    const [, , last] = await read(`Acme,c-1,9\nBeta,c-2,10\n${totals}`);
    expect(last).toEqual([expect.stringMatching(/^[02]$/), 'a row of totals']);
  });

  test.each(['Total,2,', 'Summe,23,'])(
    'counts ids that are numbers, or adds them up: %s',
    async (totals) => {
      const invalid = (await read(`Acme,7,9\nBeta,16,10\n${totals}`)).map(([, reason]) => reason);
      expect(invalid).toEqual([undefined, undefined, 'a row of totals']);
    },
  );

  test.each([
    ['of a company of that name', 'Acme,c-1,9\nTotal,c-2,10'],
    ['of one among numbers', 'Acme,7,9\nTotal,2,10'],
    ['of one whose number counts nothing', 'Acme,c-1,9\nTotal,700012,10'],
    ['of a number without a label', 'Acme,c-1,9\nTotal Energies,2,10'],
  ])('is not that %s', async (_what, rows) => {
    expect((await read(rows)).map(([, invalid]) => invalid)).toEqual([undefined, undefined]);
  });
});
