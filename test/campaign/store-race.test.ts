/** Processes that race for the same answers and share a book, some of them killed or stopped for a while: the sandbox's bill is the judge. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, newFile, rowsIn } from '../support/service.ts';
import { amount, long, luck, seed } from './effort.ts';
import { engines, type Ground } from './engines.ts';
import { type Place, pdi, type Running } from './process.ts';

const racers = 8;
const ids = personIds(amount(40, 200));
const rounds = Number(process.env.PDI_CAMPAIGN_ROUNDS ?? amount(1, 200));

/** Every racer asks for the same ids in an order of its own; a third of them are killed on their way, a third stand still for a while. */
function startRacer(place: Place, draw: () => number): Running & { readonly out: string } {
  const shuffled = ids
    .map((id) => ({ id, rank: draw() }))
    .sort((one, other) => one.rank - other.rank);
  const out = newFile('out.csv');
  const argv = [
    'person',
    '-i',
    linesFile(shuffled.map(({ id }) => id)),
    '--out',
    out,
    '--concurrency',
    String(1 + Math.floor(draw() * 8)),
  ];
  const running = pdi([...argv, '--max-billable', 'unlimited'], place);
  // Longer than a lease, too.
  const pause = long && draw() < 0.05 ? 33_000 : draw() * 500;
  void harm(running, draw() * 3, 100 + draw() * 400, pause);
  return { ...running, out };
}

async function harm(
  { child }: Running,
  which: number,
  after: number,
  pause: number,
): Promise<void> {
  if (which >= 2) return;
  await setTimeout(after);
  child.kill(which < 1 ? 'SIGKILL' : 'SIGSTOP');
  await setTimeout(pause);
  child.kill('SIGCONT');
}

async function race(round: number, ground: Ground): Promise<void> {
  const draw = luck('store-race', round);
  const sandbox = await startSandbox({ people: 300, latency: Math.floor(draw() * 30) });
  try {
    const place = { home: newFolder(), baseUrl: sandbox.baseUrl, env: ground.env };
    const told = `seed ${seed}, round ${round}`;
    const trouble = ground.trouble(draw);
    const started = Array.from({ length: racers }, () => startRacer(place, draw));
    const ends = await unlessStuck(Promise.all(started.map(({ ended }) => ended)), told);
    for (const [racer, { signal, stderr, code }] of ends.entries()) {
      if (signal === 'SIGKILL') continue;
      const rows = rowsIn(started[racer]?.out ?? '');
      expect(rows.length, `${told}: ${stderr}`).toBe(ids.length);
      expect([0, 8], `${told}: ${stderr}`).toContain(code);
    }
    await trouble;
    await ground.pass(sandbox.baseUrl);
    const out = newFile('last.csv');
    const last = await pdi(
      ['person', '-i', linesFile(ids), '--out', out, '--max-billable', 'unlimited'],
      place,
    ).ended;
    expect([0, 8], `${told}: ${last.stderr}`).toContain(last.code);
    const billed = sandbox.bill().map(({ item }) => item);
    const twice = billed.filter((id, at) => billed.indexOf(id) !== at);
    expect(twice, `${told}: billed twice`).toEqual([]);
    const rows = rowsIn(out);
    const inputs = rows.map(({ input }) => input);
    expect(inputs, `${told}: ${last.stderr}`).toEqual(ids);
    const others = rows.filter(({ pdi_status }) => pdi_status !== 'ok' && pdi_status !== 'unknown');
    expect(others, `${told}: neither billed nor named unknown`).toEqual([]);
    const unbilled = rows.filter(
      ({ input = '', pdi_status }) => pdi_status === 'ok' && !billed.includes(input),
    );
    expect(unbilled, `${told}: ok, and never billed`).toEqual([]);
  } finally {
    await sandbox.stop();
  }
}

/** The longest patience of one run for another is 90 s. */
async function unlessStuck<T>(ending: Promise<T>, told: string): Promise<T> {
  const over = new AbortController();
  const late = setTimeout(100_000, undefined, { signal: over.signal }).then(() =>
    Promise.reject(new Error(`${told}: stuck`)),
  );
  return Promise.race([ending, late]).finally(() => over.abort());
}

for (const { name, needs, ground } of engines)
  it(`${racers} processes over one list of ${ids.length} ids, ${rounds} rounds, in ${name}: nothing is billed twice, nothing is lost`, {
    ...needs,
    timeout: long ? 3_600_000 : 240_000,
  }, async () => {
    const there = await ground();
    for (let round = 0; round < rounds; round += 1) await race(round, there);
  });
