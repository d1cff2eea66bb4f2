/** Every row of the contract's exit-code table, reached: code, stdout and stderr each by itself. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exitTable } from '../src/exit.ts';
import { outputFormats } from '../src/output/formats.ts';
import { origin, pdi as program } from './support/service.ts';
import { play } from './support/transcript.ts';

const file = 'test/exit-codes.txt';
const atOnce = { 'x-ratelimit-reset': '0.001' };
const limited = {
  status: 429,
  headers: atOnce,
  json: { errorCode: 'RATE_LIMITED', message: 'in words' },
};

play(
  file,
  { list: 'd0000000-0000-4000-8000-000000000001' },
  {
    limited: () =>
      origin(({ path }) => (path.endsWith('per_1') ? { text: '{"person_id":"per_1"}' } : limited)),
    redirecting: () =>
      origin(() => ({ status: 302, headers: { location: '/api/v1/people/per_1' } })),
  },
);

/** The contract's table; scripts depend on every line. */
const contract = [
  ['ok', 0, 'ok'],
  ['internal', 1, 'internal'],
  ['usage', 2, 'usage'],
  ['auth', 3, 'auth'],
  ['not_found', 4, 'not found'],
  ['unavailable', 5, 'unavailable'],
  ['rate_limited', 6, 'rate limited'],
  ['credits', 7, 'credits'],
  ['partial', 8, 'partial'],
  ['hung_up', 129, 'hung up'],
  ['interrupted', 130, 'interrupted'],
  ['terminated', 143, 'terminated'],
];

const gone = () => {
  throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
};

it.each([
  'feed --all --limit 1 --quiet',
  'person per_1',
  'lists companies list',
  'health',
  'spend --quiet',
  'config list',
  '--help',
  'help output',
  '--version',
])('a reader that goes away: %s', async (argv) => {
  const answers = [
    { text: '{"person_id":"per_1"}' },
    { json: [{ signal_id: 'a', id: 'a' }] },
    { json: { status: 'OK' } },
  ];
  const { pdi } = await origin(({ path }) =>
    path.includes('people') ? answers[0] : path.includes('health') ? answers[2] : answers[1],
  );
  const result = await pdi(argv, { onStdout: gone });
  expect([result.code, result.stderr]).toEqual([0, '']);
});

/** One that the parser throws, before any setting is read, and one that a command throws. */
const usageErrors = ['persn', 'lists people delete x --no-input'];
const formats = outputFormats.flatMap((format) =>
  [true, false].map((terminal) => ({ format, terminal })),
);

it.each(formats)(
  '-o $format, a terminal: $terminal: only json and ndjson are JSON, whoever throws',
  async ({ format, terminal }) => {
    const json = format === 'json' || format === 'ndjson';
    for (const argv of usageErrors) {
      for (const result of [
        await program(`${argv} -o ${format}`, { terminal }),
        await program(argv, { terminal, env: { PDI_OUTPUT: format } }),
      ]) {
        expect([argv, result.code, result.stderr.startsWith('{"error":')]).toEqual([argv, 2, json]);
      }
    }
  },
);

it('the table is that of the contract, and has no row that is not tested here or with the signals', () => {
  expect(Object.entries(exitTable).map(([code, { exit, name }]) => [code, exit, name])).toEqual(
    contract,
  );
  const told = readFileSync(file, 'utf8').matchAll(/^# (\d+) ([a-z ]+)/gm);
  const reached = new Map(
    Array.from(told, ([, exit, name = '']) => [Number(exit), name.replace(/ still.*/, '').trim()]),
  );
  expect([...reached]).toEqual(contract.slice(0, -3).map(([, exit, name]) => [exit, name]));
});
