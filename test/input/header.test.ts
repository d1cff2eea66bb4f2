/** The table of signs: each decides its example, which is something else without it. */
import { expect, it } from 'vitest';
import { doubts, headerAt, signs, told } from '../../src/input/header.ts';
import { lookAt } from '../../src/input/kind.ts';

/** What may be said of a file beside its text. */
const contexts = [{}, { promised: 'json' }, { hasColumns: true }] as const;

it.each(signs)('%s says %s', (_sign, says, seen, example) => {
  const wish = { candidates: ['company_id'] };
  const others = signs.filter((sign) => sign[2] !== seen);
  const decided = contexts.flatMap((context) => {
    const beginning = {
      ...{ ...lookAt(example, wish), wish, known: ['type'] },
      ...{ promised: undefined, hasColumns: false, ...context },
    };
    const { kind } = told(beginning);
    return kind === told(beginning, others).kind ? [] : [kind];
  });
  expect(decided).toContainEqual(expect.stringMatching(says === 'table' ? /^[ct]sv$/ : says));
});

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
