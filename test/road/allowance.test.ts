/** `--dry-run` says whether cap and budget allow what a command would buy, and the run then is as it said. */
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { personIds } from '../support/records.ts';
import type { RunOptions } from '../support/run.ts';
import {
  asRecord,
  callsOf,
  errorOf,
  linesFile,
  linesOf,
  newFile,
  objectOf,
} from '../support/service.ts';

const job = (count: number, ...more: readonly string[]) => [
  'person',
  '-i',
  linesFile(personIds(count)),
  '-o',
  'ndjson',
  ...more,
];

describe('a plan and the cap', () => {
  it.for([
    [2, 0, true],
    [3, 7, false],
  ] as const)(
    'a job of %i calls where 2 are allowed: exit %i, as the run has it',
    async ([count, code, allowed], { service, pdi }) => {
      const argv = job(count, '--max-billable', '2');
      const plan = await pdi([...argv, '--dry-run']);
      expect([plan.code, objectOf(plan).job]).toEqual([
        code,
        expect.objectContaining({ billable: count, cap: { limit: 2, allowed } }),
      ]);
      expect(service.bill()).toEqual([]);
      if (allowed) expect(plan.stderr).toBe('');
      else {
        expect(errorOf(plan)).toMatchObject({
          code: 'credits',
          message: 'this job needs 3 calls that may be billed; the cap is 2',
          hint: 'nothing was bought; --max-billable 3 allows it',
        });
      }
      expect([(await pdi(argv)).code, service.bill().length]).toEqual([code, allowed ? count : 0]);
    },
  );

  it('on a terminal, a line says it; the failure stands on stderr alone', async ({ pdi }) => {
    const plan = await pdi(job(3, '--max-billable', '2', '--dry-run').with(4, 'table'), {
      terminal: true,
    });
    expect([plan.code, linesOf(plan.stdout).slice(2, 4)]).toEqual([
      7,
      ['3 requests, 3 that may be billed', 'more than the cap of 2'],
    ]);
    expect(plan.stderr).toMatch(
      /error:.* this job needs 3 calls that may be billed; the cap is 2.*\n.*\n.*hint:.* --max-billable 3 allows it/,
    );
  });

  it('lifted, it is null and unlimited; what is bought before needs no room', async ({ pdi }) => {
    const out = newFile();
    const { home } = await pdi(
      job(3, '--out', out, '--max-billable', 'unlimited').with(
        2,
        linesFile([...personIds(3), 'per_none']),
      ),
    );
    const resumed = await pdi(job(3, '--out', out, '--max-billable', '0', '--force', '--dry-run'), {
      home,
    });
    expect([resumed.code, resumed.stderr]).toEqual([
      7,
      expect.stringContaining('this job needs 3 calls'),
    ]);
    const kept = await pdi(job(3, '--max-age', '1h', '--max-billable', 'unlimited', '--dry-run'), {
      home,
    });
    expect(objectOf(kept).job).toMatchObject({ cap: { limit: null, allowed: true } });
    await pdi(job(3, '--max-age', '1h', '-q'), { home });
    const stored = await pdi(job(3, '--max-age', '1h', '--max-billable', '0', '--dry-run'), {
      home,
    });
    expect([stored.code, objectOf(stored).job]).toEqual([
      0,
      expect.objectContaining({ in_book: 3, cap: { limit: 0, allowed: true } }),
    ]);
  });
});

describe('a plan and the budget', () => {
  const threeOf = (limit: number, period: 'month' | 'day', allowed: boolean) => ({
    period,
    limit,
    used: 3,
    allowed,
  });
  const within = (budget: string, env: RunOptions['env'] = {}): RunOptions => ({
    env: { PDI_BUDGET: budget, ...env },
  });

  it('reads what is used, writes nothing, and foretells where the run is stopped', async ({
    service,
    pdi,
    home,
  }) => {
    await pdi(job(3), within('5/month'));
    const written = await callsOf({ home });
    const fits = await pdi(job(2, '--dry-run'), within('5/month,100/day'));
    expect([fits.code, fits.stderr]).toEqual([0, '']);
    expect(asRecord(objectOf(fits).job).budget).toEqual([
      threeOf(5, 'month', true),
      threeOf(100, 'day', true),
    ]);
    const tooMany = await pdi(job(6, '--dry-run'), within('100/month,5/day'));
    expect(tooMany.code).toBe(7);
    expect(asRecord(objectOf(tooMany).job).budget).toEqual([
      threeOf(100, 'month', true),
      threeOf(5, 'day', false),
    ]);
    expect(errorOf(tooMany)).toMatchObject({
      code: 'credits',
      message: 'this job needs 6 calls that may be billed; of the budget of 5 a day, 2 are left',
      retryable: true,
      hint: 'nothing was sent; raise it with --budget, or run the command again tomorrow (UTC)',
    });
    expect([await callsOf({ home }), service.bill()]).toEqual([
      written,
      expect.objectContaining({ length: 3 }),
    ]);
    expect([(await pdi(job(6), within('100/month,5/day'))).code, service.bill().length]).toEqual([
      7, 5,
    ]);
  });

  it('in words', async ({ pdi }) => {
    await pdi(job(3), within('5/month'));
    const { stdout } = await pdi(job(3, '--dry-run').with(4, 'table'), within('5/month'));
    expect(linesOf(stdout).slice(3, 5)).toEqual([
      'within the cap of 100',
      'budget: 3 of 5 calls a month used, 2 left: too few',
    ]);
  });

  it('is not known without a key, and then refuses nothing', async ({ pdi }) => {
    const keyless = within('2/month', { PDI_API_KEY: '' });
    const plan = await pdi(job(3, '--dry-run'), keyless);
    expect([plan.code, asRecord(objectOf(plan).job).budget]).toEqual([
      0,
      [{ period: 'month', limit: 2, used: null, allowed: null }],
    ]);
    const { stdout } = await pdi(job(3, '--dry-run').with(4, 'table'), keyless);
    expect(linesOf(stdout)[4]).toBe(
      'budget: 2 calls a month; a key tells whose calls are used of it',
    );
  });

  it('a free job needs neither, and no key', async ({ pdi }) => {
    const plan = await pdi(
      'resolve ada-sample-1 x --dry-run -o table --max-billable 0',
      within('0/month', { PDI_API_KEY: '' }),
    );
    expect([plan.code, plan.stderr, linesOf(plan.stdout)[2]]).toEqual([
      0,
      '',
      '1 request, none that may be billed',
    ]);
  });
});

describe.each(['feed --all', 'feed', 'investors --name x', 'network'])(
  'the plan of %s, which may need more than it can know',
  (line) => {
    it('has cap and budget, and is refused only where not one call is left', async ({
      service,
      pdi,
    }) => {
      const plan = await pdi(`${line} --dry-run --max-billable 1 --budget 1/day -o json`);
      expect([plan.code, plan.stderr, objectOf(plan)]).toEqual([
        0,
        '',
        expect.objectContaining({
          cap: { limit: 1, allowed: true },
          budget: [{ period: 'day', limit: 1, used: 0, allowed: true }],
        }),
      ]);
      const none = await pdi(`${line} --dry-run --max-billable 0 -o json`);
      expect([none.code, objectOf(none).cap, errorOf(none).code]).toEqual([
        7,
        { limit: 0, allowed: false },
        'credits',
      ]);
      const used = await pdi(`${line} --dry-run --budget 0/day -o json`);
      expect([used.code, errorOf(used).code]).toEqual([7, 'credits']);
      for (const limit of ['--max-billable 0', '--budget 0/day'])
        expect((await pdi(`${line} ${limit}`)).code).toBe(7);
      expect(service.bill()).toEqual([]);
    });
  },
);

it('a plan of pages in words says nothing of enough', async ({ pdi }) => {
  const { stdout } = await pdi('feed --all --dry-run -o table --budget 9/month');
  expect(linesOf(stdout).slice(1, 3)).toEqual([
    'cap: 100 calls',
    'budget: 0 of 9 calls a month used, 9 left',
  ]);
});
