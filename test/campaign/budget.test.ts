/** A budget that many processes share, on good days and bad: the sandbox's bill is the judge. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { personIds } from '../support/records.ts';
import { callsOf, linesFile } from '../support/service.ts';
import { amount, luck, seed } from './effort.ts';
import { engines } from './engines.ts';
import { type Ended, onSmallDisk, type Place, pdi, sandboxPlace, withClock } from './process.ts';

const processes = amount(3, 8);
// One process alone can use the budget up, however late the others start.
const tries = amount(30, 1000);
const triesAtFaults = amount(30, 8000);
const budget = amount(20, 500);

const service = (options: SandboxOptions = {}, env: Place['env'] = {}) =>
  sandboxPlace(
    { people: processes * Math.max(tries, triesAtFaults), ...options },
    { PDI_BUDGET: `${budget}/month`, ...env },
  );

/** Process number `at` of those that share the work; no two ask for the same. */
const jobOf = (at: number, count = tries) => {
  const file = linesFile(personIds(count, at * count + 1));
  return [
    'person',
    '-i',
    file,
    '-o',
    'csv',
    '--max-billable',
    'unlimited',
    '--concurrency',
    '8',
    '--fields',
    'person_id',
  ];
};

const all = (place: Place, count = tries): Promise<Ended[]> =>
  Promise.all(Array.from({ length: processes }, (_, at) => pdi(jobOf(at, count), place).ended));

describe(`a budget (seed ${seed})`, () => {
  const many = { timeout: 300_000 };

  for (const { name, needs, ground } of engines) {
    it(`of ${budget} calls, ${processes} processes, ${processes * tries} tries: ${budget} are billed, and every run says why it ended, in ${name}`, {
      ...many,
      ...needs,
    }, async () => {
      const { sandbox, place } = await service({}, (await ground()).env);
      const ended = await all(place);
      expect(sandbox.bill()).toHaveLength(budget);
      for (const { code, stderr } of ended) {
        expect([code, stderr]).toEqual([
          7,
          expect.stringContaining(
            `the budget of ${budget} calls a month is used up this month (UTC)`,
          ),
        ]);
        // Another process may be between the line of a call past the budget and its refusal.
        expect(stderr).toMatch(
          new RegExp(`; budget: \\d+ of ${budget} calls a month used, 0 left\\n`),
        );
      }
    });

    it(`the same over ${processes * triesAtFaults} tries, where one call in five is refused: what was not billed costs nothing, in ${name}`, {
      ...many,
      ...needs,
    }, async () => {
      const fault = [{ name: '503', probability: 0.2 }] as const;
      const { sandbox, place } = await service({ fault, seed }, (await ground()).env);
      await all(place, triesAtFaults);
      expect(sandbox.bill()).toHaveLength(budget);
    });
  }

  it('with kills: never more, and each call that a kill cut off is named', many, async () => {
    for (let round = 0; round < amount(1, 10); round += 1) {
      const draw = luck('budget-kills', round);
      const { sandbox, place } = await service({ latency: 5 });
      for (let wave = 0; wave < amount(2, 3); wave += 1) {
        const running = Array.from({ length: processes }, (_, at) => pdi(jobOf(at), place));
        await setTimeout(100 + draw() * 400);
        for (const { child } of running) if (draw() < 0.7) child.kill('SIGKILL');
        await Promise.all(running.map(({ ended }) => ended));
      }
      await all(place);
      const billed = sandbox.bill().map(({ item }) => item);
      const told = `seed ${seed}, round ${round}`;
      expect(billed.length, told).toBeLessThanOrEqual(budget);
      const ledger = await callsOf(place);
      const used = ledger.filter(([, outcome]) => outcome !== 'not_billed').map(([item]) => item);
      // A process that was killed between the line of a call past the budget and its refusal leaves one line more.
      expect(used.length, told).toBeGreaterThanOrEqual(budget);
      const unnamed = billed.filter((item) => !used.includes(item));
      expect(unnamed, told).toEqual([]);
    }
  });

  it('with processes that stand still for a while: as many as it says', many, async () => {
    const draw = luck('budget-pauses', 0);
    const { sandbox, place } = await service({ latency: 5 });
    const running = Array.from({ length: processes }, (_, at) => pdi(jobOf(at), place));
    for (const { child } of running) {
      await setTimeout(draw() * 100);
      child.kill('SIGSTOP');
      void setTimeout(200 + draw() * 300).then(() => child.kill('SIGCONT'));
    }
    await Promise.all(running.map(({ ended }) => ended));
    expect(sandbox.bill()).toHaveLength(budget);
  });

  it('on disks that fill up: never more', many, async () => {
    for (let round = 0; round < amount(1, 20); round += 1) {
      const draw = luck('budget-disk', round);
      const { sandbox, place } = await service();
      const full = Array.from(
        { length: 4 },
        (_, at) => onSmallDisk(4 + Math.floor(draw() * 40), jobOf(at), place).ended,
      );
      for (const { code, stderr } of await Promise.all(full))
        expect([1, 7], stderr).toContain(code);
      const ended = await all(place);
      expect(sandbox.bill().length, `seed ${seed}, round ${round}`).toBeLessThanOrEqual(budget);
      for (const { code, stderr } of ended) expect(code, stderr).toBe(7);
    }
  });

  it('over midnight, with a clock that is set back', many, async () => {
    const { sandbox, place } = await service();
    const day = 24 * 3_600_000;
    const daily = { ...place, env: { PDI_BUDGET: '10/day' } };
    const bills: number[] = [];
    for (const shift of [0, day, 0, -day, day]) {
      expect((await pdi(jobOf(Math.abs(shift / day)), withClock(daily, shift)).ended).code).toBe(7);
      bills.push(sandbox.bill().length);
    }
    expect(bills).toEqual([10, 20, 20, 30, 30]);
  });
});
