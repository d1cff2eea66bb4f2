import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { callsOf, linesFile, newFile, rowsOf, statusesIn } from '../support/service.ts';
import { billOf, eventually, journalOf, pdi, sandboxProcess, shell } from './process.ts';

describe('two jobs at once', () => {
  it('write one book and lose no call', async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home }, '--people', '400');
    const job = (from: number) =>
      pdi(['person', '-i', linesFile(personIds(90, from)), '-o', 'csv', '--out', newFile(), '--concurrency', '8'], { home, baseUrl }).ended;
    const ends = await Promise.all([job(1), job(101), job(201)]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    const ledger = await callsOf({ home });
    expect(ledger.every(([, outcome]) => outcome === 'billed')).toBe(true);
    expect(ledger.map(([item]) => item).sort()).toEqual([...(await billOf(baseUrl))].sort());
    const spend = await pdi(['spend', '-o', 'csv', '--by', 'command'], { home }).ended;
    expect(rowsOf(spend.stdout)).toEqual([{ command: 'person', billed: '270', lost: '0', settled: '0', unpriced: '0', not_billed: '0' }]);
  });

  it('on one journal: the second is refused, and a dead owner is no owner', async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home }, '--latency', '60');
    const out = newFile();
    const argv = ['person', '-i', linesFile(personIds(40)), '-o', 'csv', '--out', out, '--concurrency', '4'];
    const first = pdi(argv, { home, baseUrl });
    await eventually(() => (journalOf(`${out}.journal`).answered > 0 ? true : undefined));
    const second = await pdi(argv, { home, baseUrl }).ended;
    expect([second.code, second.stdout]).toEqual([2, '']);
    expect(second.stderr).toMatch(/^pdi: .* is in use by another run; wait until it ends\n$/);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await pdi([...argv, '--retry-unknown'], { home, baseUrl }).ended).code).toBe(0);
    expect(statusesIn(out)).toEqual(Array(40).fill('ok'));
  });
});

describe('Ctrl-C', () => {
  it('finishes what is under way, writes FILE, says how to resume; the same command then completes it', async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home }, '--latency', '20');
    const out = newFile();
    const argv = ['person', '-i', linesFile(personIds(100)), '-o', 'csv', '--out', out, '--concurrency', '2'];
    const first = pdi(argv, { home, baseUrl });
    await eventually(() => (journalOf(`${out}.journal`).answered >= 5 ? true : undefined));
    first.child.kill('SIGINT');
    const end = await first.ended;
    expect([end.code, end.stdout]).toEqual([130, '']);
    expect(end.stderr).toContain('run the same command again');
    const statuses = statusesIn(out);
    const bought = statuses.filter((status) => status === 'ok').length;
    expect([statuses.length, (await billOf(baseUrl)).length]).toEqual([100, bought]);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect([statusesIn(out), existsSync(`${out}.journal`)]).toEqual([Array(100).fill('ok'), false]);
    expect(await billOf(baseUrl)).toHaveLength(100);
  });
});

describe('a real pipe', () => {
  it('takes resolve into person', async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home });
    const file = linesFile(['ada-sample-1', 'nobody-here', 'https://www.profnet.example/', '9007199254740993']);
    const script = `set -o pipefail; pdi resolve -i '${file}' -o ndjson | pdi person -i - -o csv --fields person_id,profnet_num_id`;
    const { stdout } = await shell(script, { home, baseUrl }).ended;
    expect(rowsOf(stdout).map(({ person_id, profnet_num_id, pdi_status }) => [person_id, profnet_num_id, pdi_status])).toEqual([
      ['per_sample1', '700000001', 'ok'],
      ['', '', 'not_found'],
      ['', '', 'invalid'],
      ['per_sample3', '9007199254740993', 'ok'],
    ]);
  });

  it('that is closed early is no error', async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home });
    // The first run with a store says that it keeps answers.
    await pdi(['person', 'per_sample1'], { home, baseUrl }).ended;
    const { stdout, stderr } = await shell(`pdi person ${personIds(40, 2).join(' ')} -o ndjson | head -n 1`, { home, baseUrl }).ended;
    expect(stdout).toMatch(/^\{"person_id":"per_sample2".*\n$/);
    expect(stderr).toBe('');
  });
});
