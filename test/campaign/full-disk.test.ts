import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idIn, personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { answering, ledgerFileOf, ledgerOf, linesFile, newFile, rowsIn, statusesIn } from '../support/service.ts';
import { onSmallDisk, pdi } from './process.ts';

/** A service whose profiles have this much in them, and what it was asked. */
async function serviceOf(extra: object) {
  const service = await answering(({ path }) => ({ json: { person_id: idIn(path), ...extra } }));
  return { baseUrl: service.baseUrl, asked: () => service.requests.map(({ path }) => idIn(path)) };
}

const jobOf = (count: number, ...more: string[]) => {
  const out = newFile();
  const limits = ['--concurrency', '2'];
  return { out, journal: `${out}.journal`, argv: ['person', '-i', linesFile(personIds(count)), '--out', out, ...limits, ...more] };
};

/** Gives a home a ledger with room for the line before a call, and none for the line after it; the size of its disk in KiB. */
function nearlyFullLedger(home: string): number {
  const limit = 2048;
  const folder = join(home, 'state', 'pdi');
  mkdirSync(folder, { recursive: true });
  writeFileSync(ledgerFileOf({ home }), `${'-'.repeat(limit * 1024 - 301)}\n`);
  return limit;
}

describe('a disk that fills up', () => {
  it('under the journal: ends with exit 1 before the next call, and nothing that was bought is lost', async () => {
    const { baseUrl, asked } = await serviceOf({ about: 'x'.repeat(100_000) });
    const home = newFolder();
    const { out, journal, argv } = jobOf(30, '-o', 'csv', '--fields', 'person_id');
    const full = await onSmallDisk(1500, argv, { home, baseUrl }).ended;
    expect([full.code, full.stdout]).toEqual([1, '']);
    expect(full.stderr).toContain(`cannot write ${journal}`);
    const bought = asked().length;
    expect(bought).toBeGreaterThan(2);
    expect(bought).toBeLessThan(30);
    expect(statusesIn(out)).toEqual([...Array(bought).fill('ok'), ...Array(30 - bought).fill('skipped')]);
    const ledger = await ledgerOf({ home });
    expect(
      ledger
        .filter(([, outcome]) => outcome === 'billed')
        .map(([item]) => item)
        .sort(),
    ).toEqual(asked().sort());
    expect(ledger.filter(([, outcome]) => outcome === 'lost')).toEqual([]);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect(asked().sort()).toEqual(personIds(30).sort());
    expect(statusesIn(out)).toEqual(Array(30).fill('ok'));
  });

  it('under FILE: exit 1, no half file, and the next run buys nothing again', async () => {
    const { baseUrl, asked } = await serviceOf({ numbers: Array(3000).fill(1) });
    const home = newFolder();
    const { out, journal, argv } = jobOf(90, '-o', 'json');
    const full = await onSmallDisk(1600, argv, { home, baseUrl }).ended;
    expect([full.code, existsSync(out), existsSync(journal)]).toEqual([1, false, true]);
    expect(full.stderr).toContain(`cannot write to ${out}`);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect(asked().sort()).toEqual(personIds(90).sort());
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(90);
  });

  it('under the ledger, before a call: nothing is sent', async () => {
    const { baseUrl, asked } = await serviceOf({});
    const home = newFolder();
    mkdirSync(join(home, 'state', 'pdi'), { recursive: true });
    symlinkSync('/dev/full', ledgerFileOf({ home }));
    const { argv } = jobOf(5, '-o', 'csv');
    const full = await pdi(argv, { home, baseUrl }).ended;
    expect([full.code, asked()]).toEqual([1, []]);
    expect(full.stderr).toContain('cannot write the spend ledger');
  });

  it('under the ledger, after a call: the answer is kept, the run ends, the call stands as lost', async () => {
    const { baseUrl, asked } = await serviceOf({});
    const home = newFolder();
    const limit = nearlyFullLedger(home);
    const { out, argv } = jobOf(5, '-o', 'csv', '--fields', 'person_id', '--concurrency', '1');
    const full = await onSmallDisk(limit, argv, { home, baseUrl }).ended;
    expect([full.code, asked()]).toEqual([1, ['per_sample1']]);
    expect(full.stderr).toContain('cannot write the spend ledger');
    expect(statusesIn(out)).toEqual(['ok', ...Array(4).fill('skipped')]);
    expect(rowsIn(out)[0]).toMatchObject({ person_id: 'per_sample1' });
    expect(await ledgerOf({ home })).toEqual([['per_sample1', 'lost']]);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect(asked()).toEqual(personIds(5));
  });

  it('under the ledger, after a call that found nothing: that is printed all the same', async () => {
    const service = await answering(() => ({ json: [] }));
    const home = newFolder();
    const limit = nearlyFullLedger(home);
    const argv = ['investors', '--name', 'Invented Capital', '-o', 'json'];
    const full = await onSmallDisk(limit, argv, { home, baseUrl: service.baseUrl }).ended;
    expect([full.code, full.stdout]).toEqual([1, '[]\n']);
    expect(full.stderr).toContain('cannot write the spend ledger');
  });

  it.each([
    ['a job', ['person', '-i', linesFile(['per_sample1']), '-o', 'csv'], 'per_sample1'],
    ['a job into a file', ['person', '-i', linesFile(['per_sample1']), '-o', 'csv', '--out', newFile()], 'per_sample1'],
    ['a lookup', ['person', 'per_sample1', '-o', 'csv'], 'per_sample1'],
    ['pages', ['feed', '--all', '-o', 'csv'], 's1'],
  ])(
    'under the ledger, after the last call of %s: the answer is written, and exit 1 says that the ledger lacks it',
    async (_what, argv, id) => {
      const record = { person_id: 'per_sample1', signal_id: 's1' };
      const service = await answering(({ path }) => ({ json: path.includes('investor-interest') ? [record] : record }));
      const home = newFolder();
      const full = await onSmallDisk(nearlyFullLedger(home), argv, { home, baseUrl: service.baseUrl }).ended;
      const out = argv.indexOf('--out');
      const written = out === -1 ? full.stdout : readFileSync(argv[out + 1] ?? '', 'utf8');
      expect([full.code, service.requests.length, written.includes(id)]).toEqual([1, 1, true]);
      expect(full.stderr).toContain('cannot write the spend ledger');
      expect((await ledgerOf({ home })).map(([, outcome]) => outcome)).toEqual(['lost']);
    },
  );

  it('under a device: exit 1, what it cost, no trace', async () => {
    const { baseUrl, asked } = await serviceOf({});
    const home = newFolder();
    const job = ['person', '-i', linesFile(personIds(5)), '-o', 'csv'];
    const { ended } = pdi([...job, '--out', '/dev/full'], { home, baseUrl });
    const { code, stdout, stderr } = await ended;
    expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 4]);
    const billed = asked().length;
    expect(stderr).toContain(`pdi: 0 rows; ${billed} calls billed; run the same command again: it asks only for the rest\n`);
    expect(stderr).toContain('no space left on the disk');
    expect((await pdi(job, { home, baseUrl }).ended).code).toBe(0);
    expect(asked().sort()).toEqual(personIds(5));
  });
});
