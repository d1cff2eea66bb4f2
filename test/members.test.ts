import { expect, test } from 'vitest';
import { KnownMembers } from '../src/members.ts';

const found = (members: KnownMembers<number>, names: readonly string[]) => names.map((name, place) => members.at(place, name));

test('a member is found by its name, at any place and whatever stood there before', () => {
  const members = new KnownMembers(new Map([['a', 1] as const, ['b', 2] as const]));
  for (const [names, numbers] of [
    [
      ['a', 'b'],
      [1, 2],
    ],
    [
      ['a', 'b'],
      [1, 2],
    ],
    [
      ['b', 'a'],
      [2, 1],
    ],
    [
      ['x', 'a', 'toString', 'b'],
      [undefined, 1, undefined, 2],
    ],
    [['a'], [1]],
    [
      [...Array.from({ length: 40 }, (_, index) => `x${index}`), 'b'],
      [...Array<undefined>(40).fill(undefined), 2],
    ],
    [
      ['b', 'x'],
      [2, undefined],
    ],
  ] as const) {
    expect(found(members, names)).toEqual(numbers);
  }
});
