/** A success without the field that says what it is about is the word of something on the way, and no answer. */
import { expect, it } from 'vitest';
import { mcpSession } from '../support/mcp.ts';
import { personIds } from '../support/records.ts';
import {
  answering,
  callsOf,
  errorOf,
  keeping,
  linesFile,
  newFile,
  origin,
  rowsOf,
  statusesOf,
} from '../support/service.ts';

const bodies: readonly (readonly [json: unknown, words: string])[] = [
  [{ message: 'Too many requests' }, 'Too many requests'],
  [{ error: { code: 'INTERNAL', message: 'backend timeout' } }, 'backend timeout'],
  [{ errorCode: 'RATE_LIMITED', message: 'slow down' }, 'RATE_LIMITED: slow down'],
  [{ detail: 'Not found.' }, 'Not found.'],
  [{ status: 'pending' }, 'pending'],
  [{}, 'the answer has no'],
  [{ person_id: null, id: null }, 'null'],
  [{ person_id: { a: 1 }, id: [], full_name: 'Ada' }, 'Ada'],
  [{ person_id: ' ', id: '', message: 7 }, '7'],
];
const both = ['person per_1 per_2', 'revenue company-1 company-2'];

it.each(bodies)(
  '%j is no answer: unknown, in its own words, never taken from the book, not sent again',
  async (json, words) => {
    for (const [at, line] of both.entries()) {
      const { service, pdi, home } = await keeping(origin(() => ({ status: 200 + 2 * at, json })));
      const job = await pdi(`${line} -o csv`);
      expect([job.code, statusesOf(job.stdout), service.requests.length]).toEqual([
        5,
        ['unknown', 'unknown'],
        2,
      ]);
      for (const { pdi_error } of rowsOf(job.stdout)) expect(pdi_error).toContain(words);
      expect((await callsOf({ home })).map(([, outcome]) => outcome)).toEqual(['lost', 'lost']);
      const again = await pdi(`${line} -o csv`);
      expect([again.code, statusesOf(again.stdout), service.requests.length]).toEqual([
        8,
        ['unknown', 'unknown'],
        2,
      ]);
      const alone = await pdi(line.split(' ').slice(0, 2));
      expect([alone.code, errorOf(alone).billed, service.requests.length]).toEqual([
        5,
        'unknown',
        2,
      ]);
    }
  },
);

it('ten in a row end the run, and what is asked for once more by --retry-unknown is a row as any', async () => {
  let isWell = false;
  const { service, pdi } = await origin(({ path }) => ({
    json: isWell ? { person_id: path.split('/').at(-1) } : { detail: 'busy' },
  }));
  const argv = [
    'person',
    '-i',
    linesFile(personIds(14)),
    '-o',
    'csv',
    '--out',
    newFile(),
    '--concurrency',
    '1',
  ];
  expect([(await pdi(argv)).code, service.requests.length]).toEqual([5, 10]);
  isWell = true;
  expect([(await pdi(argv)).code, service.requests.length]).toEqual([8, 14]);
  expect([(await pdi([...argv, '--retry-unknown'])).code, service.requests.length]).toEqual([
    0, 24,
  ]);
});

it('OUT_OF_CREDITS ends the run as credits, whatever its status', async () => {
  const { service, pdi } = await origin(() => ({
    json: { errorCode: 'OUT_OF_CREDITS', message: 'none left' },
  }));
  const { code, stdout } = await pdi('person per_1 per_2 -o csv --concurrency 1');
  expect([code, statusesOf(stdout), service.requests.length]).toEqual([
    7,
    ['skipped', 'skipped'],
    1,
  ]);
});

it('a company without figures is an answer, also where its id is null; so is a saved search by its number', async () => {
  const { pdi } = await origin(({ path }) => ({
    json: path.includes('searches') ? { id: 7 } : { id: null, company_name: null },
  }));
  expect([(await pdi('revenue company-1 -q')).code, (await pdi('searches talent 7')).code]).toEqual(
    [0, 0],
  );
});

it('MCP says the same', async () => {
  const service = await answering(() => ({ json: { message: 'Too many requests' } }));
  const { call } = await mcpSession(service, {
    era: 'modern',
    env: { PDI_MAX_AGE: '12h' },
    person: () => 'accept',
  });
  for (const _time of [1, 2]) {
    const { isError, error } = await call('person', { personId: 'per_1' });
    expect([isError, error]).toMatchObject([true, { code: 'unavailable', billed: 'unknown' }]);
  }
  expect(service.requests).toHaveLength(1);
});
