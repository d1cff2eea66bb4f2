import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idIn, personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import {
  answering,
  callsOf,
  linesFile,
  newFile,
  statusesIn,
  statusesOf,
} from '../support/service.ts';
import { onSmallDisk, type Place, pdi, sandboxPlace, shell } from './process.ts';

/** A service whose profiles have this much in them, and what it was asked. */
async function serviceOf(extra: object) {
  const service = await answering(({ path }) => ({ json: { person_id: idIn(path), ...extra } }));
  return { baseUrl: service.baseUrl, asked: () => service.requests.map(({ path }) => idIn(path)) };
}

const jobOf = (count: number, ...more: string[]) => {
  const out = newFile();
  const limits = ['--concurrency', '2'];
  return {
    out,
    journal: `${out}.journal`,
    argv: ['person', '-i', linesFile(personIds(count)), '--out', out, ...limits, ...more],
  };
};

describe('a disk that fills up', () => {
  it('under the journal: ends with exit 1 before the next call, and nothing that was bought is lost', async () => {
    const { baseUrl, asked } = await serviceOf({ about: 'x'.repeat(100_000) });
    const home = newFolder();
    const { out, journal, argv } = jobOf(30, '-o', 'csv', '--fields', 'person_id');
    const full = await onSmallDisk(1500, argv, { home, baseUrl, env: { PDI_MAX_AGE: '0' } }).ended;
    expect([full.code, full.stdout]).toEqual([1, '']);
    expect(full.stderr).toContain(`cannot write ${journal}`);
    const bought = asked().length;
    expect(bought).toBeGreaterThan(2);
    expect(bought).toBeLessThan(30);
    expect(statusesIn(out)).toEqual([
      ...Array(bought).fill('ok'),
      ...Array(30 - bought).fill('skipped'),
    ]);
    const ledger = await callsOf({ home });
    const billed = ledger.filter(([, outcome]) => outcome === 'billed').map(([item]) => item);
    expect(billed.sort()).toEqual(asked().sort());
    expect(ledger.filter(([, outcome]) => outcome === 'lost')).toEqual([]);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect(asked().sort()).toEqual(personIds(30).sort());
    expect(statusesIn(out)).toEqual(Array(30).fill('ok'));
  });

  it('under the answers of a job without FILE: all rows are written, and each id is bought once', async () => {
    const { baseUrl, asked } = await serviceOf({ about: 'x'.repeat(100_000) });
    const ids = [...personIds(30), ...personIds(30)];
    const argv = [
      'person',
      ...ids,
      '-o',
      'csv',
      '--fields',
      'person_id',
      '--concurrency',
      '2',
      '--errors',
      'json',
    ];
    const full = await onSmallDisk(1500, argv, {
      home: newFolder(),
      baseUrl,
      env: { PDI_MAX_AGE: '0' },
    }).ended;
    expect([full.code, statusesOf(full.stdout)]).toEqual([0, Array(60).fill('ok')]);
    expect(asked().sort()).toEqual(personIds(30).sort());
  });

  it('under FILE: exit 1, no half file, and the next run buys nothing again', async () => {
    const { baseUrl, asked } = await serviceOf({ numbers: Array(3000).fill(1) });
    const home = newFolder();
    const { out, journal, argv } = jobOf(90, '-o', 'json');
    const full = await onSmallDisk(1600, argv, { home, baseUrl, env: { PDI_MAX_AGE: '0' } }).ended;
    expect([full.code, existsSync(out), existsSync(journal)]).toEqual([1, false, true]);
    expect(full.stderr).toContain(`cannot write to ${out}`);
    expect((await pdi(argv, { home, baseUrl }).ended).code).toBe(0);
    expect(asked().sort()).toEqual(personIds(90).sort());
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(90);
  });

  it('under the book, before a call: nothing is sent', async () => {
    const { baseUrl, asked } = await serviceOf({});
    const { argv } = jobOf(5, '-o', 'csv');
    const full = await onSmallDisk(60, argv, { home: newFolder(), baseUrl }).ended;
    expect([full.code, asked()]).toEqual([1, []]);
    expect(full.stderr).toMatch(/cannot (?:use|write) the book .*book\.db/);
  });

  it('under the room that is kept for an answer: nothing is sent', async () => {
    const { baseUrl, asked } = await serviceOf({});
    const full = await onSmallDisk(200, ['person', 'per_1'], { home: newFolder(), baseUrl }).ended;
    expect([full.code, asked()]).toEqual([1, []]);
    expect(full.stderr).toMatch(
      /cannot use the book .*book\.db: no space left on the disk.*free some space/,
    );
  });

  it.each([8, 24])(
    'under a new book (room for %d kB): room is missed, not file locks',
    async (kibibytes) => {
      const { baseUrl, asked } = await serviceOf({});
      const full = await onSmallDisk(kibibytes, ['person', 'per_1'], { home: newFolder(), baseUrl })
        .ended;
      expect([full.code, asked()]).toEqual([1, []]);
      expect(full.stderr).toMatch(
        /cannot use the book .*book\.db: the disk reports an error, or has no more room/,
      );
    },
  );

  it.each([
    ['a lookup', ['person', 'per_sample1', '-o', 'ndjson'], 'per_sample1'],
    ['an investor', ['investors', '--name', 'Invented Capital', '-o', 'ndjson'], 'per_sample1'],
  ])(
    'under the book, after the call of %s: the answer is written, and exit 1 says that the book lacks it',
    async (_what, argv, id) => {
      const record = { person_id: 'per_sample1', about: 'x'.repeat(1_500_000) };
      const service = await answering(({ path }) => ({
        json: path.includes('investors') ? [record] : record,
      }));
      const home = newFolder();
      const place = { home, baseUrl: service.baseUrl, env: { PDI_MAX_AGE: '12h' } };
      const full = await onSmallDisk(1000, argv, place).ended;
      expect([full.code, service.requests.length, full.stdout.includes(id)]).toEqual([1, 1, true]);
      expect(full.stderr).toMatch(
        /cannot use the book .*book\.db: .*; the last call stands there without its outcome/,
      );
      // Nobody buys it a second time unasked.
      expect((await pdi(argv, place).ended).code).toBe(5);
      expect(service.requests).toHaveLength(1);
    },
  );
});

describe('a process that may open few files at once', () => {
  const under = (most: number, place: Place, file: string) =>
    shell(`ulimit -n ${most}; pdi person -i ${file} -o csv --concurrency 64`, place).ended;

  it.each([48, 64])('makes as many connections as there is room for: %s', async (most) => {
    const { place, billed } = await sandboxPlace({ latency: 50 });
    const ids = personIds(66);
    const { code, stderr } = await under(most, place, linesFile(ids));
    expect([code, stderr, billed().sort()]).toEqual([0, expect.any(String), [...ids].sort()]);
  });

  it('is told so where there is room for none', async () => {
    const { place, billed } = await sandboxPlace({});
    const { code, stderr } = await under(24, place, linesFile(personIds(2)));
    expect([code, stderr, billed()]).toEqual([
      1,
      'pdi: this process may open too few files at once; allow it more: `ulimit -n 256`\n',
      [],
    ]);
  });
});
