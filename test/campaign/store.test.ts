import { describe, expect, it } from 'vitest';
import { gate } from '../support/later.ts';
import { personIds } from '../support/records.ts';
import { answering, rowsOf } from '../support/service.ts';
import { seed } from './effort.ts';
import { forwarded, standStill } from './pause.ts';
import { type Ended, eventually, jobOfPeople, pdi, sandboxPlace, withClock } from './process.ts';

const statuses = ({ stdout }: Ended): Readonly<Record<string, string>> =>
  Object.fromEntries(rowsOf(stdout).map(({ input = '', pdi_status = '' }) => [input, pdi_status]));

describe(`bought once (seed ${seed})`, () => {
  it('a process that stands still holds up only what it is buying, and its answers are kept when it goes on', async () => {
    const { sandbox, place: there, billed, twice } = await sandboxPlace({ people: 100 });
    const { opened: isOpen, open: letGo } = gate();
    let waiting = 0;
    // With both of its calls under way it has nothing to write: a process that is stopped while it writes would hold the whole book.
    const origin = await answering(async (request, _response, count) => {
      const answer = await forwarded(sandbox, request);
      if (count !== 5 && count !== 6) return answer;
      waiting += 1;
      await isOpen;
      return answer;
    });
    const place = { ...there, baseUrl: origin.baseUrl };
    const ids = personIds(30);
    const first = pdi(jobOfPeople(ids, '--concurrency', '2'), place);
    let second: Ended | undefined;
    await eventually(() => (waiting === 2 ? true : undefined));
    await standStill(first, 0, async () => {
      second = await pdi(jobOfPeople(ids, '--timeout', '3', '--max-wait', '0.2'), place).ended;
    });
    letGo();
    const ended = Object.values(
      statuses(second ?? { code: null, signal: null, stdout: '', stderr: '' }),
    );
    expect(ended.filter((status) => status === 'failed').length).toBeLessThanOrEqual(2);
    expect(ended.filter((status) => status === 'ok').length).toBeGreaterThanOrEqual(28);
    expect((await first.ended).code).toBe(0);
    const last = await pdi(jobOfPeople(ids), place).ended;
    expect([last.code, twice(), billed().length]).toEqual([0, [], 30]);
  });

  it('a clock that was set forward, or back by minutes: what was bought is not bought again; an answer from a time to come is not taken', async () => {
    const hour = 3_600_000;
    const days = [
      [0, -hour / 6, 20],
      [0, 6 * hour, 20],
      [-48 * hour, -40 * hour, 20],
      [0, -24 * hour, 40],
      [400 * 24 * hour, 0, 40],
    ] as const;
    const lived = async ([first, second, bought]: (typeof days)[number]) => {
      const { place, billed } = await sandboxPlace({});
      const ids = personIds(20);
      expect((await pdi(jobOfPeople(ids), withClock(place, first)).ended).code).toBe(0);
      expect((await pdi(jobOfPeople(ids), withClock(place, second)).ended).code).toBe(0);
      expect([first, second, billed().length]).toEqual([first, second, bought]);
    };
    await Promise.all(days.map(lived));
  });
});
