/** Runs at once whose clocks differ, and a purge while runs buy: the sandbox's bill is the judge. */
import { describe, expect, it } from 'vitest';
import { personIds } from '../support/records.ts';
import { rowsOf } from '../support/service.ts';
import { amount, long } from './effort.ts';
import { eventually, jobOfPeople, pdi, sandboxPlace, withClock } from './process.ts';

const minute = 60_000;

const jobOf = (ids: readonly string[], atOnce = 4) =>
  jobOfPeople(ids, '--concurrency', `${atOnce}`);

describe('two runs at once whose clocks differ', () => {
  it.each(long ? [11, 45, 300] : [45])(
    'by %i minutes buy nothing twice',
    { timeout: 300_000 },
    async (minutes) => {
      for (let round = 0; round < amount(1, 10); round += 1) {
        // So long that all of them are there at once, however late one starts: of a run that has ended nobody knows its clock.
        const { place, billed, twice } = await sandboxPlace({ latency: 500 });
        const ids = personIds(amount(16, 40));
        const shifts = [0, minutes * minute, -minutes * minute];
        const runs = shifts.map((shift) => pdi(jobOf(ids, 2), withClock(place, shift)).ended);
        for (const { code, stdout, stderr } of await Promise.all(runs)) {
          expect(code, stderr).toBe(0);
          expect(rowsOf(stdout).every(({ pdi_status }) => pdi_status === 'ok')).toBe(true);
        }
        expect([minutes, twice(), billed().length]).toEqual([minutes, [], ids.length]);
      }
    },
  );
});

describe('store purge --all while three runs buy', () => {
  it('takes what was there; what is bought afterwards is kept, and is not bought again', {
    timeout: 300_000,
  }, async () => {
    for (let round = 0; round < amount(1, 20); round += 1) {
      const { place, billed } = await sandboxPlace({ latency: 15 });
      const ids = personIds(90);
      const runs = [0, 1, 2].map(() => pdi(jobOf(ids), place).ended);
      await eventually(() => (billed().length > 20 ? true : undefined));
      const before = billed().length;
      expect((await pdi(['store', 'purge', '--all', '--yes'], place).ended).code).toBe(0);
      const purged = billed().length;
      for (const { code, stderr } of await Promise.all(runs)) expect(code, stderr).toBe(0);
      const last = await pdi(jobOf(ids), place).ended;
      expect(last.code, last.stderr).toBe(0);
      // What was bought while the purge went on may have been there for it to delete.
      const since = billed().slice(purged);
      expect(new Set(since).size).toBe(since.length);
      expect(billed().length).toBeLessThanOrEqual(ids.length + purged);
      expect(before).toBeLessThanOrEqual(purged);
    }
  });
});
