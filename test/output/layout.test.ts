import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, columnAt, recordSchema } from '../../src/contract/columns.ts';
import { getPerson } from '../../src/contract/person.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { UsageError } from '../../src/errors.ts';
import { guarded } from '../../src/output/csv.ts';
import { chooseColumns, namesBehind, titlesBeside } from '../../src/output/layout.ts';
import { failureOf } from '../support/failure.ts';
import { run } from '../support/run.ts';
import { layoutOf, rendered } from './support.ts';

const all = resolvePeople.columns;
const choose = (columns: readonly Column[], fields: string | undefined) =>
  chooseColumns(fields, columns);
/** As the command does: every path that the document has can be named. */
const ofResolve = (fields: string) =>
  chooseColumns(fields, all, (path) => columnAt(recordSchema(resolvePeople), path)).columns;

describe('chooseColumns', () => {
  it('reaches into lists, and keeps the kind of what it finds', () => {
    const at = (path: string) => columnAt(recordSchema(getPerson), path);
    const found = [
      'experience.0.title',
      'experience.12.departments',
      'experience.0.founded_year',
      'skills.3',
      'experience.0',
    ].map(at);
    expect(found.map((column) => column?.kind)).toEqual(['text', 'list', 'count', 'text', 'json']);
    expect(
      ['experience.title', 'experience.0.nope', 'skills.x', 'skills.0.0', '', 'experience.'].map(
        at,
      ),
    ).toEqual(Array(6).fill(undefined));
  });

  it.each([
    'nope',
    'matche',
    'query.',
    'matches.x',
    'person_id,nope',
    'pdi_status',
    'input',
    'constructor',
    '__proto__',
  ])('refuses %s', (fields) => {
    expect(() => ofResolve(fields)).toThrow(UsageError);
  });

  it('names the unknown and lists the valid', async () => {
    const { message, details } = await failureOf(() => ofResolve('a,full_name,b\u001b[31m'));
    expect(message).toBe('--fields: no field is called "a", "b"');
    expect(details.hint).toBe('valid names: person_id, full_name, profnet_url');
  });

  it('names the nearest of many', async () => {
    const hint = async (field: string) =>
      (await failureOf(() => choose(getPerson.columns, field))).details.hint;
    expect(await hint('full_nam')).toBe(
      'the nearest names are full_name, first_name, last_name; --help of the command lists all',
    );
    expect(await hint('Company_Name,urn')).toContain('current_position_company_name');
  });

  it('names the nearest fields within lists where a path may reach into them', async () => {
    const at = (path: string) => columnAt(recordSchema(getPerson), path);
    const hint = async (fields: string, reach = true) =>
      (await failureOf(() => chooseColumns(fields, getPerson.columns, reach ? at : undefined)))
        .details.hint;
    expect(await hint('experience.0.titel')).toMatch(
      /^the nearest names are experience\.0\.title,/,
    );
    expect(await hint('education.name')).toMatch(/^the nearest names are education\.0\.name,/);
    expect(await hint('experience.0.titel', false)).not.toContain('.0.');
  });

  it('refuses a choice of nothing, and of a command without fields', async () => {
    expect((await failureOf(() => choose(all, ' , '))).message).toBe('--fields names no field');
    expect((await failureOf(() => choose([], 'id'))).details.hint).toBe(
      'this command has no fields to choose from',
    );
  });
});

it.each<readonly [boolean | undefined, Readonly<Record<string, string>>, boolean, boolean]>([
  [undefined, {}, true, true],
  [undefined, {}, false, false],
  [undefined, { TERM: 'dumb' }, true, false],
  [undefined, { NO_COLOR: '1' }, true, false],
  [undefined, { NO_COLOR: '' }, true, true],
  [undefined, { FORCE_COLOR: '1' }, false, true],
  [undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  [undefined, { FORCE_COLOR: '0' }, true, false],
  [undefined, { FORCE_COLOR: 'false' }, true, false],
  [undefined, { FORCE_COLOR: '' }, false, false],
  [undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [true, { NO_COLOR: '1' }, false, true],
  [false, { FORCE_COLOR: '1' }, true, false],
])('colour: --color %s, %j, a terminal %s: %s', async (flag, env, terminal, expected) => {
  const flags = flag === undefined ? [] : [flag ? '--color' : '--no-color'];
  const { stdout } = await run(['config', 'profiles', '-o', 'table', ...flags], { env, terminal });
  expect(stdout.includes('\u001b[')).toBe(expected);
});

it.each(['', ';;', '"', '\n', '\r', 'tab', '\ufeff', '\0'])(
  '--delimiter refuses %j',
  async (delimiter) => {
    expect(await failureOf(() => rendered('csv', layoutOf(all, { delimiter }), []))).toBeInstanceOf(
      UsageError,
    );
  },
);

it.each(['', 'text', 'a=b', '-5', '-4.2', '-1e5', '5', '(=1)', "'-5", '"=1"', ' text'])(
  'guarded leaves %j',
  (text) => {
    expect(guarded(text)).toBe(text);
  },
);

describe('titlesBeside', () => {
  const words = (text: string) => text.split(' ');
  const titles = (header: readonly string[], results: readonly string[]) => {
    const titleOf = titlesBeside({ header }, 'person');
    return [...results, 'pdi_status'].map(titleOf);
  };

  it.each([
    [['id'], ['name'], ['name', 'pdi_status']],
    [words('name pdi_status'), words('name x'), words('person_name x person_pdi_status')],
    [['name', 'person_name'], ['name'], ['person_name_2', 'pdi_status']],
    [['name', 'person_name', 'person_name_2'], ['name'], ['person_name_3', 'pdi_status']],
    [['name'], ['name', 'person_name'], ['person_name', 'person_person_name', 'pdi_status']],
    [[' name '], ['name'], ['person_name', 'pdi_status']],
    [
      ['\u200bna\u00adme', 'so  c\u00a0d'],
      ['name', 'so c d'],
      ['person_name', 'person_so c d', 'pdi_status'],
    ],
  ])('beside %j, %j are %j', (own, results, expected) =>
    expect(titles(own, results)).toEqual(expected),
  );

  it('has no name twice, whatever the input has', () => {
    const name = fc.constantFrom('a', 'person_a', 'person_a_2', 'pdi_status', 'person_pdi_status');
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(name), (own, results) => {
        const found = results.filter((one) => one !== 'pdi_status');
        const all = [...own, ...titles(own, found)];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('is told backwards by namesBehind, also of a join of a join', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const names = fc.uniqueArray(name);
    fc.assert(
      fc.property(names, names, names, (own, results, more) => {
        const once = [...own, ...titles(own, results)];
        expect(namesBehind(once, 'person', () => true).slice(own.length)).toEqual([
          ...results,
          'pdi_status',
        ]);
        const twice = [...once, ...titles(once, more)];
        expect(namesBehind(twice, 'person', () => true).slice(once.length)).toEqual([
          ...more,
          'pdi_status',
        ]);
      }),
    );
  });
});
