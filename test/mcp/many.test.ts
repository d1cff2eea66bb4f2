/** Up to 50 ids in one call: one question, a row an id, one cap and one budget. The bill of the service is the judge. */
import { describe, expect, it } from 'vitest';
import { eras, mcpSession, type ToolReply } from '../support/mcp.ts';
import { idIn, itemsIn, personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against, answering, asRecord, billedBy, sandboxed } from '../support/service.ts';

const kept = { PDI_MAX_AGE: '12h' } as const;

const rowsOf = ({ value }: ToolReply): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value.result) ? value.result.map(asRecord) : [];

describe.each(eras)('%s', (era) => {
  it('50 people are asked about once, with count, names and what is kept, and give a row each, in order', async () => {
    const service = await sandboxed();
    const home = newFolder();
    await against(service, ['person', 'per_sample2', '--max-age', '12h'], { home });
    const session = await mcpSession(service, { era, home, env: kept, person: () => 'accept' });
    await session.call('resolve', {
      to_resolve: [{ profnet_id: 'ada-sample-1' }, { profnet_id: 'nobody-there' }],
    });
    const ids = personIds(50);
    const reply = await session.call('person', { ids, fields: 'person_id' });
    expect(session.asked).toHaveLength(1);
    const others = ids.slice(2).map((id) => `"${id}"`);
    expect(session.asked[0]).toBe(
      `pdi: 49 calls that are charged; 1 more is kept already, at no cost: 49 profiles: "per_sample1" ("Ada Sample-1"), ${others.join(', ')}? (this session: 0 of 100 calls used)`,
    );
    expect(reply.value).toMatchObject({ billed: 'yes', calls_left: 51 });
    const from = (id: string) =>
      id === 'per_sample2'
        ? { billed: 'no', source: 'book' }
        : { billed: 'yes', source: 'service' };
    const row = (id: string) => ({
      input: id,
      pdi_status: 'ok',
      ...from(id),
      fetched_at: expect.any(String),
      result: { person_id: id },
    });
    expect(rowsOf(reply)).toEqual(ids.map(row));
    expect(service.bill()).toHaveLength(50);
    expect(
      (await session.call('person', { ids: [...ids].reverse(), fields: 'person_id' })).value,
    ).toMatchObject({ billed: 'no' });
    expect([session.asked.length, service.bill().length]).toEqual([1, 50]);
  });

  it.each([
    ['accept', ['per_sample1', 'per_sample2', 'per_sample3']],
    ['decline', ['per_sample1']],
  ] as const)(
    'people are asked about once where one is bought elsewhere until the person says %s',
    async (action, bought) => {
      const service = await sandboxed();
      const home = newFolder();
      const person = async () => {
        session.agree();
        await against(service, ['person', 'per_sample1', '--max-age', '12h'], { home });
        return action;
      };
      const session = await mcpSession(service, { era, home, env: kept, person });
      expect(
        (await session.call('person', { ids: personIds(3), fields: 'person_id' })).isError,
      ).toBe(action === 'decline');
      expect([session.asked.length, billedBy(service)]).toEqual([1, bought]);
    },
  );

  it('what would be bought a second time is told in the question', async () => {
    const service = await sandboxed();
    const home = newFolder();
    await against(service, ['person', 'per_sample1', 'per_sample2', '--max-age', '12h'], { home });
    const session = await mcpSession(service, {
      era,
      home,
      env: { PDI_MAX_AGE: '0' },
      person: () => 'decline',
    });
    for (const given of [{ ids: personIds(2) }, { personId: 'per_sample1' }])
      await session.call('person', given);
    expect(session.asked).toEqual([
      expect.stringMatching(
        /^pdi: 2 calls that are charged; all 2 were bought on [\d-]+ and are no longer kept \(max-age 0\): 2 profiles: /,
      ),
      expect.stringMatching(
        /^pdi: 1 call that is charged; it was bought on [\d-]+ and is no longer kept \(max-age 0\): /,
      ),
    ]);
  });

  it('an id whose answer was lost is asked about as such, and not as one that is kept', async () => {
    const service = await answering(({ path }) =>
      idIn(path) === 'per_lost' ? { status: 500 } : { json: { person_id: idIn(path) } },
    );
    const session = await mcpSession(service, { era, env: kept, person: () => 'accept' });
    await session.call('person', { ids: ['per_lost', 'per_kept', 'per_kept2'] });
    await session.call('person', { ids: ['per_new', 'per_kept', 'per_kept2', 'per_lost'] });
    expect(session.asked[1]).toContain(
      '1 call that is charged; 2 more are kept already, at no cost; 1 more is not sent again: the answer was lost,',
    );
  });

  it.each([
    ['cap', '--max-billable 4', 'the cap is 4'],
    ['budget', '--budget 4/day', 'of the budget of 4 a day, 4 are left'],
  ])('a %s too small for all refuses them before anybody is asked', async (_what, limit, words) => {
    for (const confirm of ['', '--confirm never']) {
      const { service, call, asked } = await mcpSession(sandboxed(), {
        era,
        flags: `${limit} ${confirm}`,
        person: () => 'accept',
      });
      const { error } = await call('person', { ids: personIds(5) });
      expect(error).toMatchObject({
        code: 'credits',
        billed: 'no',
        hint: expect.stringContaining('or name fewer ids'),
      });
      expect(error.message).toContain(words);
      expect([asked, service.requests()]).toEqual([[], {}]);
      const fits = await call('person', {
        ids: [...personIds(4), 'per_sample1'],
        fields: 'person_id',
      });
      expect([rowsOf(fits).length, service.bill().length, asked.length]).toEqual([
        5,
        4,
        confirm === '' ? 1 : 0,
      ]);
      // Where nothing is left, fewer ids are no way on.
      const none = await call('person', { ids: ['per_sample8', 'per_sample9'] });
      expect(none.error).toMatchObject({
        code: 'credits',
        billed: 'no',
        hint: expect.not.stringContaining('fewer ids'),
      });
    }
  });
});

describe('a row', () => {
  const of = async (
    given: Record<string, unknown>,
    respond: (id: string) => object,
    name = 'person',
  ) => {
    const service = await answering(({ path }) =>
      respond(idIn(path.replace('/latest-revenue', ''))),
    );
    const session = await mcpSession(service, { flags: '--confirm never --retries 0' });
    const reply = await session.call(name, given);
    return { service, session, reply, rows: rowsOf(reply) };
  };

  it('says what became of its id, and an answer about another one is told', async () => {
    const answers: Readonly<Record<string, object>> = {
      per_1: { json: { person_id: 'per_1' } },
      per_2: { json: { person_id: 'per_9' } },
      per_3: { status: 404, json: { message: 'gone' } },
      per_4: { status: 500, json: {} },
    };
    const { reply, rows } = await of(
      { ids: Object.keys(answers), fields: 'person_id' },
      (id) => answers[id] ?? {},
    );
    const bought = {
      pdi_status: 'ok',
      billed: 'yes',
      source: 'service',
      fetched_at: expect.any(String),
    };
    const aboutAnother = {
      pdi_error: 'the answer is about another id: person_id is per_9',
      result: { person_id: 'per_9' },
    };
    expect(rows).toEqual([
      { input: 'per_1', ...bought, result: { person_id: 'per_1' } },
      { input: 'per_2', ...bought, ...aboutAnother },
      expect.objectContaining({
        input: 'per_3',
        pdi_status: 'not_found',
        pdi_error: expect.stringContaining('gone'),
        billed: 'no',
      }),
      expect.objectContaining({ input: 'per_4', pdi_status: 'unknown', billed: 'answer lost' }),
    ]);
    expect(reply.value.billed).toBe('yes');
  });

  it('about another id is told for one id, too', async () => {
    const { reply } = await of(
      { companyId: 'company-1' },
      () => ({ json: { id: 'company-2' } }),
      'revenue',
    );
    expect(reply.value.warning).toContain('the answer is about another id: id is company-2');
  });

  it('is skipped once credits have run out, and nothing but rows tell of it', async () => {
    const { service, ...session } = await mcpSession(sandboxed({ credits: 2 }), {
      flags: '--confirm never --concurrency 1',
    });
    const rows = rowsOf(await session.call('person', { ids: personIds(5), fields: 'person_id' }));
    expect(rows.map(({ pdi_status }) => pdi_status)).toEqual([
      'ok',
      'ok',
      'skipped',
      'skipped',
      'skipped',
    ]);
    expect(rows[4]?.pdi_error).toContain('not sent');
    expect(service.requests()).toEqual({ getPerson: 3 });
    expect((await session.call('person', { ids: personIds(3, 10) })).error).toMatchObject({
      code: 'credits',
      errorCode: 'OUT_OF_CREDITS',
    });
  });

  it('repeats what an id has that is named twice, and pays once', async () => {
    const { rows, service } = await of(
      { companyId: ['company-1', 'company-2', ' company-1'] },
      (id) => ({ json: { id } }),
      'revenue',
    );
    expect(rows.map(({ input, billed }) => `${input}: ${billed}`)).toEqual([
      'company-1: yes',
      'company-2: yes',
      ' company-1: no',
    ]);
    expect(service.requests).toHaveLength(2);
  });

  it('takes digits as an id', async () => {
    const { rows } = await of({ ids: [7, '8'] }, (id) => ({ json: { id } }), 'revenue');
    expect(rows.map(({ input, result }) => `${input} ${asRecord(result).id}`)).toEqual([
      '7 7',
      '8 8',
    ]);
  });
});

it('an identifier whose answer is about another one is named as it was given', async () => {
  const service = await answering(({ body }) => ({
    json: itemsIn(body).map((query, at) => ({
      query: at === 0 ? { profnet_id: 'bob' } : query,
      matches: [],
    })),
  }));
  const { call } = await mcpSession(service);
  const [first] = rowsOf(
    await call('resolve', { to_resolve: [{ profnet_id: '@ada' }, { profnet_id: 'zoe' }] }),
  );
  expect(first).toEqual({
    input: '@ada',
    pdi_status: 'failed',
    pdi_error: 'the answer is about another identifier: bob',
  });
});

it('rows over 64 kB are refused with fields as the way on, which costs nothing, and the next time before anything is bought', async () => {
  const about = 'x'.repeat(30_000);
  const service = await answering(({ path }) => ({ json: { person_id: idIn(path), about } }));
  const { call, asked } = await mcpSession(service, { person: () => 'accept' });
  const ids = ['per_1', 'per_2', 'per_3'];
  const { error } = await call('person', { ids });
  expect(error).toMatchObject({
    code: 'usage',
    billed: 'yes',
    hint: expect.stringContaining('fields, such as "person_id,'),
  });
  const fewer = await call('person', { ids, fields: 'person_id' });
  expect(rowsOf(fewer).map(({ billed, source }) => [billed, source])).toEqual(
    ids.map(() => ['no', 'session']),
  );
  expect((await call('person', { ids: [...ids, 'per_4'] })).error).toMatchObject({
    code: 'usage',
    billed: 'no',
  });
  expect([asked.length, service.requests.length]).toEqual([1, 3]);
});

it('what is too large for one call is given to another at the same time that asks for less', async () => {
  const service = await answering(({ path }) => ({
    json: { person_id: idIn(path), about: 'x'.repeat(40_000) },
  }));
  const home = newFolder();
  await against(service, ['person', 'per_1', 'per_2', '--max-age', '12h'], { home });
  const { call } = await mcpSession(service, { home, env: kept, flags: '--confirm never' });
  const ids = ['per_1', 'per_2', 'per_3'];
  const [whole, part] = await Promise.all([
    call('person', { ids }),
    call('person', { ids, fields: 'person_id' }),
  ]);
  expect([whole.error.code, rowsOf(part).length, service.requests.length]).toEqual(['usage', 3, 3]);
});

it('a name from resolve stands in the question about one id, too, with every character to be seen, unless nobody could read it', async () => {
  const names = ['Ada \u202eSample', 'x'.repeat(200)];
  const service = await answering(({ path, body }) => {
    if (!path.endsWith('/people/resolve')) return { json: {} };
    return {
      json: itemsIn(body).map((query, at) => ({
        query,
        matches: [{ person_id: `per_${at}`, full_name: names[at] }],
      })),
    };
  });
  const { call, asked } = await mcpSession(service, { person: () => 'decline' });
  const found = await call('resolve', {
    to_resolve: [{ profnet_id: 'a' }, { profnet_id: 'b' }, { profnet_id: 'nameless' }],
  });
  expect(found.isError).toBe(false);
  for (const personId of ['per_0', 'per_1']) await call('person', { personId });
  expect(asked[0]).toContain('(personId "per_0" ("Ada \\u202eSample"))?');
  expect(asked[1]).toContain('(personId "per_1")?');
});
