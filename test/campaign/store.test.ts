import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { gate } from '../support/later.ts';
import { startOrigin } from '../support/origin.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { rowsOf } from '../support/service.ts';
import { seed } from './effort.ts';
import { forwarded, standStill } from './pause.ts';
import { type Ended, eventually, jobOfPeople, type Place, pdi } from './process.ts';

async function sandboxed(latency = 0): Promise<{ readonly sandbox: Sandbox; readonly place: Place }> {
  const sandbox = await startSandbox({ people: 300, latency });
  onTestFinished(() => sandbox.stop());
  return { sandbox, place: { home: newFolder(), baseUrl: sandbox.baseUrl } };
}

const billed = (sandbox: Sandbox): readonly string[] => sandbox.bill().map(({ item }) => item);
const twice = (sandbox: Sandbox): readonly string[] => billed(sandbox).filter((id, at, all) => all.indexOf(id) !== at);
const statuses = ({ stdout }: Ended): Readonly<Record<string, string>> =>
  Object.fromEntries(rowsOf(stdout).map(({ input = '', pdi_status = '' }) => [input, pdi_status]));

describe(`bought once (seed ${seed})`, () => {
  it('a process that stands still holds up only what it is buying, and its answers are kept when it goes on', async () => {
    const sandbox = await startSandbox({ people: 100 });
    onTestFinished(() => sandbox.stop());
    const { opened: isOpen, open: letGo } = gate();
    let waiting = 0;
    // With both of its calls under way it has nothing to write: a process that is stopped while it writes would hold the whole book.
    const origin = await startOrigin(async (request, _response, count) => {
      const answer = await forwarded(sandbox, request);
      if (count !== 5 && count !== 6) return answer;
      waiting += 1;
      await isOpen;
      return answer;
    });
    onTestFinished(() => origin.close());
    const place = { home: newFolder(), baseUrl: origin.baseUrl };
    const ids = personIds(30);
    const first = pdi(jobOfPeople(ids, '--concurrency', '2'), place);
    let second: Ended | undefined;
    await eventually(() => (waiting === 2 ? true : undefined));
    await standStill(first, 0, async () => {
      second = await pdi(jobOfPeople(ids, '--timeout', '0.3', '--max-wait', '0.2'), place).ended;
    });
    letGo();
    const ended = Object.values(statuses(second ?? { code: null, signal: null, stdout: '', stderr: '' }));
    expect(ended.filter((status) => status === 'failed').length).toBeLessThanOrEqual(2);
    expect(ended.filter((status) => status === 'ok').length).toBeGreaterThanOrEqual(28);
    expect((await first.ended).code).toBe(0);
    const last = await pdi(jobOfPeople(ids), place).ended;
    expect([last.code, twice(sandbox), sandbox.bill().length]).toEqual([0, [], 30]);
  });

  it('a clock that was set forward, or back by minutes: what was bought is not bought again; an answer from a time to come is not taken', async () => {
    const clock = fileURLToPath(new URL('clock.cjs', import.meta.url));
    const hour = 3_600_000;
    const days = [
      [0, -hour / 6, 20],
      [0, 6 * hour, 20],
      [-48 * hour, -40 * hour, 20],
      [0, -24 * hour, 40],
      [400 * 24 * hour, 0, 40],
    ] as const;
    const lived = async ([first, second, bought]: (typeof days)[number]) => {
      const { sandbox, place } = await sandboxed();
      const at = (shift: number): Place => ({ ...place, env: { NODE_OPTIONS: `--require=${clock}`, CLOCK_SHIFT: String(shift) } });
      const ids = personIds(20);
      expect((await pdi(jobOfPeople(ids), at(first)).ended).code).toBe(0);
      expect((await pdi(jobOfPeople(ids), at(second)).ended).code).toBe(0);
      expect([first, second, billed(sandbox).length]).toEqual([first, second, bought]);
    };
    await Promise.all(days.map(lived));
  });
});
