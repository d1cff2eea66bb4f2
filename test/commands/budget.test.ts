import { describe, expect, vi } from 'vitest';
import { it } from '../support/it.ts';
import { gate } from '../support/later.ts';
import { personIds } from '../support/records.ts';
import { type RunOptions, signalling } from '../support/run.ts';
import {
  billedBy,
  callsOf,
  errorOf,
  expectRefused,
  linesFile,
  newFile,
  origin,
  sandbox,
  statusesIn,
  summaryOf,
} from '../support/service.ts';

const within = (budget: string, env: RunOptions['env'] = {}): RunOptions => ({ env: { PDI_BUDGET: budget, ...env } });
const words = 'the budget of 5 calls a month is used up this month (UTC)';

describe('a budget', () => {
  it('stops a job: exit 7, the rest is skipped, and the same command goes on with more', async ({ service, pdi }) => {
    const out = newFile('people.csv');
    const line = `person -i ${linesFile(personIds(8))} --out ${out} -o csv`;
    const stopped = await pdi(line, within('5/month'));
    expect([stopped.code, statusesIn(out)]).toEqual([7, [...Array(5).fill('ok'), ...Array(3).fill('skipped')]]);
    expect(stopped.stderr).toContain('; budget: 5 of 5 calls a month used, 0 left\n');
    expect(stopped.stderr).toContain(words);
    expect(service.bill()).toHaveLength(5);
    expect((await pdi(line, within('9/month'))).code).toBe(0);
    expect(billedBy(service)).toEqual(personIds(8));
  });

  it('holds for single commands and for pages, and a call that is not sent costs nothing of it', async ({ service, pdi }) => {
    await pdi('person per_sample1 per_sample2 per_sample3', within('5/month'));
    const pages = await pdi('feed --all --limit 20', within('5/month'));
    expect([pages.code, service.bill().length]).toEqual([7, 5]);
    const error = { code: 'credits', message: words, billed: 'no', retryable: true };
    for (const command of ['person per_sample4', 'investors --name x', 'network'])
      expect(errorOf(await pdi(command, within('5/month')))).toMatchObject(error);
    expect((await pdi('resolve ada-sample-1', within('5/month'))).code).toBe(0);
    expect((await pdi('person per_sample4', within('6/month'))).code).toBe(0);
    expect(service.bill()).toHaveLength(6);
  });

  it('refuses no job beforehand, and what is bought already costs nothing of it', async ({ service, pdi }) => {
    const line = `person ${personIds(6).join(' ')} -o csv`;
    expect((await pdi(line, within('5/month', { PDI_MAX_AGE: '12h' }))).code).toBe(7);
    expect((await pdi(line, within('6/month', { PDI_MAX_AGE: '12h' }))).code).toBe(0);
    expect(service.bill()).toHaveLength(6);
  });

  it('is of one account at one base URL; a named account has one for all its keys', async ({ service, pdi }) => {
    const bought = async (id: string, env: RunOptions['env']) => (await pdi(`person ${id}`, within('1/day', env))).code;
    expect(await bought('per_sample1', {})).toBe(0);
    expect(await bought('per_sample2', {})).toBe(7);
    expect(await bought('per_sample2', { PDI_ACCOUNT: 'acme' })).toBe(0);
    expect(await bought('per_sample3', { PDI_ACCOUNT: 'acme' })).toBe(7);
    expect(await bought('per_sample3', { PDI_BASE_URL: service.baseUrl.replace('127.0.0.1', 'localhost') })).toBe(0);
    expect((await pdi('--sandbox person per_sample4', within('1/day'))).code).toBe(0);
    expect((await pdi('--sandbox person per_sample5', within('1/day'))).code).toBe(7);
  });

  it('is in the summary, as words or as JSON, with each of its limits', async ({ pdi }) => {
    const job = await pdi('person per_sample1 per_sample2 -o ndjson', within('5000/month,200/day'));
    expect(summaryOf(job).budget).toEqual([
      { period: 'month', limit: 5000, used: 2, left: 4998 },
      { period: 'day', limit: 200, used: 2, left: 198 },
    ]);
    const table = await pdi('person per_sample1 per_sample2 -o csv --budget 1000/day');
    expect(table.stderr).toContain('; budget: 4 of 1000 calls a day used, 996 left');
    expect((await pdi('person per_sample1 per_sample2 -o csv')).stderr).not.toContain('budget');
  });

  it('that cannot be read fails the plan as it does the run, and spoils no job that needs no book', async ({ pdi, folder }) => {
    const unread = within('5/month', { PDI_BOOK: folder });
    for (const more of ['', ' --dry-run']) {
      const { code, stderr } = await pdi(`network -o table${more}`, unread);
      expect([code, stderr]).toEqual([1, expect.stringContaining('cannot use the book')]);
    }
    const job = await pdi('resolve ada-sample-1 ada-sample-1 -o ndjson', unread);
    expect([job.code, summaryOf(job)]).toEqual([0, expect.objectContaining({ ok: 2 })]);
    expect(summaryOf(job)).not.toHaveProperty('budget');
  });

  it('is in pdi spend too, where it is known whose', async ({ service, pdi }) => {
    await pdi('person per_sample1 per_sample2 -q');
    const stderr = 'pdi: budget: 2 of 500 calls a month used, 498 left\npdi: budget: 2 of 3 calls a day used, 1 left\n';
    expect(await pdi('spend -o csv', within('500/month,3/day'))).toMatchObject({ code: 0, stderr });
    expect(await pdi('spend -o csv', within('3/day', { PDI_API_KEY: '' }))).toMatchObject({ code: 0, stderr: '' });
    expect(service.bill()).toHaveLength(2);
  });

  it.each(['5000', 'many/month', '5/week', '5/day,6/day', '', '-1/day'])('%j is refused', (budget) =>
    expectRefused(`person per_sample1 --budget=${budget}`, '--budget'),
  );

  it('of a profile is lifted with unlimited', async ({ service, pdi }) => {
    const { home } = await pdi('config set budget 0/day');
    expect((await pdi('person per_sample1', { home })).code).toBe(7);
    expect((await pdi('person per_sample1 --budget unlimited', { home })).code).toBe(0);
    expect(service.bill()).toHaveLength(1);
  });

  it.each([
    ['0/day', false, 'raise it with --budget'],
    ['0/month', false, 'raise it with --budget'],
    ['1/day', true, 'raise it with --budget, or run the command again tomorrow (UTC)'],
  ])('of %s that is used up: advises to wait where that helps', async (budget, retryable, hint) => {
    const { pdi } = await sandbox();
    await pdi('person per_sample1', within(budget));
    expect(errorOf(await pdi('person per_sample2', within(budget)))).toMatchObject({ code: 'credits', retryable, hint });
    const planned = errorOf(await pdi('person per_sample2 --dry-run', within(budget)));
    expect(planned).toMatchObject({ code: 'credits', retryable, hint: `nothing was sent; ${hint}` });
  });
});

/** A budget of one call, which `per_1` has: it is under way until it is told how it ends. */
async function lastPlaceTaken() {
  const held = gate<number>();
  const { service, pdi, home } = await origin(async ({ path }) => {
    const status = path.endsWith('/per_1') ? await held.opened : 200;
    return { status, json: { person_id: 'per_x' } };
  });
  const buy = (id: string, more: RunOptions = {}) => pdi(`person ${id} --retries 0`, { ...within('1/month'), ...more });
  const first = buy('per_1');
  await vi.waitFor(() => expect(service.requests).toHaveLength(1), 60_000);
  /** Time enough for another to come to the end of the budget. */
  const waits = () => pdi('spend');
  return { home, first, buy, pdi, waits, end: held.open, asked: () => service.requests.map(({ path }) => path) };
}

describe('a command whose budget is used up by a call that is under way', () => {
  it('is not counted as using it while it waits', async () => {
    const { first, buy, pdi, waits, end } = await lastPlaceTaken();
    const second = buy('per_2');
    await waits();
    const { stderr } = await pdi('spend -o csv', within('1/month'));
    end(200);
    await Promise.all([first, second]);
    expect(stderr).toBe('pdi: budget: 1 of 1 call a month used, 0 left\n');
  });

  it.each([
    ['takes the place of one that is refused to the end', 503, [5, 0], ['not_billed', 'billed']],
    ['is refused once that one is billed', 200, [0, 7], ['billed']],
  ])('%s', async (_what, status, codes, outcomes) => {
    const { home, first, buy, waits, end, asked } = await lastPlaceTaken();
    const second = buy('per_2');
    await waits();
    end(status);
    expect([(await first).code, (await second).code]).toEqual(codes);
    expect(asked()).toHaveLength(outcomes.length);
    expect((await callsOf({ home })).map(([, outcome]) => outcome)).toEqual(outcomes);
  });

  it.each([
    ['person per_2', /^interrupted: 1 row was not reached$/],
    ['network', /^interrupted: no page was read$/],
    ['investors --name x', /^stopped before the request was sent$/],
  ])('ends at Ctrl-C: %s', async (line, words) => {
    const { home, first, pdi, waits, end, asked } = await lastPlaceTaken();
    const { send, withSignal } = signalling();
    const second = pdi(line, { ...within('1/month'), withSignal });
    await waits();
    send('SIGINT');
    const stopped = await second;
    expect([stopped.code, errorOf(stopped).message]).toEqual([130, expect.stringMatching(words)]);
    end(200);
    expect([(await first).code, asked().length]).toEqual([0, 1]);
    expect(await callsOf({ home })).toEqual([['per_1', 'billed']]);
  });
});
