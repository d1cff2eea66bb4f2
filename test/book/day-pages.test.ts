/** The pages of one reading while the service deletes and adds records between them: nothing that was there all the time is passed over. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DayPages, unreadDays } from '../../src/book/day-pages.ts';
import { addDays, firstDay, lastDay } from '../../src/rows/days.ts';
import { streamOf } from '../../src/sandbox/dataset/random.ts';
import { DrawnFeed } from '../support/drawn-feed.ts';

const today = '2026-03-01';

/** Gives the records that a reading passed over. `isKnown`: an earlier run has read the same days. */
function passedOver(number: number, limit: number, isKnown: (id: string) => boolean): readonly string[] {
  const feed = new DrawnFeed(streamOf(number, 'pages')(0), today);
  const pages = feed.draw(0, 9) === 0 ? 60 : 8;
  for (let day = feed.draw(0, 3); day >= 0; day -= 1) feed.arrive(feed.draw(0, limit * pages), addDays(today, -day));
  const atFirst = new Set(feed.signals.map(({ signal_id: id }) => id));
  const read = new Set<string>();
  const reading = new DayPages(unreadDays({ from: firstDay, to: lastDay }), limit, isKnown);
  for (let isLast = false; !isLast; ) {
    const { days, page, limit: asked } = reading.question();
    const answer = feed.page({ after: days.from, before: days.to, page, limit: asked });
    for (const { signal_id: id } of answer) read.add(id);
    isLast = reading.note(answer.map(({ signal_id: id, signal_date: day }) => ({ id, day })));
    if (feed.draw(0, 1) === 0) feed.remove(limit);
    if (feed.draw(0, 3) === 0) feed.trickle(3, 3);
  }
  return feed.signals.map(({ signal_id: id }) => id).filter((id) => atFirst.has(id) && !read.has(id));
}

test.each([
  ['days that no run has read', () => false],
  ['days that an earlier run has read', () => true],
])('%s: what is deleted and added between two pages costs no other record', (_name, isKnown) => {
  const drawn = fc.record({ number: fc.nat(2 ** 30), limit: fc.integer({ min: 7, max: 50 }) });
  fc.assert(
    fc.property(drawn, ({ number, limit }) => {
      expect(passedOver(number, limit, isKnown)).toEqual([]);
    }),
    { numRuns: 80, seed: 5 },
  );
});
