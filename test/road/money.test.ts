import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseFault } from '../../src/sandbox/faults.ts';
import { later } from '../support/later.ts';
import { idIn, personIds, profile } from '../support/records.ts';
import {
  callsOf,
  errorOf,
  expectMistake,
  linesFile,
  newFile,
  origin,
  saidBy,
  sandbox,
  statusesOf,
} from '../support/service.ts';

const faults = ['drop-after-billing:0.3', '503:0.2', 'reset:0.2'].map(parseFault);

describe('the cap', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'holds under 16 calls at once with faults switched on (seed %i)',
    async (seed) => {
      const { service, pdi } = await sandbox({ fault: faults, seed });
      const most = 10 + seed;
      const argv = [
        'person',
        '-i',
        '-',
        '-o',
        'csv',
        '--concurrency',
        '16',
        '--retries',
        '1',
        '--max-billable',
        `${most}`,
      ];
      const result = await pdi([...argv, ...(seed % 2 === 0 ? ['--retry-unknown'] : [])], {
        stdin: personIds(100).join('\n'),
      });
      expect(service.bill().length).toBeLessThanOrEqual(most);
      expect(result.code).toBe(7);
      expect(statusesOf(result.stdout)).toHaveLength(100);
      const ledger = await callsOf(result);
      expect(ledger.filter(([, outcome]) => outcome !== 'not_billed').length).toBeLessThanOrEqual(
        most,
      );
      const mayBeBilled = new Set(
        ledger.filter(([, outcome]) => outcome !== 'not_billed').map(([item]) => item),
      );
      expect(service.bill().filter(({ item }) => !mayBeBilled.has(item))).toEqual([]);
      const surely = ledger.filter(([, outcome]) => outcome === 'billed').map(([item]) => item);
      const onBill = service.bill().map(({ item }) => item);
      expect(surely.filter((item) => item === undefined || !onBill.includes(item))).toEqual([]);
    },
  );

  it('refuses arguments that cannot fit before the first call, exit 7', async () => {
    const { service, pdi } = await sandbox();
    const out = newFile();
    const result = await pdi(['person', ...personIds(12), '--max-billable', '11', '--out', out]);
    expectMistake(result, 7, 'this job needs 12 calls that may be billed; the cap is 11');
    expect([
      service.requests(),
      existsSync(out),
      existsSync(`${out}.journal`),
      await callsOf(result),
    ]).toEqual([{}, false, false, []]);
    const fits = await pdi(['person', ...personIds(12), '--max-billable', '12', '--out', out]);
    expect([fits.code, service.bill().length]).toEqual([0, 12]);
  });

  it('stops a job whose size nobody knew; then the cap counts only what the journal does not have, as a plan says', async () => {
    const { service, pdi } = await sandbox();
    const out = newFile();
    const job = (input: string, cap: number) =>
      `person -i ${input} --out ${out} -o csv --max-billable ${cap} --concurrency 4`.split(' ');
    const stopped = await pdi(job('-', 5), { stdin: personIds(8).join('\n') });
    expect([stopped.code, service.bill().length]).toEqual([7, 5]);
    expect(statusesOf(readFileSync(out, 'utf8'))).toEqual([
      ...Array(5).fill('ok'),
      ...Array(3).fill('skipped'),
    ]);
    expect(stopped.stderr).toContain('the cap of 5 calls that may be billed is reached');
    const rest = job(linesFile(personIds(8)), 3);
    const { stdout } = await pdi([...rest, '--dry-run', '--errors', 'json']);
    expect(stdout).toContain(
      '8 rows with an id, 8 different; 5 already in the journal\n3 requests, 3 that may be billed\n',
    );
    expect([existsSync(`${out}.journal`), service.bill().length]).toEqual([true, 5]);
    expect([(await pdi(rest)).code, service.bill().length]).toEqual([0, 8]);
  });

  it.each([
    ['one', { status: 404 }, 1],
    ['four', { status: 404 }, 4],
    ['sixteen', { status: 422, json: { message: 'malformed' } }, 16],
  ])(
    'counts calls that cost nothing, %s at once: no more are sent, and the same ones',
    async (_words, answer, atOnce) => {
      const { service, pdi } = await origin(async ({ path }) => {
        await later((Number(idIn(path).slice('per_sample'.length)) % 3) * 5);
        return answer;
      });
      const argv = `person -i - -o csv --max-billable 5 --concurrency ${atOnce}`;
      const result = await pdi(argv, { stdin: personIds(40).join('\n') });
      expect(service.requests.map(({ path }) => idIn(path)).sort()).toEqual(personIds(5));
      expect([
        result.code,
        statusesOf(result.stdout).filter((status) => status === 'skipped').length,
      ]).toEqual([7, 35]);
    },
  );

  it('counts a call that is sent again after 429 or 503 once', async () => {
    const { service, pdi } = await origin(({ path }, _response, count) => {
      if (count % 3 === 1) return { status: 503 };
      return count % 3 === 2
        ? { status: 429, headers: { 'x-ratelimit-reset': '0.01' } }
        : profile(path);
    });
    const argv = 'person -i - -o csv --max-billable 2 --concurrency 1';
    const result = await pdi(argv, { stdin: personIds(3).join('\n') });
    expect([result.code, service.requests.length, statusesOf(result.stdout)]).toEqual([
      7,
      6,
      ['ok', 'ok', 'skipped'],
    ]);
  });
});

describe('a charged call whose answer is lost', () => {
  it.each(['drop-after-billing', 'truncate', 'malformed', '500', 'reset'] as const)(
    '%s: one request, exit 5, may have been billed',
    async (fault) => {
      const { service, pdi } = await sandbox({ fault: [parseFault(fault)] });
      const result = await pdi('person per_sample1 -o json');
      expect([result.code, result.stdout, service.requests().getPerson]).toEqual([5, '', 1]);
      expect(saidBy(result)).toEqual([
        {
          error: expect.objectContaining({
            code: 'unavailable',
            billed: 'unknown',
            item: 'per_sample1',
            retryable: false,
          }),
        },
      ]);
      expect(await callsOf(result)).toEqual([['per_sample1', 'lost']]);
    },
  );

  it('is bought again in the same run with --retry-unknown', async () => {
    const { service, pdi } = await sandbox({
      faultRule: ({ number }) => (number === 1 ? 'drop-after-billing' : undefined),
    });
    const result = await pdi('person per_sample1 -o json --retry-unknown');
    expect([result.code, service.bill().length]).toEqual([0, 2]);
    expect((await callsOf(result)).map(([, outcome]) => outcome).sort()).toEqual([
      'billed',
      'settled',
    ]);
  });

  it.each([
    [['feed', '--limit', '5'], 'lost'],
    [['network'], 'unpriced'],
    [['investors', '--name', 'Sample'], 'unpriced'],
    [['revenue', 'company-1'], 'lost'],
  ])(
    '%s is bought again with --retry-unknown only, as often as --retries says',
    async (argv, outcome) => {
      const { service, pdi } = await sandbox({ faultRule: () => 'drop-after-billing' });
      const calls = () => Object.values(service.requests()).reduce((sum, count) => sum + count, 0);
      const plain = await pdi([...argv, '-o', 'json']);
      expect([plain.code, calls(), errorOf(plain).hint]).toEqual([
        5,
        1,
        expect.stringContaining('so it was not sent again'),
      ]);
      const again = await pdi([
        ...argv,
        '-o',
        'table',
        '--retry-unknown',
        '--retries',
        '1',
        '--verbose',
      ]);
      expect([again.code, calls()]).toEqual([5, 3]);
      expect(again.stderr).toContain(
        'it was sent more than once, and may have been billed each time',
      );
      expect(again.stderr).toContain('(attempt 2)');
      expect((await callsOf(again)).map(([, kept]) => kept)).toEqual([outcome, outcome, outcome]);
    },
  );

  it.each([
    ['the cap', {}, ['--max-billable', '2', '--retries', '2']],
    ['the credits', { credits: 2 }, ['--retries', '2']],
  ])(
    'may have been billed where %s end what --retry-unknown does',
    async (_words, options, flags) => {
      const { service, pdi } = await sandbox({ faultRule: () => 'drop-after-billing', ...options });
      const result = await pdi([
        'person',
        'per_sample1',
        '-o',
        'json',
        '--retry-unknown',
        ...flags,
      ]);
      expect([result.code, errorOf(result).billed, service.bill().length]).toEqual([
        7,
        'unknown',
        2,
      ]);
      expect(errorOf(result).hint).toContain(
        'an earlier call got no answer and may have been billed',
      );
    },
  );
});
