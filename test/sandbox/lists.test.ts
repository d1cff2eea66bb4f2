import { describe, expect, it } from 'vitest';
import { type Heard, record, records, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { lists } = landmarks;

it('lists companies lists that are shared, made by the API or global, and no others', async () => {
  const { shared, created, global, empty } = lists.companies;
  const found = records(await (await start()).ask('/lists/companies'));
  expect(found.map(({ id }) => id)).toEqual([shared, created, global, empty]);
  expect(found.map(({ is_global }) => is_global)).toEqual([false, false, true, false]);
  expect(found.map(({ company_count }) => company_count)).toEqual([8, 3, 10, 0]);
  expect(found.map(({ shared_with }) => shared_with)).toEqual([['user-sample-1', 'user-sample-2'], [], [], []]);
});

const kinds = ['companies', 'people', 'investors'] as const;

describe.each(kinds)('DELETE /lists/%s', (kind) => {
  const ids = lists[kind];
  it.each([
    ['a shared list', ids.shared, true],
    ['a list made by the API', ids.created, true],
    ['a list in upper case', ids.empty.toUpperCase(), true],
    ['the team’s own list', ids.teamOnly, false],
    ['an unknown list', ids.unknown, false],
    ['a list of another kind', lists[kind === 'people' ? 'companies' : 'people'].shared, false],
  ])('%s', async (_name, id, exists) => {
    const { ask } = await start();
    const remove = () => ask(`/lists/${kind}/${id}`, { method: 'DELETE' });
    expect((await remove()).status).toBe(exists ? { companies: 200, people: 200, investors: 204 }[kind] : 404);
    expect((await remove()).status).toBe(404);
  });

  it('400 for what is no UUID, 403 for a global list', async () => {
    const { ask } = await start();
    for (const id of ['1', 'abc', `${ids.shared}0`, '%E0%A4%A', 'c0000000x0000-4000-8000-000000000001']) {
      const answer = await ask(`/lists/${kind}/${id}`, { method: 'DELETE' });
      expect(answer).toMatchObject({ status: 400, json: { errorCode: 'INVALID_LIST_UUID' } });
    }
    expect(await ask(`/lists/${kind}/${ids.global}`, { method: 'DELETE' })).toMatchObject({
      status: 403,
      json: { errorCode: 'NOT_PERMITTED' },
    });
  });
});

it('shows a deleted list nowhere any more', async () => {
  const { ask } = await start();
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
      investors: [{ investor_id: 'inv_sample2' }, { investor_id: 'inv_sample3' }, { investor_id: 'inv_sample4' }],
    });
  });
});

describe('PATCH /lists/people', () => {
  const members = (heard: Heard) => {
    const { people } = record(heard);
    return Array.isArray(people) ? people.map((member: { person_id: string }) => member.person_id) : [];
  };
  const patch = async (body: unknown, id: string = lists.people.created) =>
    (await start({ now: () => 86_400_000 })).ask(`/lists/people/${id}`, { method: 'PATCH', body });
  const before = ['per_sample2', 'per_sample3', 'per_sample4'];

  it.each([
    ['adds', { add_ids: ['per_sample9'] }, [...before, 'per_sample9']],
    ['adds once', { add_ids: ['per_sample9', 'per_sample9', 'per_sample2'] }, [...before, 'per_sample9']],
    ['deletes', { delete_ids: ['per_sample3'] }, ['per_sample2', 'per_sample4']],
    ['does both', { add_ids: ['per_sample9'], delete_ids: ['per_sample2'] }, ['per_sample3', 'per_sample4', 'per_sample9']],
    [
      'deletes what stands in both',
      { add_ids: ['per_sample9', 'per_sample2'], delete_ids: ['per_sample9', 'per_sample2'] },
      ['per_sample3', 'per_sample4'],
    ],
    ['passes over unknown people', { add_ids: ['per_nobody', 'x'], delete_ids: ['per_nobody'] }, before],
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
