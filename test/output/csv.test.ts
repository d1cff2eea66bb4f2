import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/contract/columns.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { guarded } from '../../src/output/csv.ts';
import type { OwnTable } from '../../src/rows/row.ts';
import { anyCharacter } from '../support/any-text.ts';
import { layoutOf, type Row, rendered } from './support.ts';

const column = (name: string, kind: Column['kind'] = 'text'): Column => ({
  name,
  kind,
  inTable: true,
});
const kinds = {
  id: 'id',
  'hq.city': 'text',
  tags: 'list',
  pairs: 'json',
  n: 'count',
  flag: 'flag',
} as const;
const columns = Object.entries(kinds).map(([name, kind]) => column(name, kind));
const list = layoutOf(columns);
const job = layoutOf([column('id', 'id')], { job: true });
const ok = (record: unknown): Row => ({ status: 'ok', record });
const own: OwnTable = {
  header: ['name', 'company_id'],
  rawHeader: '"name",company_id',
  delimiter: ',',
  lineEnd: '\n',
};
const joined = layoutOf([column('id', 'id')], { job: true, own });

describe('csv', () => {
  it('has one line end, CRLF, and a header from the columns', async () => {
    const texts = { id: 'a', hq: { city: 'New, "York"' }, tags: ['x', 'y'], pairs: [['A', 'B']] };
    const record = { ...texts, n: new ExactNumber('9007199254740993'), flag: false };
    expect(await rendered('csv', list, [ok(record), ok({ id: 'b', n: -5 })])).toBe(
      'id,hq.city,tags,pairs,n,flag\r\na,"New, ""York""",x; y,"[[""A"",""B""]]",9007199254740993,false\r\nb,,,,-5,\r\n',
    );
  });

  it('has its header also without rows, and a mark for Excel before it', async () => {
    expect(await rendered('csv', list, [])).toBe('id,hq.city,tags,pairs,n,flag\r\n');
    expect(await rendered('csv', list, [], { bom: true, delimiter: ';' })).toBe(
      '\ufeffid;hq.city;tags;pairs;n;flag\r\n',
    );
    expect(await rendered('csv', list, [], { header: false })).toBe('');
    expect(
      await rendered('csv', list, [ok({ id: 'a' })], {
        header: false,
        bom: true,
        delimiter: '\\t',
      }),
    ).toBe('\ufeffa\t\t\t\t\t\r\n');
  });

  it('guards names of columns, which a file may have made, and shows a terminal nothing that it obeys', async () => {
    const names = layoutOf([column('=1'), column('a\u001b[31m')]);
    expect(await rendered('csv', names, [])).toBe("'=1,a\u001b[31m\r\n");
    expect(await rendered('csv', names, [], { isForTerminal: true, formulaGuard: false })).toBe(
      '=1,a\r\n',
    );
  });

  it('has input first and the status last in a job', async () => {
    const rows: Row[] = [
      { input: 'a', status: 'ok', record: { id: 'A' } },
      { input: '@b', status: 'failed', error: '=why' },
    ];
    expect(await rendered('csv', job, rows)).toBe(
      "input,id,pdi_status,pdi_error\r\na,A,ok,\r\n'@b,,failed,'=why\r\n",
    );
    expect(await rendered('csv', job, rows.slice(1), { formulaGuard: false, header: false })).toBe(
      '@b,,failed,=why\r\n',
    );
  });

  it('never writes a line with nothing on it', async () => {
    expect(await rendered('csv', layoutOf([column('id', 'id')]), [ok({})])).toBe('id\r\n""\r\n');
  });

  it('has no NUL, which would make it binary for its readers', async () => {
    expect(
      await rendered('csv', layoutOf([column('id', 'id')]), [
        ok({ id: 'a\u0000b' }),
        ok({ id: '\u0000=1' }),
      ]),
    ).toBe("id\r\nab\r\n'=1\r\n");
  });

  it('guards texts and lists, not numbers', async () => {
    const [line] = parse(
      await rendered(
        'csv',
        list,
        [ok({ id: '=1', hq: { city: '+49 30' }, tags: ['@a', 'b'], pairs: [{}], n: -1 })],
        { header: false },
      ),
    );
    expect(line).toEqual(["'=1", "'+49 30", "'@a; b", '[{}]', '-1', '']);
  });
});

const row = (raw: string, cells: readonly string[], rest: Partial<Row> = {}): Row => ({
  input: 'c',
  status: 'ok',
  record: { id: 'A' },
  own: { raw, cells },
  ...rest,
});

it.each([
  ['short', row('a', ['a']), 'a,,A,ok,\n'],
  ['empty', row('', []), ',,A,ok,\n'],
  ['of one empty cell', row('', ['']), ',,A,ok,\n'],
  ['cut by a CR', row('"a,\r",c\rd', ['a,\r', 'c\rd']), '"a,\r","c\rd",A,ok,\n'],
  ['with a quote left open', row('a,"b', ['a', 'b']), 'a,b,A,ok,\n'],
])('a join lines up a row that is %s', async (_what, own, expected) => {
  expect(await rendered('csv', joined, [own], { header: false })).toBe(expected);
});

describe('any cells', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(',', ';', '"', '\n', '\r', '\t', '=', "'", ' '),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    ),
  });
  const delimiters = fc.constantFrom(',', ';', '\t', '|', "'", ' ', '=');

  it('come back from another parser, guarded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: text, b: text }), { minLength: 1 }),
        delimiters,
        fc.boolean(),
        async (records, delimiter, formulaGuard) => {
          const csv = await rendered('csv', layoutOf([column('a'), column('b')]), records.map(ok), {
            delimiter,
            formulaGuard,
          });
          const guard = formulaGuard ? guarded : (cell: string) => cell;
          expect(parse(csv, { delimiter, record_delimiter: '\r\n' })).toEqual([
            ['a', 'b'],
            ...records.map(({ a, b }) => [guard(a), guard(b)]),
          ]);
        },
      ),
    );
  });

  it('are as many as there are columns, whatever the service sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (values) => {
        const rows = values.map((value) =>
          ok({ id: value, hq: value, tags: value, pairs: value, n: value, flag: value }),
        );
        const lines: unknown[][] = parse(await rendered('csv', list, rows), {
          record_delimiter: '\r\n',
        });
        expect(lines.map((cells) => cells.length)).toEqual(
          Array(values.length + 1).fill(columns.length),
        );
      }),
    );
  });
});

it('shows a terminal nothing that it obeys of the input either, and else every byte', async () => {
  const header = {
    ...own,
    header: ['name\u001b[2J', 'company_id'],
    rawHeader: '"name\u001b[2J",company_id',
  };
  const layout = layoutOf([column('id', 'id')], { job: true, own: header });
  const rowOf = (raw: string, cells: readonly string[]): Row => ({
    input: 'c',
    status: 'ok',
    record: { id: 'A' },
    own: { raw, cells },
  });
  const rows = [
    rowOf('"plain" ,c', ['plain ', 'c']),
    rowOf('"a, \u001b]0;x\u0007\u009b31mb",c', ['a, \u001b]0;x\u0007\u009b31mb', 'c']),
  ];
  expect(await rendered('csv', layout, rows, { isForTerminal: true })).toBe(
    'name,company_id,id,pdi_status,pdi_error\n"plain" ,c,A,ok,\n"a, b",c,A,ok,\n',
  );
  expect(await rendered('csv', layout, rows, { header: false })).toBe(
    '"plain" ,c,A,ok,\n"a, \u001b]0;x\u0007\u009b31mb",c,A,ok,\n',
  );
});

/** The formula guard beside what a spreadsheet makes of a cell, said again without the guard's own patterns. */
const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const unseen = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\u0000',
  '\u001b',
  '\u00ad',
];

/** Whether a spreadsheet may take the text for more than text: a sign comes first, whatever unseen stands before it. */
function startsFormula(text: string): boolean {
  const first = [...text].find((character) => !unseen.includes(character));
  return first !== undefined && signs.includes(first);
}

/** What a reader has who takes the guard off again: one apostrophe before something that was guarded. */
function unguarded(cell: string): string {
  const inner = cell.slice(1);
  return cell.startsWith("'") && guarded(inner) !== inner ? inner : cell;
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom(...signs, ...unseen, "'", '1', '.', 'e', 'A') }),
  fc.double({ noNaN: true }).map(String),
  fc
    .tuple(fc.constantFrom(...unseen, ''), fc.constantFrom(...signs), fc.string())
    .map((parts) => parts.join('')),
);

it('leaves no text that starts a formula, numbers apart', () => {
  fc.assert(
    fc.property(text, (one) => {
      const cell = guarded(one);
      const isNumber = cell.trim() === cell && cell !== '' && Number.isFinite(Number(cell));
      expect(startsFormula(cell) && !isNumber).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('can be taken off again, from any text', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(unguarded(guarded(one))).toBe(one);
    }),
    { numRuns: 1000 },
  );
});
