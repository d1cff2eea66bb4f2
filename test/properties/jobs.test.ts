/** Jobs under any faults, concurrency and order of completion: every row once and in order, nothing bought twice, the cap never passed. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { later } from '../support/later.ts';
import { type Answer, type Origin, type ReceivedRequest, startOrigin } from '../support/origin.ts';
import { groupOf, idIn, itemsIn, malformed } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against, newFile, rowsIn, rowsOf } from '../support/service.ts';

/** What becomes of a call; those of the second kind leave it open whether it was billed. */
const fates = ['ok', 'ok', 'ok', 'not_found', 'limited', 'reset', 'broken', 'half', 'other'] as const;
type Fate = (typeof fates)[number];
const leavesOpen: ReadonlySet<Fate> = new Set<Fate>(['reset', 'broken', 'half', 'other']);
const mayBeBilled: ReadonlySet<Fate> = new Set<Fate>([...leavesOpen, 'ok']);

/** How the calls of one run go: fates and delays, used one after the other, again from the start when they are used up. */
interface Weather {
  readonly fates: readonly Fate[];
  readonly turns: readonly number[];
}

let weather: Weather = { fates: ['ok'], turns: [0] };
let happened: { readonly id: string; readonly fate: Fate }[] = [];
let service: Origin;
let calls = 0;

const answers: Readonly<Record<Exclude<Fate, 'reset'>, (request: ReceivedRequest) => Answer>> = {
  ok: ({ method, path, body }) => ({ json: method === 'POST' ? itemsIn(body).map(groupOf) : { person_id: idIn(path) } }),
  not_found: ({ method }) => (method === 'POST' ? malformed : { status: 404, json: {} }),
  limited: () => ({ status: 429, headers: { 'x-ratelimit-reset': '0' }, json: { errorCode: 'RATE_LIMITED' } }),
  broken: () => ({ status: 500, text: 'no JSON' }),
  half: () => ({ text: '{"person_id":' }),
  other: () => ({ json: 'of another shape' }),
};

beforeAll(async () => {
  service = await startOrigin(async (request, response) => {
    const turn = calls;
    calls += 1;
    const fate = weather.fates[turn % weather.fates.length] ?? 'ok';
    happened.push({ id: idIn(request.path), fate });
    await later(weather.turns[turn % weather.turns.length] ?? 0);
    return fate === 'reset' ? void response.destroy() : answers[fate](request);
  });
});
afterAll(() => service.close());

const weathers = fc.record({
  fates: fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 20 }),
  turns: fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }),
});
const concurrency = fc.integer({ min: 1, max: 16 });
const ids = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }).map((numbers) => numbers.map((one) => `per_${one}`));

function begin(next: Weather): void {
  [weather, happened, calls] = [next, [], 0];
}

it('a charged job, run twice: rows in order, nothing bought again that may have been, the cap never passed', {
  timeout: 60_000,
}, async () => {
  const property = fc.asyncProperty(
    ids,
    weathers,
    weathers,
    concurrency,
    fc.integer({ min: 1, max: 40 }),
    async (list, first, second, atOnce, cap) => {
      const home = newFolder();
      const out = newFile();
      const argv = ['person', '-i', '-', '--out', out, '-o', 'csv', '--fields', 'person_id', '--retries', '1', '--max-wait', '0'];
      const limits = ['--concurrency', `${atOnce}`, '--max-billable', `${cap}`];
      const bought = new Set<string>();
      for (const next of [first, second]) {
        begin(next);
        const { code, stderr } = await against(service, [...argv, ...limits], { home, stdin: list.join('\n') });
        expect([0, 5, 6, 7, 8], stderr).toContain(code);
        expect(happened.filter(({ fate }) => mayBeBilled.has(fate)).length).toBeLessThanOrEqual(cap);
        expect(new Set(happened.map(({ id }) => id)).size).toBeLessThanOrEqual(cap);
        for (const { id, fate } of happened) {
          expect(bought.has(id), `${id} was sent again`).toBe(false);
          if (mayBeBilled.has(fate)) bought.add(id);
        }
        const rows = rowsIn(out);
        expect(rows.map(({ input }) => input)).toEqual(list);
        for (const { input, person_id: found, pdi_status: status } of rows) expect(found).toBe(status === 'ok' ? input : '');
        // A job that is done leaves nothing to go on with: the second run would ask for everything again.
        if (code === 0 || !readableJournal(out)) return;
      }
    },
  );
  await fc.assert(property, { numRuns: 25, interruptAfterTimeLimit: 30_000 });
});

function readableJournal(out: string): boolean {
  try {
    return readFileSync(`${out}.journal`, 'utf8') !== '';
  } catch {
    return false;
  }
}

it('a resolve of any size: rows in order, each with its own answer', { timeout: 60_000 }, async () => {
  const lists = fc
    .array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 300 })
    .map((numbers) => numbers.map((one) => `id-${one}`));
  const property = fc.asyncProperty(lists, weathers, concurrency, async (list, next, atOnce) => {
    begin({ ...next, fates: next.fates.filter((fate) => fate !== 'reset' && fate !== 'broken') });
    const argv = ['resolve', '-i', '-', '-o', 'csv', '--fields', 'person_id', '--retries', '1', '--max-wait', '0'];
    const { code, stdout, stderr } = await against(service, [...argv, '--concurrency', `${atOnce}`], { stdin: list.join('\n') });
    expect([0, 5, 6, 8], stderr).toContain(code);
    const rows = rowsOf(stdout);
    if (stdout !== '') expect(rows.map(({ input }) => input)).toEqual(list);
    for (const row of rows) expect(row.person_id).toBe(row.pdi_status === 'ok' ? `per_${row.input}` : '');
  });
  await fc.assert(property, { numRuns: 25, interruptAfterTimeLimit: 30_000 });
});
