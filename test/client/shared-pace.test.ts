/** Runs that keep one pace: over a service and a clock of the test, and over loopback. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBookFile } from '../../src/book/book-file.ts';
import { sharedPaceIn } from '../../src/book/shared-pace.ts';
import { Pace } from '../../src/client/pace.ts';
import { RateLimiter, type SharedPace } from '../../src/client/rate-limiter.ts';
import { bookOptions, facts } from '../book/places.ts';
import { actors } from '../support/actor.ts';
import { later } from '../support/later.ts';
import { newFolder } from '../support/run.ts';
import { getPerson, ok, serve } from './calling.ts';
import { type Decide, fixedWindow, tokenBucket, untold } from './limited-service.ts';

interface Together {
  readonly runs: number;
  readonly service: Decide;
  readonly latencyMs?: number;
  /** Then the first run is killed, with what it has under way. */
  readonly killedAt?: number;
}

/** 200 requests by so many runs. */
function together({ runs, service, latencyMs = 100, killedAt }: Together) {
  const paces = Array.from(
    { length: runs },
    (_, run) => new Pace(undefined, 16, { startsWith: 4, name: `run ${run}` }),
  );
  const open = paces.map(() => 200 / runs);
  const looksAt: number[] = [];
  const underWay: {
    readonly run: number;
    readonly sentAt: number;
    readonly decision: ReturnType<Decide>;
  }[] = [];
  let [kept, refused, now]: [string | undefined, number, number] = [undefined, 0, 0];
  const change = (run: number, work: (pace: Pace) => unknown) => {
    const pace = paces[run]?.joined(kept, now, 0) ?? paces[run]?.copy() ?? new Pace();
    work(pace);
    paces[run] = pace;
    kept = pace.kept(now, 0);
  };
  const isAlive = (run: number) => run > 0 || killedAt === undefined || now < killedAt;
  const isOver = () =>
    underWay.length === 0 && open.every((left, run) => left === 0 || !isAlive(run));
  for (; !isOver(); now += 1) {
    if (now > 200_000) throw new Error('nobody goes on');
    for (
      let [next] = underWay;
      next !== undefined && next.sentAt + latencyMs <= now;
      [next] = underWay
    ) {
      const { run, sentAt, decision } = underWay.shift() ?? next;
      const { limited, limit, reset } = decision;
      if (limited) refused += 1;
      if (limited) open[run] = (open[run] ?? 0) + 1;
      if (isAlive(run))
        change(run, (pace) =>
          pace.answered(now, sentAt, limited ? { limited, limit, resetMs: reset } : { limited }),
        );
    }
    for (let step = 0; step < runs; step += 1) {
      const run = (step + now) % runs;
      if (open[run] === 0 || !isAlive(run) || now < (looksAt[run] ?? 0)) continue;
      const wait = (paces[run]?.joined(kept, now, 0) ?? paces[run])?.delay(now) ?? 0;
      looksAt[run] = now + Math.min(25, wait + 1);
      if (wait > 0) continue;
      open[run] = (open[run] ?? 0) - 1;
      change(run, (pace) => pace.sent(now));
      underWay.push({ run, sentAt: now, decision: service(now + latencyMs / 2) });
    }
  }
  return { endedAt: now, refused };
}

test.each([
  [1, 1.05],
  [2, 1.1],
  [4, 1.1],
  [8, 1.2],
])('%i runs at ten a second take %d of the ideal time at most, with few refusals', (runs, most) => {
  for (const latencyMs of [20, 100, 300]) {
    const { endedAt, refused } = together({ runs, service: tokenBucket(10, 10), latencyMs });
    expect(endedAt / (19_000 + latencyMs)).toBeLessThan(most);
    expect(refused).toBeLessThanOrEqual(2 + runs);
  }
});

test.each([
  ['a bucket that tells no limit', () => untold(tokenBucket(10, 10))],
  ['a window', () => fixedWindow(10, 1000, 370)],
])('eight runs go on to the end before %s, also where one is killed', (_name, service) => {
  for (const killedAt of [undefined, 150, 900, 5000]) {
    expect(
      together({ runs: 8, service: service(), ...(killedAt !== undefined && { killedAt }) })
        .endedAt,
    ).toBeLessThan(40_000);
  }
});

test('what a run learned is known to another one, by the clock on the wall, until nobody has touched it for a while', () => {
  const pace = new Pace(undefined, 16, { name: 'one' });
  pace.sent(1000);
  pace.answered(1100, 1000, { limited: true, limit: 10, resetMs: 2000 });
  const kept = pace.kept(1100, 50_000);
  const other = new Pace(undefined, 16, { name: 'other' });
  expect(other.joined(kept, 31_200, 20_000)?.delay(31_200)).toBe(1900);
  for (const now of [59_000, 40_000]) expect(other.joined(kept, now, 0)).toBeUndefined();
  expect(other.joined('{"nextAt":1', 0, 0)).toBeUndefined();
});

test('a request that is not sent after all leaves its turn to the next', () => {
  const pace = new Pace(10);
  const turn = pace.sent(0);
  expect(pace.delay(0)).toBeGreaterThan(0);
  pace.giveBack(turn);
  expect([pace.delay(0), pace.inFlight]).toEqual([0, 0]);
});

test('as many go at once as the service has taken well: one more a round trip up to the most, half as many after a 429 or 503', () => {
  const pace = new Pace(undefined, 16, { startsWith: 4 });
  const widthAt = (now: number) => {
    let sent = 0;
    for (; pace.delay(now + 20 * sent) === 0; sent += 1) pace.sent(now + 20 * sent);
    return sent;
  };
  const widths: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const sent = widthAt(round * 1000);
    widths.push(sent);
    for (let answer = 0; answer < sent; answer += 1)
      pace.answered(round * 1000 + 900, round * 1000 + 20 * answer, { limited: false });
  }
  expect([widths[0], Math.max(...widths), widths.at(-1)]).toEqual([4, 16, 16]);
  expect(widths.every((width, at) => at === 0 || width - (widths[at - 1] ?? 0) <= 1)).toBe(true);
  const sent = widthAt(30_000);
  for (let answer = 0; answer < sent; answer += 1)
    pace.answered(30_900, 30_000, { limited: false, overloaded: true });
  expect(widthAt(40_000)).toBe(8);
});

const limited = {
  status: 429,
  headers: { 'x-ratelimit-reset': '0.005' },
  json: { errorCode: 'RATE_LIMITED' },
};
const person = (id: string) => ({ path: { personId: id } });

test('a call that is refused again and again is made in the end, as long as the service takes others', async () => {
  let refusals = 0;
  const { client } = await serve(
    ({ path }) => {
      if (path.endsWith('per_1')) refusals += 1;
      return path.endsWith('per_1') && refusals <= 9 ? limited : ok;
    },
    {
      retries: 1,
      maxWaitMs: 5000,
    },
  );
  await client.call(getPerson, person('per_2'));
  await expect(client.call(getPerson, person('per_1'))).resolves.toMatchObject({ status: 200 });
  expect(refusals).toBe(10);
});

test('one that no call follows well within --max-wait is given up after its tries', async () => {
  const { client, requests } = await serve(({ path }) => (path.endsWith('per_1') ? limited : ok), {
    retries: 1,
    maxWaitMs: 30,
  });
  await client.call(getPerson, person('per_2'));
  await expect(client.call(getPerson, person('per_1'))).rejects.toMatchObject({
    code: 'rate_limited',
  });
  expect(requests.length).toBeGreaterThan(2);
});

test('a book that another process holds makes nobody wait for long: each run goes by its own pace', async () => {
  const { act } = await actors();
  const path = join(newFolder(), 'book.db');
  const file = await openBookFile(bookOptions({ path }));
  const pace = sharedPaceIn(file, facts.owner);
  const { client, requests } = await serve(
    (_request, _response, count) => (count === 2 ? limited : ok),
    { sharedPace: async () => pace },
  );
  for (const id of ['per_1', 'per_2']) await client.call(getPerson, person(id));
  expect(pace.look()).toContain('"spacing"');
  const holder = await act('hold', path);
  for (const id of ['per_3', 'per_4', 'per_5']) await client.call(getPerson, person(id));
  expect(requests).toHaveLength(6);
  await holder.kill();
  await pace.close();
  file.close();
});

test('a run whose calls have all been answered waits for nobody’s, once the runs go each by its own pace', async () => {
  const now = () => performance.now();
  const ahead = () => Date.now() - now();
  let other = new Pace(undefined, 100, { name: 'another run' });
  let kept: string | undefined;
  const otherDoes = (calls: number, what: 'sent' | 'answered') => {
    other = other.joined(kept, now(), ahead()) ?? other;
    for (let call = 0; call < calls; call += 1)
      what === 'sent' ? other.sent(now()) : other.answered(now(), now(), { limited: false });
    kept = other.kept(now(), ahead());
  };
  const shared: SharedPace = {
    look: () => kept,
    change: async (work) => {
      const { text, done } = work(kept);
      kept = text;
      done();
    },
  };
  const limiter = new RateLimiter(
    new Pace(undefined, 16, { name: 'this run' }),
    new AbortController().signal,
    now,
    async () => shared,
  );
  await limiter.prepare(true);
  await limiter.acquire(false);
  otherDoes(60, 'sent');
  otherDoes(20, 'answered');
  limiter.answered(now(), { limited: false }, true);
  await later(1);
  otherDoes(39, 'answered');
  otherDoes(40, 'sent');
  await expect(limiter.acquire(false)).resolves.toBeDefined();
});
