/** One cap, one budget, one book: those of every command. The sandbox's bill is the judge. */
import { describe, expect, it } from 'vitest';
import { addDays, dayOf } from '../../src/rows/days.ts';
import { eras, mcpSession, type SessionOptions } from '../support/mcp.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against, answering, asRecord, billedBy, callsOf, sandboxed } from '../support/service.ts';

const kept = { PDI_MAX_AGE: '12h' } as const;

describe.each(eras)('%s', (era) => {
  it.each([
    ['agreed to', { person: () => 'accept' as const }, ''],
    ['unasked', {}, '--confirm never'],
  ])(
    '50 calls at once, %s, at a cap of 10: exactly 10 are billed, and in the ledger',
    async (_case, person, flags) => {
      const { service, call, home } = await mcpSession(sandboxed(), {
        era,
        flags: `${flags} --max-billable 10`,
        ...person,
      });
      const replies = await Promise.all(
        personIds(50).map((personId) => call('person', { personId, fields: 'person_id' })),
      );
      const refused = replies.filter(({ isError }) => isError);
      expect([service.bill().length, replies.length - refused.length, refused.length]).toEqual([
        10, 10, 40,
      ]);
      for (const { error } of refused)
        expect(error).toMatchObject({ code: 'credits', billed: 'no' });
      const ledger = await callsOf({ home });
      expect(ledger.map((call) => call.join(' ')).sort()).toEqual(
        billedBy(service).map((item) => `${item} billed`),
      );
    },
  );

  it('a budget counts the calls of commands and of the session', async () => {
    const service = await sandboxed();
    const home = newFolder();
    await against(service, ['person', 'per_sample1'], { home });
    const session = await mcpSession(service, {
      era,
      home,
      flags: '--budget 3/day',
      person: () => 'accept',
    });
    const replies = [];
    for (const personId of personIds(4, 2))
      replies.push(await session.call('person', { personId }));
    expect(replies.map(({ isError }) => isError)).toEqual([false, false, true, true]);
    expect(replies[3]?.error).toMatchObject({ code: 'credits', billed: 'no' });
    expect(service.bill()).toHaveLength(3);
    expect(session.asked[0]).toContain('budget: 1 of 3 calls a day used, 2 left');
    // Nobody is asked for what cannot be.
    expect(session.asked).toHaveLength(2);
    const told = asRecord((await session.call('budget')).value.result);
    expect(told.budget).toEqual([{ period: 'day', limit: 3, used: 3, left: 0 }]);
    expect(told.this_month).toMatchObject({ billed: 3 });
  });

  it('the members of a list come in pages of one call', async () => {
    const { service, call } = await mcpSession(sandboxed(), { era, person: () => 'accept' });
    const listId = 'd0000000-0000-4000-8000-000000000002';
    const pages = [];
    for (const page of [0, 1, 2])
      pages.push((await call('lists_investors_get', { listId, limit: 2, page })).value);
    const members = pages.map(({ result }) => asRecord(result).investors);
    expect(members).toMatchObject([
      [{ investor_id: 'inv_sample2' }, { investor_id: 'inv_sample3' }],
      [{ investor_id: 'inv_sample4' }],
      [],
    ]);
    expect(pages.map(({ next_page }) => next_page)).toEqual([1, undefined, undefined]);
    expect((await call('lists_investors_get', { listId, limit: 3 })).value).not.toHaveProperty(
      'next_page',
    );
    expect(service.requests()).toEqual({ getInvestorList: 1 });
  });

  it.each(['drop-after-billing', 'truncate', 'malformed'] as const)(
    'an answer lost by %s may have been billed, and is not sent again',
    async (name) => {
      const service = await sandboxed({ fault: [{ name, probability: 1 }] });
      const { call, home } = await mcpSession(service, { era, env: kept, person: () => 'accept' });
      const first = await call('person', { personId: 'per_sample1' });
      expect(first.error).toMatchObject({
        code: 'unavailable',
        billed: 'unknown',
        retryable: false,
      });
      const second = await call('person', { personId: 'per_sample1' });
      expect(second.error).toMatchObject({ billed: 'unknown', retryable: false });
      expect(second.error.message).toContain('may have been billed');
      expect([service.bill().length, service.requests().getPerson]).toEqual([1, 1]);
      expect(await callsOf({ home })).toEqual([['per_sample1', 'lost']]);
    },
  );
});

describe('the store', () => {
  it('gives what a command bought, without a question', async () => {
    const service = await sandboxed();
    const home = newFolder();
    await against(service, ['person', 'per_sample1', '--max-age', '12h'], { home });
    const { call, asked } = await mcpSession(service, { home, env: kept });
    const { value } = await call('person', { personId: 'per_sample1', fields: 'person_id' });
    expect(value).toMatchObject({
      billed: 'no',
      source: 'book',
      fetched_at: expect.stringMatching(/^\d{4}-/),
      calls_left: 100,
    });
    expect([asked, service.bill().length]).toEqual([[], 1]);
  });

  it('gives what a command bought after its answer was lost in the session', async () => {
    const service = await sandboxed({
      faultRule: ({ number }) => (number === 1 ? 'drop-after-billing' : undefined),
    });
    const home = newFolder();
    const { call } = await mcpSession(service, { home, env: kept, flags: '--confirm never' });
    expect((await call('person', { personId: 'per_sample1' })).error.billed).toBe('unknown');
    await against(service, ['person', 'per_sample1', '--retry-unknown', '--max-age', '12h'], {
      home,
    });
    const { value } = await call('person', { personId: 'per_sample1', fields: 'person_id' });
    expect([value, service.bill().length]).toEqual([
      expect.objectContaining({ billed: 'no', source: 'book' }),
      2,
    ]);
  });

  it('keeps a 404 as well', async () => {
    const { service, call, asked } = await mcpSession(sandboxed(), {
      env: kept,
      person: () => 'accept',
    });
    for (const _time of [1, 2])
      expect((await call('person', { personId: 'per_nobody' })).error).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    expect([asked.length, service.requests().getPerson]).toEqual([1, 1]);
  });
});

describe('plan and budget', () => {
  it('say what a job would cost, without a call and without a question', async () => {
    const limits = '--max-billable 3 --budget 5/month';
    const { service, call, asked } = await mcpSession(sandboxed(), {
      env: kept,
      flags: limits,
      person: () => 'accept',
    });
    await call('person', { personId: 'per_sample1' });
    const planned = async (tool: string, ids: readonly string[]) =>
      (await call('plan', { tool, ids })).value.result;
    const counts = {
      rows: 5,
      distinct: 3,
      invalid: 1,
      not_found: 0,
      in_book: 1,
      requests: 2,
      billable: 2,
      calls_left: 2,
    };
    const budget = [{ period: 'month', limit: 5, used: 1, left: 4 }];
    expect(await planned('person', [...personIds(3), 'per_sample2', 'nobody'])).toEqual({
      ...counts,
      budget,
      allowed: true,
    });
    expect(await planned('person', personIds(9))).toMatchObject({ billable: 8, allowed: false });
    const slugs = personIds(110).map((id) => id.replace('per_', 'slug-'));
    expect(await planned('resolve', slugs)).toMatchObject({
      requests: 3,
      billable: 0,
      allowed: true,
    });
    expect(await planned('investors', ['a.example', 'A name'])).toMatchObject({ billable: 2 });
    const told = asRecord((await call('budget')).value.result);
    expect(told).toMatchObject({
      session: { cap: 3, left: 2, billed: 1, unknown: 0, price_unknown: 0, answer_lost: 0 },
      book: { max_age: '12h', answers: [{ operation: 'GET /people/{personId}', answers: 1 }] },
    });
    expect([asked.length, service.bill().length]).toEqual([1, 1]);
  });

  it('allow a plan that needs no call, also where the budget was lowered below what is used', async () => {
    const service = await sandboxed();
    const home = newFolder();
    await against(service, ['person', 'per_sample1', 'per_sample2', '--max-age', '12h'], { home });
    const { call } = await mcpSession(service, { home, env: kept, flags: '--budget 1/month' });
    const planned = async (id: string) =>
      (await call('plan', { tool: 'person', ids: [id] })).value.result;
    expect(await planned('per_sample1')).toMatchObject({ billable: 0, allowed: true });
    expect(await planned('per_sample3')).toMatchObject({ billable: 1, allowed: false });
  });
});

describe('the feed', () => {
  it('bills a page, and an empty one not', async () => {
    const { service, call, home } = await mcpSession(sandboxed(), { person: () => 'accept' });
    const page = await call('feed', { limit: 2, page: 1, fields: 'signal_id' });
    expect(page.value).toMatchObject({ billed: 'yes', next_page: 2, result: [{}, {}] });
    const tomorrow = addDays(dayOf(new Date().toISOString()), 400);
    const empty = await call('feed', { signal_date_after: tomorrow });
    expect(empty.value).toEqual({ billed: 'no', calls_left: 98, result: [] });
    expect(service.bill()).toHaveLength(1);
    expect((await callsOf({ home })).join(' ')).toBe(
      `page:1,billed page:0:${tomorrow}..,not_billed`,
    );
  });

  const losing = (options: SessionOptions) =>
    mcpSession(sandboxed({ fault: [{ name: 'drop-after-billing', probability: 1 }] }), options);

  it.each([
    ['feed', { limit: 1 }, { limit: 2 }],
    ['person', { personId: 'per_sample1' }, { personId: 'per_sample2' }],
    ['network', { limit: 1 }, { limit: 2 }],
  ])(
    'a %s call whose answer was lost is not sent again in its session',
    async (name, given, other) => {
      const { service, call, asked } = await losing({
        flags: '--max-age 0',
        person: () => 'accept',
      });
      const replies = [await call(name, given), await call(name, given)];
      expect(replies.map(({ error }) => error.billed)).toEqual(['unknown', 'unknown']);
      expect(replies[1]?.error).toMatchObject({
        hint: expect.stringContaining('nothing was sent now'),
      });
      expect([Object.values(service.requests()), asked.length]).toEqual([[1], 1]);
      expect((await call(name, other)).error.billed).toBe('unknown');
      expect(Object.values(service.requests())).toEqual([2]);
    },
  );

  it('is, with --retry-unknown', async () => {
    const { service, call } = await losing({
      flags: '--retry-unknown --retries 1 --confirm never',
    });
    for (let asked = 0; asked < 2; asked += 1) await call('feed', { limit: 1 });
    expect(Object.values(service.requests())).toEqual([4]);
  });

  it('investors that follow on the next page are not bought a second time', async () => {
    const matches = Array.from({ length: 60 }, (_, at) => ({ investor_id: `inv_${at}` }));
    const { call, service } = await mcpSession(await answering(() => ({ json: matches })), {
      flags: '--confirm never --max-age 0',
    });
    const given = { name: 'A', fields: 'investor_id' };
    const pages = [await call('investors', given), await call('investors', { ...given, page: 1 })];
    expect(pages.map(({ value }) => `${value.next_page} ${value.billed}`)).toEqual([
      '1 price unknown',
      'undefined no',
    ]);
    expect(pages.flatMap(({ value }) => value.result)).toEqual(matches);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['a larger limit than the service has: the next page is named', 1000, 100, 1],
    ['a page that is not full: the last', 1000, 49, undefined],
    ['more than was asked for: all of it was paid', 2, 3, 1],
  ])('of the network, %s', async (_what, limit, given, next) => {
    const people = Array.from({ length: given }, (_, at) => ({ person_id: `per_${at}` }));
    const { call } = await mcpSession(await answering(() => ({ json: people })), {
      flags: '--confirm never',
    });
    const { value } = await call('network', { limit, fields: 'person_id' });
    expect([value.result, value.next_page]).toEqual([people, next]);
  });

  it('gives no more than was asked for', async () => {
    const { call } = await mcpSession(await sandboxed());
    const first = await call('lists_companies_list', { limit: 1, fields: 'id' });
    expect(first.value).toMatchObject({
      billed: 'no',
      next_page: 1,
      result: [{ id: expect.any(String) }],
    });
    const all = await call('lists_companies_list', { fields: 'id' });
    expect(all.value).not.toHaveProperty('next_page');
  });
});
