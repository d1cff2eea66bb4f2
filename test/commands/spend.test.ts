import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { arrayOf, expectRefused, pdi as program, sandbox } from '../support/service.ts';

const none = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };
const person = { command: 'person', ...none };

describe('spend', () => {
  it('counts each call by how it ended, by day, command and profile', async ({ pdi, service, home }) => {
    await pdi('person per_sample1 per_sample2 per_nobody');
    await pdi('revenue company-1');
    await pdi('network');
    await pdi('resolve ada-sample-1');
    await pdi('person per_sample1', { env: { PDI_API_KEY: service.keys.noCredits } });
    const today = new Date().toISOString().slice(0, 10);
    expect(arrayOf(await program('spend --by command', { home }))).toEqual([
      { command: 'network', ...none, unpriced: 1 },
      { command: 'person', ...none, billed: 2, unpriced: 1, not_billed: 1 },
      { command: 'revenue', ...none, billed: 1 },
    ]);
    const sum = { ...none, billed: 3, unpriced: 2, not_billed: 1 };
    expect(arrayOf(await program('spend --by profile', { home }))).toEqual([{ profile: 'default', ...sum }]);
    const [day, ...others] = arrayOf(await program(['spend', '--since', today], { home }));
    expect([day, others]).toEqual([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...sum }, []]);
    expect(arrayOf(await program('spend --since 2999-01-01', { home }))).toEqual([]);
    expect(service.bill()).toHaveLength(3);
  });

  it('draws a bar a row on a terminal, and nowhere else', async ({ pdi }) => {
    const { home } = await pdi('person per_sample1 per_sample2');
    await pdi('revenue company-1', { home });
    const { stdout } = await program('spend --by command', { home, terminal: true });
    const lines = stdout.split('\n');
    expect(lines[0]).toContain('calls');
    expect(lines.find((line) => line.startsWith('person'))).toContain('████████████');
    expect(lines.find((line) => line.startsWith('revenue'))).toMatch(/ █{6}$/);
    for (const words of ['spend --by command -o table', 'spend --by command -o csv']) {
      expect((await program(words, { home })).stdout).not.toContain('█');
    }
  });

  it('a lost answer that is bought again is settled: the bill lies between billed and billed, lost and settled', async () => {
    const { pdi, service } = await sandbox({ faultRule: ({ number }) => (number <= 2 ? 'drop-after-billing' : undefined) });
    const { home } = await pdi('person per_sample1');
    await pdi('person per_sample2', { home });
    await pdi('person per_sample1 --retry-unknown', { home });
    expect(arrayOf(await program('spend --by command', { home }))).toEqual([{ ...person, billed: 1, lost: 1, settled: 1 }]);
    expect(service.bill()).toHaveLength(3);
    await pdi('revenue company-1', { home });
    // Its bar is a third of that of three calls which may have been billed.
    expect((await program('spend --by command', { home, terminal: true })).stdout).toMatch(/^revenue .* █{4}$/m);
  });

  it('a lost page that the same run buys again is settled, though no page is kept, and none of another run', async () => {
    const { pdi } = await sandbox({ faultRule: ({ number }) => (number <= 2 ? 'drop-after-billing' : undefined) });
    const { home } = await pdi('feed');
    await pdi('feed --retry-unknown', { home });
    expect(arrayOf(await program('spend --by command', { home }))).toEqual([{ command: 'feed', ...none, billed: 1, lost: 1, settled: 1 }]);
  });

  it('a lost answer of the sandbox is settled too, whatever its port', async () => {
    const { home } = await program('--sandbox person per_sample1 --fault drop-after-billing');
    await program('--sandbox person per_sample1 --retry-unknown', { home });
    expect(arrayOf(await program('spend --by command --sandbox', { home }))).toEqual([{ ...person, billed: 1, settled: 1 }]);
  });

  it('ends with a total in a table, and in no other format', async ({ pdi }) => {
    const { home } = await pdi('person per_sample1 per_sample2 per_nobody');
    await pdi('revenue company-1', { home });
    for (const options of [{}, { terminal: true }]) {
      const { stdout } = await program('spend --by month,command -o table', { home, ...options });
      const lines = stdout.trimEnd().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([4, expect.stringMatching(/^total +3 +0 +0 +1 +0$/)]);
    }
    for (const format of ['json', 'ndjson', 'csv']) {
      expect((await program(['spend', '--by', 'month,command', '-o', format], { home })).stdout).not.toContain('total');
    }
    for (const none of ['--since 2999-01-01', '--where billed>`1`'])
      expect((await program(`spend ${none} -o table`, { home })).stdout).not.toContain('total');
  });

  it('counts by two keys at once, and between two days', async ({ pdi }) => {
    const { home } = await pdi('person per_sample1');
    await pdi('network', { home });
    const month = new Date().toISOString().slice(0, 7);
    const rows = [
      { month, command: 'network', ...none, unpriced: 1 },
      { month, ...person, billed: 1 },
    ] as const;
    expect(arrayOf(await program('spend --by month,command', { home }))).toEqual(rows);
    expect(arrayOf(await program('spend --until 2020-12-31', { home }))).toEqual([]);
  });

  it('counts a profile by the whole of a long name', async ({ pdi, service }) => {
    const long = 'w'.repeat(250);
    const { home } = await pdi('person per_sample1');
    await program(['config', 'set', 'base-url', service.baseUrl, '--profile', long], { home });
    await program(['person', 'per_sample2', '--profile', long], { home, env: { PDI_API_KEY: service.keys.full } });
    const counted = arrayOf(await program(['spend', '--by', 'profile', '--profile', long], { home }));
    expect(counted).toMatchObject([{ profile: long, billed: 1 }]);
  });

  it('counts the profile that is named on the command line, or all', async ({ pdi, service }) => {
    const { home } = await pdi('person per_sample1');
    await program(['config', 'set', 'base-url', service.baseUrl, '--profile', 'work'], { home });
    const env = { PDI_API_KEY: service.keys.full };
    await program('person per_sample2 --profile work', { home, env });
    await program('person per_sample3 --profile work', { home, env });
    const counted = async (argv: string, more = {}) =>
      arrayOf(await program(`spend --by profile ${argv}`.trim(), { home, env: more })).map(({ profile, billed }) => `${profile} ${billed}`);
    expect(await counted('--profile work')).toEqual(['work 2']);
    expect(await counted('--profile default')).toEqual(['default 1']);
    expect(await counted('')).toEqual(['default 1', 'work 2']);
    // One that was removed has its calls still; one that never was is a mistake.
    await program('config unset base-url --profile work', { home });
    expect(await counted('--profile work')).toEqual(['work 2']);
    expect(await program('spend --profile wrok', { home })).toMatchObject({ code: 2, stdout: '' });
    expect(await counted('', { PDI_PROFILE: 'work' })).toEqual(['default 1', 'work 2']);
    expect(service.bill()).toHaveLength(3);
  });

  it.each([
    ['spend --since tomorrow', '--since'],
    ['spend --until 2026-02-30', '--until'],
    ['spend --since 2026-02-02 --until 2026-02-01', 'is before'],
    ['spend --since 2026-02-02 --after 2026-02-01', 'the same flag'],
    ['spend --by weather', '--by'],
    ['spend --by day,', '--by'],
  ])('%s is a usage error', (argv, words) => expectRefused(argv, words));
});
