import { describe, expect, it } from 'vitest';
import { record, records, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { searches, investor, company, person, largeMembers } = landmarks;
const get = async (path: string) => (await start()).ask(path);

describe('GET /people', () => {
  it.each([person.id, 'per_sample120'])('%s', async (id) => {
    expect(record(await get(`/people/${id}`)).person_id).toBe(id);
  });

  it.each([landmarks.unknownPerson, 'per_sample121', 'per_sample0', 'per_sample01', 'per_', 'resolve', 'PER_SAMPLE1', 'x%2Fy'])(
    '404 without a code: %s',
    async (id) => {
      expect(await get(`/people/${id}`)).toMatchObject({ status: 404, json: { message: expect.any(String) } });
      expect(record(await get(`/people/${id}`))).not.toHaveProperty('errorCode');
    },
  );

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
    const { id, company_name, domain, ...figures } = record(await get(`/companies/${company.withRevenue}/latest-revenue`));
    expect([id, company_name, domain]).toEqual([
      company.withRevenue,
      expect.stringMatching(/^Example/),
      expect.stringMatching(/\.example$/),
    ]);
    expect(Object.values(figures).every((value) => value !== null)).toBe(true);
    const none = record(await get(`/companies/${company.withoutRevenue}/latest-revenue`));
    expect(none).toMatchObject({ id: company.withoutRevenue, company_name: expect.any(String) });
    expect(Object.keys(figures).map((name) => none[name])).toEqual(Object.keys(figures).map(() => null));
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
    ['funding-rounds', searches.hiddenTalent, 404, undefined],
    ['funding-rounds', searches.unknown, 404, undefined],
    ['funding-rounds', 'abc', 404, undefined],
    ['talent', searches.talent, 200, undefined],
    ['talent', searches.globalTalent, 200, undefined],
    ['talent', searches.empty, 200, undefined],
    ['talent', searches.broken, 200, undefined],
    ['talent', searches.fundingRounds, 400, 'NOT_SUPPORTED_PRODUCT'],
    ['talent', searches.otherProduct, 400, 'NOT_SUPPORTED_PRODUCT'],
    ['talent', searches.hiddenTalent, 404, undefined],
    ['talent', searches.hiddenFundingRounds, 404, undefined],
    ['talent', searches.unknown, 404, undefined],
    ['talent', '99999999999999999999999', 404, undefined],
    ['talent', 'abc', 400, 'BAD_SEARCH_ID_TYPE'],
    ['talent', '1.5', 400, 'BAD_SEARCH_ID_TYPE'],
  ])('%s/%s is answered %i', async (product, id, status, errorCode) => {
    const answer = await get(`/searches/${product}/${id}`);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(record(answer).errorCode).toBe(errorCode);
  });

  it('gives metadata and the count of what the search returns', async () => {
    const { ask } = await start();
    const talent = record(await ask(`/searches/talent/${searches.globalTalent}`));
    expect(talent).toEqual({
      id: 102,
      name: 'Recommended talent',
      query_id: 5102,
      product_type: 'talent',
      is_global: true,
      full_count: 240,
    });
    expect(record(await ask(`/searches/talent/${searches.empty}`)).full_count).toBe(0);
    expect(record(await ask(`/searches/funding-rounds/${searches.fundingRounds}`))).toMatchObject({
      product_type: 'funding_rounds',
      is_global: false,
    });
  });
});

describe('GET /investors', () => {
  const find = async (query: string) => records(await get(`/investors?${query}`)).map(({ investor_id }) => investor_id);
  it.each([
    [`name=${investor.name}`, [investor.id]],
    [`name=%20%20${investor.name.toUpperCase()}%20`, [investor.id]],
    ['name=Sample+Harbor+Ventures+1', [investor.id]],
    ['name=Sample Harbor', []],
    ['name=', undefined],
    ['', undefined],
    ['name=%20&website=', undefined],
    [`name=${investor.sharedName}`, ['inv_sample4', 'inv_sample5']],
    ['website=investor-1.example', [investor.id]],
    [`website=${investor.website}`, [investor.id]],
    ['website=http://INVESTOR-1.example/team?x=1%23top', [investor.id]],
    ['website=www.investor-1.example/', [investor.id]],
    ['website=https://investor-1.example:8080', [investor.id]],
    ['website=sub.investor-1.example', []],
    ['website=investor-5.example', []],
    [`name=${investor.name}&website=${investor.website}`, [investor.id]],
    [`name=${investor.name}&website=${investor.quietWebsite}`, []],
    [`name=${investor.name}&website=`, [investor.id]],
  ])('%s finds %j', async (query, expected) => {
    if (expected === undefined)
      expect(await get(`/investors?${query}`)).toMatchObject({ status: 422, json: { errorCode: 'VALIDATION_ERROR' } });
    else expect(await find(query)).toEqual(expected);
  });

  it('names the signals of an investor, none for the quiet one', async () => {
    const { ask } = await start();
    const [active] = records(await ask(`/investors?website=${investor.website}`));
    const [quiet] = records(await ask(`/investors?website=${investor.quietWebsite}`));
    expect(quiet?.strategic_signal_ids).toEqual([]);
    const list = JSON.stringify(active?.strategic_signal_ids);
    const page = records(await ask('/investor-interest'));
    const mentioned = page.filter((signal) => JSON.stringify(signal.signal_investors).includes(`"${investor.name}"`));
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
    ['limit=25&page=2', 10],
    ['connected_on=profnet&limit=1', 1],
    ['page=99999999999999999999', 0],
  ])('%s has %i people', async (query, expected) => {
    expect(await count(query)).toBe(expected);
  });

  it.each(['page=-1', 'page=a', 'limit=0', 'limit=2.5', 'connected_on=mail', 'connected_on='])('422 for %s', async (query) => {
    expect((await get(`/network/people?${query}`)).status).toBe(422);
  });
});
