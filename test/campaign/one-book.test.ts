/**
 * One book under many processes: made at one moment, on a disk of coarse times, under clocks that differ, beside a purge and beside one
 * that is stopped. The sandbox's bill is the judge.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openBookFile } from '../../src/book/book-file.ts';
import { bookOptions, countIn } from '../book/places.ts';
import { actors } from '../support/actor.ts';
import { gate } from '../support/later.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { answering, callsOf, newFile, statusesOf } from '../support/service.ts';
import { amount } from './effort.ts';
import { forwarded, standStill } from './pause.ts';
import { type Ended, eventually, jobOfPeople, pdi, sandboxPlace, withClock } from './process.ts';

const minute = 60_000;
const jobOf = (ids: readonly string[]) => jobOfPeople(ids, '--concurrency', '4');

/** Ended well, with every row. */
function expectWhole({ code, stdout, stderr }: Ended, rows: number): void {
  expect(code, stderr).toBe(0);
  expect(statusesOf(stdout)).toEqual(Array(rows).fill('ok'));
}

it('is made by eight processes at one moment: one book, and none fails', { timeout: 900_000 }, async () => {
  const { openAtOnce } = await actors();
  for (let round = 0; round < amount(3, 100); round += 1) {
    const path = join(newFolder(), 'state', 'book.db');
    expect(await openAtOnce(path, 8)).toEqual(Array(8).fill(0));
    const file = await openBookFile(bookOptions({ path }));
    expect(countIn(file, 'SELECT count(*) AS count FROM owner')).toBe(8);
    file.close();
    expect(readdirSync(dirname(path)).filter((name) => !name.startsWith('book.db'))).toEqual([]);
  }
});

it('jobs at once lose no call of it', async () => {
  const { place, billed } = await sandboxPlace({ people: 400 });
  const ends = await Promise.all([1, 101, 201].map((from) => pdi(jobOfPeople(personIds(90, from), '--out', newFile()), place).ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  const calls = await callsOf(place);
  expect(calls.every(([, outcome]) => outcome === 'billed')).toBe(true);
  expect(calls.map(([item]) => item).sort()).toEqual([...billed()].sort());
});

it('on a disk whose times have whole seconds: three runs that start together buy each answer once', { timeout: 300_000 }, async () => {
  const coarse = fileURLToPath(new URL('coarse-times.cjs', import.meta.url));
  for (let round = 0; round < amount(2, 20); round += 1) {
    const { place, billed } = await sandboxPlace({ latency: 15 }, { NODE_OPTIONS: `--require=${coarse}` });
    const ids = personIds(90);
    const runs = [0, 30, 60].map((from) => pdi(jobOfPeople([...ids.slice(from), ...ids.slice(0, from)]), place).ended);
    for (const end of await Promise.all(runs)) expectWhole(end, 90);
    expect(billed().sort()).toEqual(ids.toSorted());
  }
});

describe('two runs at once whose clocks differ', () => {
  it.each([11, 45, 300])('by %i minutes buy nothing twice', { timeout: 300_000 }, async (minutes) => {
    for (let round = 0; round < amount(1, 10); round += 1) {
      const { place, billed, twice } = await sandboxPlace({ latency: 150 });
      const ids = personIds(40);
      const runs = [0, minutes, -minutes].map((shift) => pdi(jobOf(ids), withClock(place, shift * minute)).ended);
      for (const end of await Promise.all(runs)) expectWhole(end, 40);
      expect([minutes, twice(), billed().length]).toEqual([minutes, [], 40]);
    }
  });
});

describe('store purge --all while three runs buy', () => {
  it('takes what was there; what is bought afterwards is kept, and is not bought again', { timeout: 300_000 }, async () => {
    for (let round = 0; round < amount(2, 20); round += 1) {
      const { place, billed } = await sandboxPlace({ latency: 15 });
      const ids = personIds(90);
      const runs = [0, 1, 2].map(() => pdi(jobOf(ids), place).ended);
      await eventually(() => (billed().length > 20 ? true : undefined));
      const before = billed().length;
      expect((await pdi(['store', 'purge', '--all', '--yes'], place).ended).code).toBe(0);
      const purged = billed().length;
      for (const end of await Promise.all(runs)) expectWhole(end, 90);
      expectWhole(await pdi(jobOf(ids), place).ended, 90);
      // What was bought while the purge went on may have been there for it to delete.
      const since = billed().slice(purged);
      expect(new Set(since).size).toBe(since.length);
      expect(billed().length).toBeLessThanOrEqual(ids.length + purged);
      expect(before).toBeLessThanOrEqual(purged);
    }
  });
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
    second = await pdi(jobOfPeople(ids, '--timeout', '0.3', '--max-wait', '0.2'), place).ended;
  });
  letGo();
  const ended = statusesOf(second?.stdout ?? '');
  expect(ended.filter((status) => status === 'failed').length).toBeLessThanOrEqual(2);
  expect(ended.filter((status) => status === 'ok').length).toBeGreaterThanOrEqual(28);
  expect((await first.ended).code).toBe(0);
  const last = await pdi(jobOfPeople(ids), place).ended;
  expect([last.code, twice(), billed().length]).toEqual([0, [], 30]);
});

describe('beside a process that is stopped inside a transaction', () => {
  it('look-ups go on, the others name it after their patience or wait for it, and nothing is lost', { timeout: 60_000 }, async () => {
    const { act } = await actors();
    const { place, billed } = await sandboxPlace({ latency: 5 });
    const [had, wanted] = [personIds(20), personIds(20, 21)];
    expectWhole(await pdi(jobOfPeople(had), place).ended, 20);
    const stopped = await act('stop', join(place.home, 'state', 'pdi', 'book.db'));
    const waiting = pdi(jobOfPeople(wanted), place);
    const impatient = pdi(jobOfPeople(wanted, '--timeout', '1', '--max-wait', '1'), place).ended;
    expectWhole(await pdi(jobOfPeople(had), place).ended, 20);
    const { code, stderr } = await impatient;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`has been held for 2 s by another run (process ${stopped.pid} on `)]);
    expect([waiting.child.exitCode, billed().sort()]).toEqual([null, [...had].sort()]);
    stopped.goOn();
    expectWhole(await waiting.ended, 20);
    expect(billed().sort()).toEqual([...had, ...wanted].sort());
  });
});
