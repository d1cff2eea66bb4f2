/** The rules of JMESPath that the package beside it breaks or leaves out, and those that a walk of the tree could break. */
import { describe, expect, test } from 'vitest';
import { evaluate, treeOf } from '../../src/output/jmespath-tree.ts';

const data = { a: [{ n: 2, t: 'b' }, { n: null, t: 'a' }, { n: 1, t: 'c' }, { t: 'd' }], o: { x: 1, y: [2, 3] }, s: 'text', z: 0, e: [] };
const search = (expression: string): unknown => evaluate(treeOf(expression), data);

test.each<readonly [string, unknown]>([
  ['z < `1`', true],
  ['missing < `1`', null],
  ['s < `1`', null],
  ['`null` >= `0`', null],
  ["'a' < 'b'", true],
  ["'a' < `1`", null],
  ['o == `{"x": 1, "y": [2, 3]}`', true],
  ['e != `[]`', false],
  ['a[?n > `1`].t', ['b']],
  ['a[?n <= `1`].t', ['c']],
  ['a[*].n', [2, 1]],
  ['a[1:3].t', ['a', 'c']],
  ['a[::-1].t', ['d', 'c', 'a', 'b']],
  ['a[-1].t', 'd'],
  ['a[9]', null],
  ['o.*', [1, [2, 3]]],
  ['o.*[]', [1, 2, 3]],
  ['[z, s]', [0, 'text']],
  ['{k: s}.k', 'text'],
  ['e || s', 'text'],
  ['s && z', 0],
  ['!e', true],
  ['sort_by(a[?n], &n)[*].t', ['c', 'b']],
  ['max_by(a[?n], &n).t', 'b'],
  ['min_by(a[?n], &n).t', 'c'],
  ["to_number('')", null],
  ["to_number('0x10')", null],
  ["to_number('-1.5e1')", -15],
  ["length('a😀')", 2],
  ["reverse('a😀b')", 'b😀a'],
  ['max_by(a, &t).t', 'd'],
  ['min_by(a, &t).t', 'a'],
  ['max(a[].t)', 'd'],
  ['min(a[].n)', 1],
  ['max(e)', null],
  ['max_by(`[{"k": 1, "n": 1}, {"k": 1, "n": 2}]`, &k).n', 1],
  ['map(&n, a)', [2, null, 1, null]],
  ['map(&(n > `1`), a)', [true, null, false, null]],
  ["contains(@.s, 'ex')", true],
  ['length(@.a)', 4],
  ['(@.s)', 'text'],
  ["join(', ', a[*].t)", 'b, a, c, d'],
  ['constructor', null],
  ['toString', null],
  ["'it\\'s'", "it's"],
  ['a | [0].t', 'b'],
])('%s', (expression, found) => {
  expect(search(expression)).toEqual(found);
});

describe('is no expression', () => {
  test.each(["s == 'text", 's == "text', 's == `1', "contains(s, 'a)", 'a[:::]', 'a[', 'a b'])('%s', (expression) => {
    expect(() => treeOf(expression)).toThrow();
  });

  test.each(['a[::0]', 'sort_by(s, &n)', 'bogus(s)', 'length(z)'])('or does not fit: %s', (expression) => {
    expect(() => search(expression)).toThrow();
  });
});
