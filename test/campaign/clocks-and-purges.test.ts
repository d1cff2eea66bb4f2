/** Runs at once whose clocks differ, and a purge while runs buy: the sandbox's bill is the judge. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { rowsOf } from '../support/service.ts';
import { amount } from './effort.ts';
import { eventually, jobOfPeople, type Place, pdi } from './process.ts';

const clock = fileURLToPath(new URL('clock.cjs', import.meta.url));
const minute = 60_000;

async function service(latency: number) {
  const sandbox = await startSandbox({ people: 300, latency });
  onTestFinished(() => sandbox.stop());
  const home = newFolder();
  const at = (shift: number): Place => ({
    home,
    baseUrl: sandbox.baseUrl,
    env: { NODE_OPTIONS: `--require=${clock}`, CLOCK_SHIFT: String(shift) },
  });
  return { at, billed: () => sandbox.bill().map(({ item }) => item) };
}

const jobOf = (ids: readonly string[]) => jobOfPeople(ids, '--concurrency', '4');
const twice = (ids: readonly string[]) => ids.filter((id, at) => ids.indexOf(id) !== at);

describe('two runs at once whose clocks differ', () => {
  it.each([11, 45, 300])('by %i minutes buy nothing twice', async (minutes) => {
    for (let round = 0; round < amount(1, 10); round += 1) {
      const { at, billed } = await service(150);
      const ids = personIds(40);
      const runs = [0, minutes * minute, -minutes * minute].map((shift) => pdi(jobOf(ids.toSorted(() => 0)), at(shift)).ended);
      for (const { code, stdout, stderr } of await Promise.all(runs)) {
        expect(code, stderr).toBe(0);
        expect(rowsOf(stdout).every(({ pdi_status }) => pdi_status === 'ok')).toBe(true);
      }
      expect([minutes, twice(billed()), billed().length]).toEqual([minutes, [], 40]);
    }
  });
});

describe('store purge --all while three runs buy', () => {
  it('takes what was there; what is bought afterwards is kept, and is not bought again', async () => {
    for (let round = 0; round < amount(2, 20); round += 1) {
      const { at, billed } = await service(15);
      const ids = personIds(90);
      const runs = [0, 1, 2].map(() => pdi(jobOf(ids), at(0)).ended);
      await eventually(() => (billed().length > 20 ? true : undefined));
      const before = billed().length;
      expect((await pdi(['store', 'purge', '--all', '--yes'], at(0)).ended).code).toBe(0);
      const purged = billed().length;
      for (const { code, stderr } of await Promise.all(runs)) expect(code, stderr).toBe(0);
      const last = await pdi(jobOf(ids), at(0)).ended;
      expect(last.code, last.stderr).toBe(0);
      // What was bought while the purge went on may have been there for it to delete.
      expect(twice(billed().slice(purged))).toEqual([]);
      expect(billed().length).toBeLessThanOrEqual(ids.length + purged);
      expect(before).toBeLessThanOrEqual(purged);
    }
  });
});
