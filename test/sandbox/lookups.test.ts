import { describe, expect } from 'vitest';
import { type Heard, it, record, records, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { searches, investor, company, person, largeMembers } = landmarks;
const get = async (path: string) => (await start()).ask(path);

describe('GET /people', () => {
  it.each([person.id, 'per_sample120'])('%s', async (id) => {
    expect(record(await get(`/people/${id}`)).person_id).toBe(id);
  });

  it.each([
    landmarks.unknownPerson,
    'per_sample121',
    'per_sample0',
    'per_sample01',
    'per_',
    'resolve',
    'PER_SAMPLE1',
    'x%2Fy',
  ])('404 without a code: %s', async (id) => {
    expect(await get(`/people/${id}`)).toMatchObject({
      status: 404,
      json: { message: expect.any(String) },
    });
    expect(record(await get(`/people/${id}`))).not.toHaveProperty('errorCode');
  });

  it('gives member ids past 2^53 digit by digit', async () => {
    for (const { id, digits } of [largeMembers.last, largeMembers.beyond]) {
      expect((await get(`/people/${id}`)).text).toContain(`"profnet_num_id":${digits},`);
    }
  });

  it('holds text that spreadsheets, terminals and browsers must not obey', async () => {
    expect(String(record(await get('/people/per_sample3')).tagline)).toMatch(/^=/);
    expect(record(await get('/people/per_sample4')).about).toContain('\u001b[31m');
    expect((await get('/people/per_sample4')).text).toContain('<script>');
  });
});

describe('GET /companies', () => {
  it('gives figures, or null in all of them', async () => {
    const { id, company_name, domain, ...figures } = record(
      await get(`/companies/${company.withRevenue}/latest-revenue`),
    );
    expect([id, company_name]).toEqual([company.withRevenue, expect.stringMatching(/^Example/)]);
    expect(domain).toMatch(/\.example$/);
    expect(Object.values(figures).every((value) => value !== null)).toBe(true);
    const none = record(await get(`/companies/${company.withoutRevenue}/latest-revenue`));
    expect(none).toMatchObject({ id: company.withoutRevenue, company_name: expect.any(String) });
    expect(Object.keys(figures).map((name) => none[name])).toEqual(
      Object.keys(figures).map(() => null),
    );
  });

  it.each([company.unknown, 'company-31', 'company-0', '1'])('404: %s', async (id) => {
    expect((await get(`/companies/${id}/latest-revenue`)).status).toBe(404);
  });
});

describe('GET /searches', () => {
  it.each([
    ['funding-rounds', searches.fundingRounds, 200, undefined],
    ['funding-rounds', searches.globalFundingRounds, 200, undefined],
    ['funding-rounds', searches.talent, 400, 'NOT_SUPPORTED_PRODUCT'],
    ['funding-rounds', searches.otherProduct, 400, 'NOT_SUPPORTED_PRODUCT'],
    ['funding-rounds', searches.hiddenFundingRounds, 404, undefined],
    ['funding-rounds', searches.unknown, 404, undefined],
    ['funding-rounds', 'abc', 404, undefined],
    ['talent', searches.talent, 200, undefined],
    ['talent', searches.globalTalent, 200, undefined],
    ['talent', searches.empty, 200, undefined],
    ['talent', searches.broken, 200, undefined],
    ['talent', searches.fundingRounds, 400, 'NOT_SUPPORTED_PRODUCT'],
    ['talent', searches.hiddenTalent, 404, undefined],
    ['talent', searches.unknown, 404, undefined],
    ['talent', '99999999999999999999999', 404, undefined],
    ['talent', 'abc', 400, 'BAD_SEARCH_ID_TYPE'],
  ])('%s/%s is answered %i', async (product, id, status, errorCode) => {
    const answer = await get(`/searches/${product}/${id}`);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(record(answer).errorCode).toBe(errorCode);
  });

  it('gives metadata and the count of what the search returns', async ({ ask }) => {
    const talent = await ask(`/searches/talent/${searches.globalTalent}`);
    const rounds = await ask(`/searches/funding-rounds/${searches.fundingRounds}`);
    const global = {
      id: 102,
      name: 'Recommended talent',
      query_id: 5102,
      product_type: 'talent',
      is_global: true,
    };
    expect(record(talent)).toEqual({ ...global, full_count: 240 });
    expect(record(await ask(`/searches/talent/${searches.empty}`)).full_count).toBe(0);
    expect(record(rounds)).toMatchObject({ product_type: 'funding_rounds', is_global: false });
  });
});

describe('GET /investors', () => {
  const find = async (query: string) =>
    records(await get(`/investors?${query}`)).map(({ investor_id }) => investor_id);
  it.each([
    [`name=${investor.name}`, [investor.id]],
    [`name=%20%20${investor.name.toUpperCase()}%20`, [investor.id]],
    ['name=Sample Harbor', []],
    ['name=', undefined],
    ['', undefined],
    ['name=%20&website=', undefined],
    [`name=${investor.sharedName}`, ['inv_sample4', 'inv_sample5']],
    ['website=investor-1.example', [investor.id]],
    [`website=${investor.website}`, [investor.id]],
    ['website=http://INVESTOR-1.example/team?x=1%23top', [investor.id]],
    ['website=https://investor-1.example:8080', [investor.id]],
    ['website=sub.investor-1.example', []],
    ['website=investor-5.example', []],
    [`name=${investor.name}&website=${investor.website}`, [investor.id]],
    [`name=${investor.name}&website=${investor.quietWebsite}`, []],
    [`name=${investor.name}&website=`, [investor.id]],
  ])('%s finds %j', async (query, expected) => {
    if (expected === undefined)
      expect(await get(`/investors?${query}`)).toMatchObject({
        status: 422,
        json: { errorCode: 'VALIDATION_ERROR' },
      });
    else expect(await find(query)).toEqual(expected);
  });

  it('names the signals of an investor, none for the quiet one', async ({ ask }) => {
    const [active] = records(await ask(`/investors?website=${investor.website}`));
    const [quiet] = records(await ask(`/investors?website=${investor.quietWebsite}`));
    expect(quiet?.strategic_signal_ids).toEqual([]);
    const list = JSON.stringify(active?.strategic_signal_ids);
    const page = records(await ask('/investor-interest'));
    const mentioned = page.filter((signal) =>
      JSON.stringify(signal.signal_investors).includes(`"${investor.name}"`),
    );
    expect(mentioned.length).toBeGreaterThan(0);
    for (const { signal_id } of mentioned) expect(list).toContain(String(signal_id));
  });
});

describe('GET /network/people', () => {
  const count = async (query: string) => records(await get(`/network/people?${query}`)).length;
  it.each([
    ['', 50],
    ['page=1', 10],
    ['page=2', 0],
    ['limit=7', 7],
    ['limit=200', 60],
    ['connected_on=profnet&limit=1', 1],
    ['page=99999999999999999999', 0],
  ])('%s has %i people', async (query, expected) => {
    expect(await count(query)).toBe(expected);
  });

  it.each(['page=-1', 'page=a', 'limit=0', 'limit=2.5', 'connected_on=mail', 'connected_on='])(
    '422 for %s',
    async (query) => {
      expect((await get(`/network/people?${query}`)).status).toBe(422);
    },
  );
});

const { lists } = landmarks;

it('lists companies lists that are shared, made by the API or global, and no others', async () => {
  const { shared, created, global, empty } = lists.companies;
  const found = records(await (await start()).ask('/lists/companies'));
  expect(found.map(({ id }) => id)).toEqual([shared, created, global, empty]);
  expect(found.map(({ is_global }) => is_global)).toEqual([false, false, true, false]);
  expect(found.map(({ company_count }) => company_count)).toEqual([8, 3, 10, 0]);
  expect(found.map(({ shared_with }) => shared_with)).toEqual([
    ['user-sample-1', 'user-sample-2'],
    [],
    [],
    [],
  ]);
});

const kinds = ['companies', 'people', 'investors'] as const;

describe.each(kinds)('DELETE /lists/%s', (kind) => {
  const ids = lists[kind];
  it.for([
    ['a shared list', ids.shared, true],
    ['a list made by the API', ids.created, true],
    ['a list in upper case', ids.empty.toUpperCase(), true],
    ['the team’s own list', ids.teamOnly, false],
    ['an unknown list', ids.unknown, false],
    ['a list of another kind', lists[kind === 'people' ? 'companies' : 'people'].shared, false],
  ] as const)('%s', async ([_name, id, exists], { ask }) => {
    const remove = () => ask(`/lists/${kind}/${id}`, { method: 'DELETE' });
    expect((await remove()).status).toBe(
      exists ? { companies: 200, people: 200, investors: 204 }[kind] : 404,
    );
    expect((await remove()).status).toBe(404);
  });

  it('400 for what is no UUID, 403 for a global list', async ({ ask }) => {
    for (const id of [
      '1',
      'abc',
      `${ids.shared}0`,
      '%E0%A4%A',
      'c0000000x0000-4000-8000-000000000001',
    ]) {
      const answer = await ask(`/lists/${kind}/${id}`, { method: 'DELETE' });
      expect(answer).toMatchObject({ status: 400, json: { errorCode: 'INVALID_LIST_UUID' } });
    }
    const refused = await ask(`/lists/${kind}/${ids.global}`, { method: 'DELETE' });
    expect(refused).toMatchObject({ status: 403, json: { errorCode: 'NOT_PERMITTED' } });
  });
});

it('shows a deleted list nowhere any more', async ({ ask }) => {
  await ask(`/lists/companies/${lists.companies.shared}`, { method: 'DELETE' });
  expect((await ask('/lists/companies')).text).not.toContain(lists.companies.shared);
  expect((await ask(`/investor-interest?list_id=${lists.companies.shared}`)).status).toBe(404);
});

describe('GET /lists/investors', () => {
  const get = async (id: string) => (await start()).ask(`/lists/investors/${id}`);
  it.each([
    [lists.investors.shared, 200],
    [lists.investors.created, 200],
    [lists.investors.global, 200],
    [lists.investors.teamOnly, 404],
    [lists.investors.unknown, 404],
    [lists.people.shared, 404],
    ['7', 400],
  ])('%s is answered %i', async (id, status) => {
    expect((await get(id)).status).toBe(status);
  });

  it('names the members', async () => {
    expect(record(await get(lists.investors.created))).toMatchObject({
      investors: [
        { investor_id: 'inv_sample2' },
        { investor_id: 'inv_sample3' },
        { investor_id: 'inv_sample4' },
      ],
    });
  });
});

describe('PATCH /lists/people', () => {
  const members = (heard: Heard) => {
    const { people } = record(heard);
    return Array.isArray(people)
      ? people.map((member: { person_id: string }) => member.person_id)
      : [];
  };
  const patch = async (body: unknown, id: string = lists.people.created) =>
    (await start({ now: () => 86_400_000 })).ask(`/lists/people/${id}`, { method: 'PATCH', body });
  const before = ['per_sample2', 'per_sample3', 'per_sample4'];
  const twice = ['per_sample9', 'per_sample2'];

  it.each([
    ['adds', { add_ids: ['per_sample9'] }, [...before, 'per_sample9']],
    [
      'adds once',
      { add_ids: ['per_sample9', 'per_sample9', 'per_sample2'] },
      [...before, 'per_sample9'],
    ],
    ['deletes', { delete_ids: ['per_sample3'] }, ['per_sample2', 'per_sample4']],
    [
      'does both',
      { add_ids: ['per_sample9'], delete_ids: ['per_sample2'] },
      ['per_sample3', 'per_sample4', 'per_sample9'],
    ],
    [
      'deletes what stands in both',
      { add_ids: twice, delete_ids: twice },
      ['per_sample3', 'per_sample4'],
    ],
    [
      'passes over unknown people',
      { add_ids: ['per_nobody', 'x'], delete_ids: ['per_nobody'] },
      before,
    ],
    ['takes empty arrays', { add_ids: [], delete_ids: [] }, before],
    ['takes nothing to do', {}, before],
  ])('%s', async (_name, body, expected) => {
    const answer = await patch(body);
    expect(answer.status).toBe(200);
    expect(members(answer)).toEqual(expected);
    expect(record(answer).updated_at).toBe('1970-01-02T00:00:00.000Z');
  });

  it('keeps the date of a member that is added again', async () => {
    const people = record(await patch({ add_ids: ['per_sample2', 'per_sample9'] })).people;
    expect(people).toEqual(
      expect.arrayContaining([
        { person_id: 'per_sample2', created_at: expect.stringMatching(/^2026-/) },
        { person_id: 'per_sample9', created_at: '1970-01-02T00:00:00.000Z' },
      ]),
    );
  });

  it.each<readonly [unknown, string, number]>([
    [undefined, lists.people.created, 422],
    ['{', lists.people.created, 422],
    [[], lists.people.created, 422],
    [{ add_ids: 'per_sample1' }, lists.people.created, 422],
    [{ add_ids: [1] }, lists.people.created, 422],
    [{ ids: ['per_sample1'] }, lists.people.created, 422],
    [{}, 'no-uuid', 400],
    [{}, lists.people.unknown, 404],
    [{}, lists.people.teamOnly, 404],
    [{}, lists.companies.shared, 404],
    [{}, lists.people.global, 403],
  ])('%j on %s is answered %i', async (body, id, status) => {
    expect((await patch(body, id)).status).toBe(status);
  });
});
