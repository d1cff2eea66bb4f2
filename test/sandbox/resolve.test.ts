import { describe, expect, it } from 'vitest';
import { nameOf } from '../../src/sandbox/dataset/people.ts';
import { createWorld } from '../../src/sandbox/world.ts';
import { record, records, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { person } = landmarks;
const resolve = async (body: unknown) =>
  (await start()).ask('/people/resolve', { method: 'POST', body });
const found = [{ person_id: person.id, full_name: person.name, profnet_url: person.url }];

it.each([
  { profnet_url: person.url },
  { profnet_url: 'http://www.profnet.example/in/ada-sample-1' },
  { profnet_url: 'http://profnet.example/in/ada-sample-1' },
  { profnet_url: 'https://profnet.example/in/%61da-sample-1' },
  { profnet_id: person.slug },
  { profnet_num_id: person.memberId },
  { profnet_urn: person.urn },
])('finds the one profile of %j', async (query) => {
  const answer = await resolve({ to_resolve: [query] });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual([{ query, matches: found }]);
});

it.each([
  { profnet_url: 'https://www.profnet.example/in/nobody' },
  { profnet_url: 'https://other.example/in/ada-sample-1' },
  { profnet_url: 'https://fr.profnet.example/in/ada-sample-1' },
  { profnet_url: 'https://www.profnet.example/in/ada-sample-1/' },
  { profnet_url: 'https://www.profnet.example/fr/in/ada-sample-1' },
  { profnet_url: 'https://www.profnet.example/in/ada-sample-1?from=mail' },
  { profnet_url: 'https://www.profnet.example/IN/ada-sample-1' },
  { profnet_url: 'https://www.profnet.example/in/Ada-Sample-1' },
  { profnet_url: 'https://www.profnet.example/company/ada-sample-1' },
  { profnet_url: 'https://www.profnet.example/in/eve-sample-1' },
  { profnet_id: 'ada-sample-121' },
  { profnet_id: 'ada-sample-01' },
  { profnet_num_id: 5 },
  { profnet_num_id: 700_000_002 },
  { profnet_urn: 'urn:profnet:member:S121' },
])('answers no matches for %j', async (query) => {
  expect((await resolve({ to_resolve: [query] })).json).toEqual([{ query, matches: [] }]);
});

it('holds slugs with accents, written as they are or percent-encoded', async () => {
  const data = createWorld({ people: 120, seed: 1 }).dataset;
  const { slug, profnet_url: url, person_id: personId } = nameOf(data, 97);
  expect(url).toBe(`https://www.profnet.example/in/${encodeURIComponent(slug)}`);
  const query = [
    { profnet_url: url },
    { profnet_url: `https://www.profnet.example/in/${slug}` },
    { profnet_id: slug },
  ];
  const groups = records(await resolve({ to_resolve: query }));
  expect(groups.map(({ matches }) => matches)).toMatchObject(
    query.map(() => [{ person_id: personId }]),
  );
});

it('keeps the order of the input, duplicates and gaps included', async () => {
  const items = [
    { profnet_id: 'nobody' },
    { profnet_id: person.slug },
    { profnet_urn: person.urn },
    { profnet_id: person.slug },
  ];
  const groups = records(await resolve({ to_resolve: items }));
  expect(groups.map(({ query }) => query)).toEqual(items);
  expect(groups.map(({ matches }) => matches)).toEqual([[], found, found, found]);
});

it.each(['9007199254740991', '9007199254740993', '123456789012345678901234567890', '700000001.0'])(
  'echoes %s digit by digit',
  async (digits) => {
    const answer = await resolve(`{"to_resolve":[{"profnet_num_id":${digits}}]}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"query":{"profnet_num_id":${digits}}`);
  },
);

it('tells two member ids apart that are one double', async () => {
  const { beyond } = landmarks.largeMembers;
  expect((await resolve(`{"to_resolve":[{"profnet_num_id":${beyond.digits}}]}`)).text).toContain(
    beyond.id,
  );
  expect((await resolve('{"to_resolve":[{"profnet_num_id":9007199254740992}]}')).text).toContain(
    '"matches":[]',
  );
});

const good = { profnet_id: person.slug };
describe('422 for the whole request', () => {
  it.each<readonly [string, unknown]>([
    ['no body', undefined],
    ['not JSON', '{"to_resolve":['],
    ['not an object', '[]'],
    ['to_resolve missing', {}],
    ['to_resolve empty', { to_resolve: [] }],
    ['51 items', { to_resolve: Array.from({ length: 51 }, () => good) }],
    ['an extra property', { to_resolve: [good], enrich: true }],
    ['no field', { to_resolve: [good, {}] }],
    ['two fields', { to_resolve: [good, { ...good, profnet_urn: person.urn }] }],
    ['an unknown field', { to_resolve: [good, { email: 'ada@sample.example' }] }],
    ['null for a value', { to_resolve: [{ profnet_id: null }] }],
    ['a text for an item', { to_resolve: [person.slug] }],
    ['a blank text', { to_resolve: [{ profnet_urn: '  ' }] }],
    ['a number for a text', { to_resolve: [{ profnet_id: 7 }] }],
    ['a text for the number', { to_resolve: [{ profnet_num_id: '700000001' }] }],
    ['a fraction', { to_resolve: [{ profnet_num_id: 1.5 }] }],
    ['a large fraction', '{"to_resolve":[{"profnet_num_id":1.50000000000000000001}]}'],
    [
      'a URL with a blank slug',
      { to_resolve: [{ profnet_url: 'https://www.profnet.example/in/%20' }] },
    ],
    ['a URL without slug', { to_resolve: [{ profnet_url: 'https://www.profnet.example/' }] }],
    [
      'a URL without scheme',
      { to_resolve: [{ profnet_url: 'www.profnet.example/in/ada-sample-1' }] },
    ],
  ])('%s', async (_name, body) => {
    const answer = await resolve(body);
    expect(answer.status).toBe(422);
    expect(record(answer)).toEqual({
      errorCode: 'VALIDATION_ERROR',
      message: expect.stringMatching(/\w/),
    });
  });

  it('names the item that is wrong', async () => {
    expect(record(await resolve({ to_resolve: [good, {}] })).message).toBe(
      'to_resolve.1 has 0 identifiers, exactly one is needed',
    );
    expect(record(await resolve({ to_resolve: [good, { email: 'x' }] })).message).toBe(
      'body.to_resolve.1: Unrecognized key: "email"',
    );
  });
});
