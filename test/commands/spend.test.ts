import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';
import { arrayOf, errorOf, pdi as program, sandbox } from '../support/service.ts';

describe('spend', () => {
  it('is empty at first', async () => {
    expect(await program('spend')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect((await program('spend --fail-if-empty')).code).toBe(4);
  });

  it('counts billed, unknown and not billed calls by day, command and profile', async () => {
    const { pdi, service } = await sandbox();
    const home = newFolder();
    await pdi('person per_sample1 per_sample2 per_nobody', { home });
    await pdi('revenue company-1', { home });
    await pdi('network', { home });
    await pdi('resolve ada-sample-1', { home });
    await pdi('person per_sample1', { home, env: { PDI_API_KEY: service.keys.noCredits } });
    const today = new Date().toISOString().slice(0, 10);
    expect(arrayOf(await program('spend --by command', { home }))).toEqual([
      { command: 'network', billed: 0, unknown: 1, not_billed: 0 },
      { command: 'person', billed: 2, unknown: 0, not_billed: 2 },
      { command: 'revenue', billed: 1, unknown: 0, not_billed: 0 },
    ]);
    const sum = { billed: 3, unknown: 1, not_billed: 2 };
    expect(arrayOf(await program('spend --by profile', { home }))).toEqual([{ profile: 'default', ...sum }]);
    const [day, ...others] = arrayOf(await program(['spend', '--since', today], { home }));
    expect([day, others]).toEqual([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...sum }, []]);
    expect(arrayOf(await program('spend --since 2999-01-01', { home }))).toEqual([]);
    expect(service.bill()).toHaveLength(3);
  });

  it('draws a bar a row on a terminal, and nowhere else', async () => {
    const { pdi } = await sandbox();
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

  it('a lost answer is unknown', async () => {
    const { pdi } = await sandbox({ faults: [{ name: 'drop-after-billing', probability: 1 }] });
    const { code, home } = await pdi('person per_sample1');
    expect(code).toBe(5);
    expect(arrayOf(await program('spend --by command', { home }))).toEqual([{ command: 'person', billed: 0, unknown: 1, not_billed: 0 }]);
  });

  it.each(['json', 'ndjson', 'csv', 'table'])('%s', async (format) => {
    const { pdi } = await sandbox();
    const { home } = await pdi('person per_sample1');
    const { code, stdout } = await program(['spend', '--by', 'command', '-o', format], { home });
    expect([code, stdout.includes('person')]).toEqual([0, true]);
    if (format === 'csv') expect(stdout).toBe('command,billed,unknown,not_billed\r\nperson,1,0,0\r\n');
  });

  it.each(['spend --since yesterday', 'spend --since 2026-13-01', 'spend --by weather'])('%s is a usage error', async (argv) => {
    const result = await program(argv);
    expect([result.code, result.stdout, errorOf(result).code]).toEqual([2, '', 'usage']);
  });
});
