/** The table of signs: each decides its example, which is something else without it. */
import { expect, it } from 'vitest';
import type { Beginning, ColumnWish } from '../../src/input/header.ts';
import { doubts, firstSign, headerAt, signs } from '../../src/input/header.ts';
import { formatOf, lookAt, tellingPart } from '../../src/input/kind.ts';

function beginningOf(text: string, said: Partial<Beginning> = {}): Beginning {
  const wish = { candidates: ['company_id', 'id'] };
  const known = ['type', 'experience', 'company.name'];
  const nothing = { promised: undefined, hasColumns: false } as const;
  return { ...lookAt(text, said.wish ?? wish), wish, facts: known, ...nothing, ...said };
}

/** What may be said of a file beside its text. */
const contexts = [{}, { promised: 'json' }, { hasColumns: true }] as const;

it.each(signs)('%s says %s', (_sign, says, seen, example) => {
  const others = signs.filter((sign) => sign[2] !== seen);
  const decided = contexts.flatMap((said) => {
    const { kind } = firstSign(beginningOf(example, said));
    return kind === firstSign(beginningOf(example, said), others).kind ? [] : [kind];
  });
  expect(decided).toContainEqual(expect.stringMatching(says === 'table' ? /^[ct]sv$/ : says));
});

const names = { wish: { candidates: ['website', 'name'] } };
const lines = { promised: 'lines' } as const;

/** What each sign is not taken for, and what it is seen in all the same. */
it.each<[text: string, kind: string, said?: Partial<Beginning>]>([
  ['Customers\nid,City', 'csv'],
  ['Customers\nid\t\nc-1', 'lines'],
  ['Acme, Inc.\nBeta, Gamma and Delta\nname', 'lines', names],
  ['{"id":1}\nid,x', 'ndjson'],
  ['[Account],id', 'csv'],
  ['Report\ntype,City', 'csv'],
  ['experience.0.title,x', 'csv'],
  ['type', 'lines'],
  ['c-1\ncompany.name', 'lines'],
  ['c-1\nc-2,type', 'lines'],
  ['Report of May\nFirm;City\nAcme;Paris', 'csv', lines],
  ['ada-1\nbob;x\ncarl;y', 'lines'],
  ['http://a/b\nhttp://a/a?x=1;y=2\nhttp://a/c?x=1;y=3', 'lines', names],
  ['http://a/b?x=1;y=2\nhttp://a/c', 'lines'],
  ['ada,b\nbob,c', 'lines'],
  ['1,b,c\nbob,c', 'lines'],
  ['see 1, b, c\nbob, c, d', 'lines'],
  ['id 1,b,c\nbob,c,d', 'csv'],
  ['Acme, Inc.\nBeta,Gamma', 'lines', names],
  ['Acme\nBeta,Inc.', 'lines', names],
  ['http://a/x,y\nhttp://b/x,y', 'lines', names],
  ['Fund,Site\nAcme,acme.example', 'csv', names],
  ['Accel,https://accel.example\nBeta,Rome', 'csv', names],
  ['Funds\n\nFund,Site\nAcme,a.example\nBeta,b.example', 'csv', names],
  ['Firm,Tel\nAcme,030\nBeta,', 'csv'],
  ['Firm,First_name', 'csv'],
  ['Firm, City, Size', 'lines', lines],
  ['Firm, City, Size\nAcme, Rome, S', 'csv', lines],
])('%j is %s: %j', (text, kind, said) => {
  expect(firstSign(beginningOf(text, said)).kind).toBe(kind);
});

const rowsOf = (text: string) => text.split('\n').map((raw) => ({ cells: raw.split(';') }));

it.each(doubts)('%s: a wanted word heads no column', (_doubt, holds, example) => {
  const wish = { candidates: ['id', 'website', 'name'] };
  const { rows } = lookAt(example, wish);
  expect(headerAt(rows, wish)).toBeUndefined();
  expect(
    headerAt(
      rows,
      wish,
      doubts.filter((doubt) => doubt[1] !== holds),
    ),
  ).toBe(1);
});

it.each<[text: string, wish: Partial<ColumnWish>]>([
  ['Report;May\nn;a\n1;{"b":"c-1"}', { column: 'a.b' }],
  ['Report;May\na,b;c', { column: 'a,b' }],
  ['Report;May\nid;n\nDE;x', { column: 'id' }],
  ['Report;May\nwebsite;n\nacme;x', { column: 'website' }],
])('the header of %j is its second row: %j', (text, wish) => {
  expect(headerAt(rowsOf(text), { candidates: [], ...wish })).toBe(1);
});

it.each<[text: string, at: number | undefined]>([
  ['website;n\nacme;x', 0],
  ['n;x\nada@a.example;Website', undefined],
  ['Report\nMay\nwebsite', 2],
])('the header of %j is at %s', (text, at) => {
  expect(headerAt(rowsOf(text), { candidates: ['website'] })).toBe(at);
});

it.each<[text: string, isTold: boolean, wish?: Partial<ColumnWish>]>([
  ['name\n', true, { candidates: ['name'] }],
  ['x,n\n', true, { column: 'n' }],
  ['Leads\nwebsite\n', false],
  ['export.csv\n', false],
  ['https://a.example,x\n', false],
  ['"company_id\n', false],
])('what a pipe is, is told by %j: %s', (text, isTold, wish) => {
  const part = tellingPart(text, { candidates: ['website', 'company_id'], ...wish });
  expect(part).toBe(isTold ? text : undefined);
});

it.each<[text: string, file: string, form: Partial<Awaited<ReturnType<typeof formatOf>>>]>([
  ['n, "m"', 'a.csv', { quotesBehindBlanks: true }],
  ['Report, May\n"id", "n"', 'a.csv', { quotesBehindBlanks: true }],
  ['id\nc;1', 'a.tsv', { delimiter: '\t' }],
  ['Report\nn;m', 'a.csv', { delimiter: ';' }],
])('%j in %s is read so: %j', async (text, file, form) => {
  const wish = { candidates: ['company_id', 'id'] };
  expect(await formatOf(text, undefined, wish, file)).toMatchObject(form);
});
