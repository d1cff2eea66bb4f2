import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/json/parse.ts';
import { valueAt } from '../../src/output/read.ts';

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
