/** Redirects: followed inside the origin, refused where the key or the meaning of the request would get lost. */
import { expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { failureIn, serve, testKey } from './calling.ts';

const { getPerson, resolvePeople } = operations;
const person = { path: { personId: 'per_1' } };
const batch = { path: {}, body: { to_resolve: [{ profnet_id: 'ada' }] } };
const ok = { json: { person_id: 'per_1' } };
const to = (status: number, location: string) => ({ status, headers: { location }, text: '' });

test.each([301, 302, 303, 307, 308])('%d of a GET inside the origin is followed, key and all', async (status) => {
  const { client, requests } = await serve((_request, _response, count) => (count === 1 ? to(status, '/api/v2/people/per_1?x=1') : ok));
  expect((await client.call(getPerson, person)).body).toEqual(ok.json);
  expect(requests.map(({ method, path, headers }) => [method, path, headers['x-api-key']])).toEqual([
    ['GET', '/api/v1/people/per_1', testKey],
    ['GET', '/api/v2/people/per_1?x=1', testKey],
  ]);
});

test('a relative target, and the whole URL of the same origin', async () => {
  const { client, requests, baseUrl } = await serve((_request, _response, count) =>
    count === 1 ? to(307, 'per_2') : count === 2 ? to(307, `${baseUrl}/people/per_3`) : ok,
  );
  await client.call(getPerson, person);
  expect(requests.map(({ path }) => path.slice(-5))).toEqual(['per_1', 'per_2', 'per_3']);
});

test('another scheme, another port, a name for the same address: other origins', async () => {
  for (const target of ['https://127.0.0.1/x', '//127.0.0.1:1/x', 'http://localhost/x', 'file:///etc/passwd', 'http://[']) {
    const { client, requests } = await serve(() => to(302, target));
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({ code: 'unavailable', billed: 'no' });
    expect(requests).toHaveLength(1);
  }
});

test.each([301, 302, 303])('%d of a POST would lose its body: an error', async (status) => {
  const { client, requests } = await serve(() => to(status, '/api/v1/elsewhere'));
  expect(await failureIn(client.call(resolvePeople, batch))).toMatchObject({ code: 'unavailable', billed: 'no' });
  expect(requests).toHaveLength(1);
});

test.each([307, 308])('%d of a POST keeps method and body', async (status) => {
  const { client, requests } = await serve((_request, _response, count) => (count === 1 ? to(status, '/api/v1/elsewhere') : { json: [] }));
  await client.call(resolvePeople, batch);
  expect(requests[1]).toMatchObject({ method: 'POST', path: '/api/v1/elsewhere', body: requests[0]?.body });
});

test('five in a row are followed, and no more', async () => {
  const served = (redirects: number) => serve((_request, _response, count) => (count <= redirects ? to(307, `per_${count}`) : ok));
  const few = await served(5);
  expect((await few.client.call(getPerson, person)).body).toEqual(ok.json);
  const many = await served(6);
  expect(await failureIn(many.client.call(getPerson, person))).toMatchObject({ code: 'unavailable', billed: 'no' });
  expect(many.requests).toHaveLength(6);
});
