/** What a journal keeps when the disk fills up. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JobFile, type JobFileOptions, openJobFile } from '../../src/book/job-file.ts';
import { lockOutput } from '../../src/files/lock.ts';
import { diskWithRoom, failureOf, identity, newFolder, outcomeOf, told } from './places.ts';

const newPath = (): string => join(newFolder(), 'people.csv.journal');

const open = async (path: string, more: Partial<JobFileOptions> = {}): Promise<JobFile> =>
  openJobFile({ path, identity, restart: false, retryUnknown: false, lock: await lockOutput(path, path), ...more });

const record = `{"about":"${'é'.repeat(100_000)}"}`;
const answer = { status: 'ok', record } as const;
const mebi = 1024 * 1024;

describe('a full disk', () => {
  test('stops the next call, never an answer on its way', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1000, max: 4 * mebi }), fc.integer({ min: 1, max: 8 }), async (room, atOnce) => {
        const path = newPath();
        const journal = await open(path, { write: diskWithRoom(room).write });
        const onTheirWay: string[] = [];
        let answered = 0;
        const failure = await failureOf(async () => {
          for (let number = 0; number < 120; number += 1) {
            journal.sent(`per_${number}`);
            onTheirWay.push(`per_${number}`);
            if (onTheirWay.length === atOnce) {
              journal.answered(onTheirWay.shift() ?? '', outcomeOf(answer));
              answered += 1;
            }
          }
        });
        expect(failure).toMatchObject({ code: 'internal', details: { billed: 'no' } });
        expect(failure.message).toMatch(/no space left on the disk; per_\d+: the call was not sent$/);
        for (const item of onTheirWay) journal.answered(item, outcomeOf(answer));
        journal.close();
        const resumed = await open(path);
        const statuses = Array.from({ length: 120 }, (_, number) => resumed.known(`per_${number}`)?.status);
        expect(statuses.filter((status) => status === 'ok')).toHaveLength(answered + onTheirWay.length);
        expect(statuses).not.toContain('unknown');
        expect(told(resumed.known('per_0'))).toEqual(answered + onTheirWay.length > 0 ? answer : undefined);
        resumed.close();
      }),
      { numRuns: 15 },
    ));
  test('in the midst of several lines keeps those that are whole, and says so of the others', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 4000 }), async (atOnce, room) => {
        const path = newPath();
        const disk = diskWithRoom(8 * mebi);
        const journal = await open(path, { write: disk.write });
        const items = Array.from({ length: atOnce }, (_, number) => `per_${number}`);
        for (const item of items) journal.sent(item);
        const size = statSync(path).size;
        const long = { status: 'ok', record: `{"about":"${'x'.repeat(mebi)}"}` } as const;
        disk.free(room - 8 * mebi + size);
        const saved = await Promise.allSettled(items.map(async (item) => journal.answered(item, outcomeOf(long))));
        for (const one of saved) if (one.status === 'rejected') expect(one.reason).toMatchObject({ details: { billed: 'unknown' } });
        journal.close();
        const resumed = await open(path);
        const statuses = saved.map(({ status }) => (status === 'fulfilled' ? 'ok' : 'unknown'));
        expect(items.map((item) => resumed.known(item)?.status)).toEqual(statuses);
        resumed.close();
      }),
      { numRuns: 15 },
    ));

  test('at the header leaves no lock behind', async () => {
    const path = newPath();
    expect((await failureOf(() => open(path, { write: diskWithRoom(10).write }))).code).toBe('internal');
    (await open(path)).remove();
  });
});

test('room taken ahead is given back at the end, and does no harm where it is not', async () => {
  const path = newPath();
  const journal = await open(path);
  for (const item of ['one', 'two']) journal.sent(item);
  journal.answered('one', outcomeOf(answer));
  expect(statSync(path).size).toBeGreaterThan(mebi / 2);
  const killed = newPath();
  writeFileSync(killed, readFileSync(path));
  journal.close();
  expect(readFileSync(path, 'utf8')).not.toContain('  ');
  const resumed = await open(killed);
  expect([told(resumed.known('one')), resumed.known('two')?.status]).toEqual([answer, 'unknown']);
  resumed.close();
  expect(readFileSync(killed).equals(readFileSync(path))).toBe(true);
});
