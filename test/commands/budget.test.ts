import { describe, expect, vi } from 'vitest';
import { it } from '../support/it.ts';
import { gate } from '../support/later.ts';
import { type RunOptions, signalling } from '../support/run.ts';
import { callsOf, errorOf, origin } from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { budget } from './sessions.ts';

play(...budget);

it('is of one account at one base URL; a named account has one for all its keys', async ({
  service,
  pdi,
}) => {
  const bought = async (id: string, env: RunOptions['env']) =>
    (await pdi(`person ${id}`, { env: { PDI_BUDGET: '1/day', ...env } })).code;
  expect(await bought('per_sample1', {})).toBe(0);
  expect(await bought('per_sample2', {})).toBe(7);
  expect(await bought('per_sample2', { PDI_ACCOUNT: 'acme' })).toBe(0);
  expect(await bought('per_sample3', { PDI_ACCOUNT: 'acme' })).toBe(7);
  expect(
    await bought('per_sample3', {
      PDI_BASE_URL: service.baseUrl.replace('127.0.0.1', 'localhost'),
    }),
  ).toBe(0);
  expect((await pdi('--sandbox person per_sample4', { env: { PDI_BUDGET: '1/day' } })).code).toBe(
    0,
  );
  expect((await pdi('--sandbox person per_sample5', { env: { PDI_BUDGET: '1/day' } })).code).toBe(
    7,
  );
});

const within: RunOptions = { env: { PDI_BUDGET: '1/month' } };

/** A budget of one call, which `per_1` has: it is under way until it is told how it ends. */
async function lastPlaceTaken() {
  const held = gate<number>();
  const { service, pdi, home } = await origin(async ({ path }) => {
    const status = path.endsWith('/per_1') ? await held.opened : 200;
    return { status, json: { person_id: 'per_x' } };
  });
  const buy = (id: string, more: RunOptions = {}) =>
    pdi(`person ${id} --retries 0`, { ...within, ...more });
  const first = buy('per_1');
  await vi.waitFor(() => expect(service.requests).toHaveLength(1), 60_000);
  /** Time enough for another to come to the end of the budget. */
  const waits = () => pdi('spend');
  return {
    home,
    first,
    buy,
    pdi,
    waits,
    end: held.open,
    asked: () => service.requests.map(({ path }) => path),
  };
}

describe('a command whose budget is used up by a call that is under way', () => {
  it('is not counted as using it while it waits', async () => {
    const { first, buy, pdi, waits, end } = await lastPlaceTaken();
    const second = buy('per_2');
    await waits();
    const { stderr } = await pdi('spend -o csv', within);
    end(200);
    await Promise.all([first, second]);
    expect(stderr).toBe('pdi: budget: 1 of 1 call a month used, 0 left\n');
  });

  it.each([
    ['takes the place of one that is refused to the end', 503, [5, 0], ['not_billed', 'billed']],
    ['is refused once that one is billed', 200, [0, 7], ['billed']],
  ])('%s', async (_what, status, codes, outcomes) => {
    const { home, first, buy, waits, end, asked } = await lastPlaceTaken();
    const second = buy('per_2');
    await waits();
    end(status);
    expect([(await first).code, (await second).code]).toEqual(codes);
    expect(asked()).toHaveLength(outcomes.length);
    expect((await callsOf({ home })).map(([, outcome]) => outcome)).toEqual(outcomes);
  });

  it.each([
    ['person per_2', /^interrupted: 1 row was not reached$/],
    ['network', /^interrupted: no page was read$/],
    ['investors --name x', /^stopped before the request was sent$/],
  ])('ends at Ctrl-C: %s', async (line, words) => {
    const { home, first, pdi, waits, end, asked } = await lastPlaceTaken();
    const { send, withSignal } = signalling();
    const second = pdi(line, { ...within, withSignal });
    await waits();
    send('SIGINT');
    const stopped = await second;
    expect([stopped.code, errorOf(stopped).message]).toEqual([130, expect.stringMatching(words)]);
    end(200);
    expect([(await first).code, asked().length]).toEqual([0, 1]);
    expect(await callsOf({ home })).toEqual([['per_1', 'billed']]);
  });
});
