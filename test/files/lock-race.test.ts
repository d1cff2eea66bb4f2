/** Many short runs that race for one lock, again and again: an owner deletes its file as it ends, while others are about to queue in it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle, ended, start } from '../money/child.ts';
import { newFolder } from '../money/places.ts';
import { linesOf } from '../support/service.ts';

const racers = 4;
const runs = 400;

test('a lock never has two inside, however close an owner ends before the next', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'living'), Buffer.alloc(racers * Float64Array.BYTES_PER_ELEMENT));
  const race = await bundle('lock-race', folder);
  const children = Array.from({ length: racers }, (_, racer) => start(race, folder, `${racer}`, `${runs}`));
  expect(await Promise.all(children.map(ended))).toEqual(Array(racers).fill(0));
  const log = linesOf(readFileSync(join(folder, 'log'), 'utf8')).map((line) => line.split(' '));
  expect(log).toHaveLength(racers * runs * 2);
  // Who enters is the next to leave.
  const meetings = log.filter(([word, run], place) => word === 'enter' && log[place + 1]?.join(' ') !== `leave ${run}`);
  expect(meetings).toEqual([]);
});
