import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInvestorInterest } from '../../src/contract/feed.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { UsageError } from '../../src/errors.ts';
import { ExactNumber } from '../../src/json/parse.ts';
import { guarded, parseDelimiter } from '../../src/output/csv.ts';
import { chooseColumns } from '../../src/output/layout.ts';
import { wantsColor } from '../../src/output/paint.ts';
import { valueAt } from '../../src/output/read.ts';
import { failureOf } from './support.ts';

const all = resolvePeople.columns;
const names = (fields: string) => chooseColumns(all, fields).columns.map(({ name }) => name);

describe('chooseColumns', () => {
  it('leaves the columns alone when nothing is chosen', () => {
    expect(chooseColumns(all, undefined)).toEqual({ columns: all, chosen: false });
  });

  it('orders as asked, trims, ignores blanks and repetitions', () => {
    expect(names(' matches.0.person_id ,, query.profnet_id,matches.0.person_id,')).toEqual(['matches.0.person_id', 'query.profnet_id']);
  });

  it('takes the object or list that columns are in as one column', () => {
    const chosen = chooseColumns(all, 'query,matches,matches.0').columns;
    expect(chosen.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['query json', 'matches json', 'matches.0 json']);
    expect(chooseColumns(readInvestorInterest.columns, 'company,company.hq,person').columns).toHaveLength(3);
  });

  it.each(['nope', 'matche', 'query.', 'matches.1', 'matches.0.person_id,nope', 'pdi_status', 'input', 'constructor', '__proto__'])(
    'refuses %s',
    (fields) => {
      expect(() => chooseColumns(all, fields)).toThrow(UsageError);
    },
  );

  it('names the unknown and lists the valid', () => {
    const { message, details } = failureOf(() => chooseColumns(all, 'a,matches.0.full_name,b\u001b[31m'));
    expect(message).toBe('--fields: no field is called "a", "b"');
    for (const { name } of all) expect(details.hint).toContain(name);
  });

  it('refuses a choice of nothing, and of a command without fields', () => {
    expect(failureOf(() => chooseColumns(all, ' , ')).message).toBe('--fields names no field');
    expect(failureOf(() => chooseColumns([], 'id')).details.hint).toBe('this command has no fields to choose from');
  });
});

describe('valueAt', () => {
  const record = { a: { b: [{ c: 1 }], d: null }, 'x.y': 2, n: new ExactNumber('1') };
  it.each([
    ['a.b.0.c', 1],
    ['a.d', null],
    ['a.d.e', undefined],
    ['a.b.1.c', undefined],
    ['a.b.length', undefined],
    ['n.source', undefined],
    ['constructor', undefined],
    ['a.__proto__', undefined],
    ['toString.name', undefined],
  ])('%s', (path, expected) => {
    expect(valueAt(record, path)).toBe(expected);
  });

  it('reads nothing from what is no object', () => {
    for (const value of [undefined, null, 'text', 5]) expect(valueAt(value, 'length')).toBeUndefined();
  });
});

describe('wantsColor', () => {
  it.each([
    [{ env: {}, isTTY: true }, true],
    [{ env: {}, isTTY: false }, false],
    [{ env: { TERM: 'dumb' }, isTTY: true }, false],
    [{ env: { NO_COLOR: '1' }, isTTY: true }, false],
    [{ env: { NO_COLOR: '' }, isTTY: true }, true],
    [{ env: { FORCE_COLOR: '1' }, isTTY: false }, true],
    [{ env: { FORCE_COLOR: '1', TERM: 'dumb' }, isTTY: false }, true],
    [{ env: { FORCE_COLOR: '0' }, isTTY: true }, false],
    [{ env: { FORCE_COLOR: 'false' }, isTTY: true }, false],
    [{ env: { FORCE_COLOR: '' }, isTTY: false }, false],
    [{ env: { NO_COLOR: '1', FORCE_COLOR: '1' }, isTTY: true }, false],
    [{ flag: true, env: { NO_COLOR: '1' }, isTTY: false }, true],
    [{ flag: false, env: { FORCE_COLOR: '1' }, isTTY: true }, false],
  ])('%j is %s', (wish, expected) => {
    expect(wantsColor(wish)).toBe(expected);
  });
});

describe('parseDelimiter', () => {
  it.each([
    [';', ';'],
    ['\\t', '\t'],
    ['\t', '\t'],
    ['|', '|'],
    [' ', ' '],
    ['§', '§'],
  ])('%j', (text, expected) => {
    expect(parseDelimiter(text)).toBe(expected);
  });

  it.each(['', ';;', '"', '\n', '\r', 'tab', '\ufeff', '\0'])('refuses %j', (text) => {
    expect(() => parseDelimiter(text)).toThrow(UsageError);
  });
});

describe('guarded', () => {
  it.each([
    '=1+1',
    '+1',
    '+4.2',
    '+49 30 1234',
    '-cmd',
    '-',
    '--5',
    '-5-1',
    '@SUM(A1)',
    ' =1',
    '\u00a0=1',
    '\ufeff=1',
    '\u0000=1',
    '\u200b=1',
    '\t=1',
    '\ttext',
    '\rtext',
    '\ntext',
    '\u001b=1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    '-5\n',
  ])('guards %j', (text) => {
    expect(guarded(text)).toBe(`'${text}`);
  });

  it.each(['', 'text', 'a=b', '-5', '-4.2', '-1e5', '5', '(=1)', "'=1", '"=1"', ' text'])('leaves %j', (text) => {
    expect(guarded(text)).toBe(text);
  });

  it('guards once', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => guarded(guarded(text)) === guarded(text)));
  });
});
