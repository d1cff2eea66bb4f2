import { describe, expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { gate, later } from '../support/later.ts';
import { idIn, personIds, profile } from '../support/records.ts';
import {
  callsOf,
  linesFile,
  newFile,
  origin,
  rowsOf,
  sandbox,
  statusesOf,
  summaryOf,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

const countOf = (all: readonly unknown[], wanted: unknown): number =>
  all.filter((one) => one === wanted).length;
const noSuchPerson = { status: 404, json: { message: 'no such person' } };

describe('a job of one call an item', () => {
  it.each(['csv', 'ndjson'])(
    'gives a row that asks again the same answer, digit for digit, however it is written (%s)',
    async (format) => {
      const number = '90071992547409931234';
      const indented = `{\n "person_id": "per_1",\n "profnet_num_id": ${number}\n}\n`;
      for (const text of [indented, indented.replace(/\s/g, '')]) {
        const { service, pdi } = await origin(() => ({ text }));
        const { stdout } = await pdi([
          'person',
          '-i',
          linesFile(['per_1', 'per_1', 'per_1']),
          '-o',
          format,
        ]);
        const [first = '', ...again] = stdout.trimEnd().split(/\r?\n/).slice(-3);
        expect(again).toEqual([first, first]);
        expect(first).toContain(number);
        expect(service.requests).toHaveLength(1);
      }
    },
  );

  it('stops with --on-error stop: what is under way is finished, the rest is skipped', async () => {
    const { service, pdi } = await origin(({ path }) =>
      idIn(path) === 'per_sample3' ? noSuchPerson : profile(path),
    );
    const argv = ['person', '-i', linesFile(personIds(40)), '-o', 'csv', '--concurrency', '2'];
    const stopped = await pdi([...argv, '--on-error', 'stop']);
    expect(stopped.code).toBe(8);
    expect(service.requests.length).toBeLessThanOrEqual(3 + 2);
    expect(statusesOf(stopped.stdout).slice(0, 3)).toEqual(['ok', 'ok', 'not_found']);
    expect(countOf(statusesOf(stopped.stdout), 'skipped')).toBe(40 - service.requests.length);
    expect(stopped.stdout).toContain('an earlier row failed and --on-error is stop');
    const went = await pdi([...argv, '--on-error', 'continue']);
    expect([countOf(statusesOf(went.stdout), 'ok'), went.code]).toEqual([39, 8]);
  });

  it('buys nothing more once its reader has gone, and writes down what was under way', async () => {
    const { opened: left, open: leave } = gate();
    // Only the first row can be there when the reader goes; the others are under way.
    const { service, pdi } = await origin(async ({ path }) => {
      if (idIn(path) !== 'per_sample1') await left.then(() => later(20));
      return profile(path);
    });
    const onStdout = () => {
      leave();
      throw Object.assign(new Error('the reader has gone'), { code: 'EPIPE' });
    };
    const argv = ['person', '-i', linesFile(personIds(80)), '-o', 'ndjson', '--concurrency', '4'];
    const result = await pdi(argv, { onStdout });
    expect([result.code, result.stderr]).toEqual([0, '']);
    const asked = service.requests.map(({ path }) => idIn(path));
    expect(asked.length).toBeLessThanOrEqual(1 + 4);
    const ledger = await callsOf(result);
    expect(ledger.filter(([, outcome]) => outcome === 'billed').sort()).toEqual(
      asked.map((id) => [id, 'billed']).sort(),
    );
    // What still waited for its turn is given up.
    expect(
      ledger
        .filter(([id = '']) => !asked.includes(id))
        .every(([, outcome]) => outcome === 'not_billed'),
    ).toBe(true);
  });

  it('does not sit out a rate limit once its reader has gone', async () => {
    const limited = {
      status: 429,
      headers: { 'x-ratelimit-reset': '50' },
      json: { errorCode: 'RATE_LIMITED' },
    };
    const { pdi } = await origin(({ path }) =>
      idIn(path) === 'per_sample1' ? profile(path) : limited,
    );
    const onStdout = () => {
      throw Object.assign(new Error('the reader has gone'), { code: 'EPIPE' });
    };
    const result = await pdi(['person', ...personIds(2), '-o', 'ndjson', '--concurrency', '2'], {
      onStdout,
    });
    expect([result.code, await callsOf(result)]).toEqual([
      0,
      expect.arrayContaining([['per_sample2', 'not_billed']]),
    ]);
  });

  it.each([402, 403, 429, 400, 500])(
    'ends at OUT_OF_CREDITS with status %i: what was bought is there, the rest is skipped, exit 7',
    async (status) => {
      const { service, pdi } = await sandbox({ credits: 10, outOfCreditsStatus: status });
      const argv = [
        'person',
        '-i',
        linesFile(personIds(90)),
        '-o',
        'csv',
        '--concurrency',
        '4',
        '--fields',
        'person_id',
      ];
      const result = await pdi(argv);
      expect(result.code).toBe(7);
      expect(service.bill()).toHaveLength(10);
      const bought = rowsOf(result.stdout).filter(({ pdi_status }) => pdi_status === 'ok');
      expect(bought).toHaveLength(10);
      expect(service.bill().map(({ item }) => item)).toEqual(
        expect.arrayContaining(bought.map(({ person_id }) => person_id)),
      );
      expect(bought.every(({ input, person_id }) => input === person_id)).toBe(true);
      expect(countOf(statusesOf(result.stdout), 'skipped')).toBe(80);
      expect(service.requests().getPerson).toBeLessThanOrEqual(10 + 4);
      expect(result.stderr).toContain('out of credits');
    },
  );
});

const { person, company, searches, unknownPerson: noPerson } = landmarks;
play('test/road/lookup.txt', {
  ...{
    person: person.id,
    noPerson,
    company: company.withRevenue,
    silentCompany: company.withoutRevenue,
    noCompany: company.unknown,
  },
  ...{
    talent: String(searches.talent),
    rounds: String(searches.fundingRounds),
    noSearch: String(searches.unknown),
  },
  ada1: 'https://profnet.example/in/Ada-1',
});

it.each([
  ['standard output', []],
  ['a file', ['--out', newFile()]],
])('bills a person once that comes again, to %s', async (_where, to) => {
  const ids = personIds(100);
  const { service, pdi } = await origin(({ path }) => ({
    text: `{"person_id":"${idIn(path)}"}`,
  }));
  const input = linesFile([...ids, ...ids.slice(0, 1)]);
  const argv = [
    'person',
    '-i',
    input,
    '-o',
    'ndjson',
    '--max-billable',
    'unlimited',
    '--concurrency',
    '50',
  ];
  const result = await pdi([...argv, ...to]);
  expect(service.requests).toHaveLength(100);
  expect(summaryOf(result)).toMatchObject({ rows: 101, ok: 101, calls_billed: 100 });
});
