/** What is in doubt after a kill: what the service was asked, by its own account, and not what waited for its turn. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { idIn, personIds, profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { answering, newFile, rowsIn } from '../support/service.ts';
import { long } from './effort.ts';
import { eventually, jobOfPeople, pdi } from './process.ts';

const refused = {
  'x-ratelimit-limit': '10',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '0.033',
};

/** Ten at once, and thirty a second. */
async function limitedPeople() {
  let [tokens, filledAt, answered] = [10, performance.now(), 0];
  const service = await answering(async ({ path }) => {
    const now = performance.now();
    [tokens, filledAt] = [Math.min(10, tokens + ((now - filledAt) * 30) / 1000), now];
    const isLimited = tokens < 1;
    if (!isLimited) tokens -= 1;
    await setTimeout(60);
    if (!isLimited) answered += 1;
    return isLimited
      ? { status: 429, headers: refused, json: { errorCode: 'RATE_LIMITED' } }
      : profile(path);
  });
  return { service, answered: () => answered };
}

it.each(long ? [4, 16, 64] : [16])(
  'with %i at once a kill leaves unknown what the service was asked',
  { timeout: 60_000 },
  async (concurrency) => {
    const { service, answered } = await limitedPeople();
    const place = { home: newFolder(), baseUrl: service.baseUrl };
    const out = newFile('out.csv');
    const job = jobOfPeople(personIds(80), '--out', out, '--concurrency', String(concurrency));
    const earlier = new Set<string>();
    const unasked: number[] = [];
    for (const enough of [30, 50]) {
      const running = pdi(job, place);
      await eventually(() => answered() >= enough || undefined);
      running.child.kill('SIGKILL');
      await running.ended;
      // It asks nothing more, and says what it knows of each row.
      await pdi([...job, '--budget', '1/day'], place).ended;
      const asked = new Set(service.requests.map(({ path }) => idIn(path)));
      const unknown = rowsIn(out).flatMap(({ input = '', pdi_status }) =>
        pdi_status === 'unknown' ? input : [],
      );
      unasked.push(unknown.filter((id) => !asked.has(id) && !earlier.has(id)).length);
      for (const id of unknown) earlier.add(id);
    }
    // A busy machine may stop the process once between its notes and its requests; who waits for a turn would be nearly all, each time.
    expect(Math.min(...unasked)).toBeLessThanOrEqual(concurrency / 4);
  },
);
