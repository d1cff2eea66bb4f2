/** What the fuzzing has found, each held by a case of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNestedTooDeep, maxDepth } from '../../src/json/exact.ts';
import { cleanForTerminal } from '../../src/output/clean.ts';
import { figure, wrap } from '../../src/output/display.ts';
import { namesBehind, uniqueNames } from '../../src/output/layout.ts';
import { expectToGrowWith } from '../support/cost.ts';
import { origin, spoilBook } from '../support/service.ts';
import { nested } from './edits.ts';

it.each([
  ['arrays', nested(maxDepth), nested(maxDepth + 1)],
  ['objects', nested(maxDepth, '{"a":', '}'), nested(maxDepth + 1, '{"a":', '}')],
  [
    'behind brackets in a string',
    `["${'[{'.repeat(maxDepth)}\\""]`,
    `["${'[{'.repeat(maxDepth)}\\"",${nested(maxDepth)}]`,
  ],
  [
    'one after the other',
    `[${'[],'.repeat(2000)}[]]`,
    `[${'[],'.repeat(2000)}${nested(maxDepth)}]`,
  ],
])(
  'JSON that is nested deeper than can be written again is told from what is not: %s',
  (_what, shallow, deep) => {
    expect([isNestedTooDeep(shallow), isNestedTooDeep(deep)]).toEqual([false, true]);
  },
);

describe('texts that took the square of their length', () => {
  it.each(['\u0090', '\u009d0;', '\u001b]', '\u001b[1', '\u200d'])(
    'cleaning many of %j',
    async (unit) => {
      expect(cleanForTerminal(unit.repeat(10_000))).not.toMatch(/\p{Cc}/u);
      await expectToGrowWith(10_000, (count) => cleanForTerminal(unit.repeat(count)));
    },
  );

  it.each(['x', '👩‍💻', '🇩🇪', '\u0301', 'word '])('wrapping many of %j', async (unit) => {
    expect(wrap(unit.repeat(10_000), 60).join('').replaceAll(' ', '')).toBe(
      unit.trim().repeat(10_000),
    );
    await expectToGrowWith(10_000, (count) => wrap(unit.repeat(count), 60));
  });

  it.each(['1', '12', '123', '1234567'])(
    'parting the digits of a number that begins with %s',
    async (digits) => {
      expect(figure(`-${digits}.5`, 'count')).toBe(`-${Number(digits).toLocaleString('en')}.5`);
      await expectToGrowWith(10_000, (count) => figure(digits.repeat(count / 5), 'count'));
    },
  );

  it('a header of columns that are all called alike, or all as results of an earlier join', async () => {
    expect(uniqueNames(['a', 'a', 'a_2', 'a', 'a'])).toEqual(['a', 'a_3', 'a_2', 'a_4', 'a_5']);
    await expectToGrowWith(10_000, (count) => uniqueNames(Array<string>(count / 5).fill('')));
    await expectToGrowWith(10_000, (count) =>
      namesBehind(Array<string>(count / 5).fill('person_a'), 'person', () => true),
    );
  });
});

it('a card shows the beginning of a text that nobody reads, and says so', async () => {
  const { pdi } = await origin(() => ({
    json: { person_id: 'per_1', about: 'word '.repeat(100_000) },
  }));
  const { stdout } = await pdi('person per_1', { terminal: true });
  expect(stdout.length).toBeLessThan(50_000);
  expect(stdout.replace(/\s+/g, ' ')).toContain('… (500000 characters, all with -o json)');
});

it('a key-command that is no command line is refused', async () => {
  const { pdi, home } = await origin(() => ({}));
  const file = join(home, 'config', 'pdi', 'config.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ profiles: { default: { 'key-command': 'a '.repeat(5_000_000) } } }),
  );
  const { code, stderr } = await pdi('config list');
  expect([code, stderr.includes('key-command: it is longer than')]).toEqual([2, true]);
});

it.each([
  ['another shape', '{"toString":1}', 1, 'the bookmark default in the book is damaged'],
  ['another text', '"https://other.example"', 2, 'belongs to another feed: base URL'],
])('a bookmark whose scope has %s is refused in words', async (_what, value, code, words) => {
  const { service, pdi, home } = await origin(() => ({
    json: [{ signal_id: 'a', signal_date: '2026-06-30' }],
  }));
  expect((await pdi('feed --since-last --after 0001-01-01')).code).toBe(0);
  await spoilBook(
    { home },
    `UPDATE bookmark SET state = replace(state, '"baseUrl":"${service.baseUrl}"', '"baseUrl":${value}')`,
  );
  const result = await pdi('feed --since-last --after 0001-01-01');
  expect([result.code, result.stderr.includes(words)]).toEqual([code, true]);
});
