import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/contract/fields.ts';
import { readerOf, readerOfAll, valueAt } from '../../src/output/read.ts';

const record = {
  id: 'a',
  hq: { city: 'Sampleton', place: { state: null } },
  matches: [{ person_id: 'per_1' }],
  n: new ExactNumber('9007199254740993'),
};

const cases: readonly (readonly [path: string, value: unknown])[] = [
  ['id', 'a'],
  ['hq.city', 'Sampleton'],
  ['hq.place.state', null],
  ['hq.place.state.name', undefined],
  ['matches.0.person_id', 'per_1'],
  ['matches.1.person_id', undefined],
  ['matches.length', undefined],
  ['id.length', undefined],
  ['n.source', undefined],
  ['constructor', undefined],
  ['hq.toString', undefined],
  ['none.of.these', undefined],
];

describe('a reader', () => {
  it.each(cases)('%s', (path, value) => {
    expect(valueAt(record, path)).toEqual(value);
  });

  it('reads a field that is called as one that objects inherit', () => {
    expect(valueAt(JSON.parse('{"toString": "x", "__proto__": {"valueOf": "y"}}'), 'toString')).toBe('x');
    expect(valueAt(JSON.parse('{"__proto__": {"valueOf": "y"}}'), '__proto__.valueOf')).toBe('y');
  });
});

describe('a reader of many paths', () => {
  const name = fc.constantFrom('a', 'b', '0', '1', 'toString');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('.'));
  const { value } = fc.letrec((again) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('text', 5, null, undefined),
      fc.array(again('value'), { maxLength: 2 }),
      fc.dictionary(name, again('value')),
    ),
  }));

  it('reads what readers of each path alone read, whatever records came before', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 6 }), fc.array(value), (paths, records) => {
        const read = readerOfAll<unknown>(paths, 1, (value, place) => [place, value]);
        for (const from of records) {
          const list = [undefined, ...paths.map((_path, index) => [index + 1, undefined]), undefined];
          read(from, list);
          expect(list).toEqual([undefined, ...paths.map((one, index) => [index + 1, readerOf(one)(from)]), undefined]);
        }
      }),
    );
  });
});
