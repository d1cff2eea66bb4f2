/** What an error says to do must help where it is said. */
import { describe, expect, it } from 'vitest';
import { errorOf, origin } from '../support/service.ts';

const notFound = () => ({ status: 404, json: { message: 'nothing here' } });
const unavailable = () => ({ status: 503, text: '<html>maintenance</html>' });

describe('404', () => {
  it.each([
    'health',
    'feed',
    'feed --after 2026-01-01',
    'network',
    'lists companies list',
    'resolve ada-sample-1',
    'investors --name Harbor',
  ])('%s names nothing that could be missing: the base URL is wrong', async (argv) => {
    const { pdi } = await origin(notFound);
    expect(errorOf(await pdi(argv)).hint).toMatch(/^check that the base URL/);
  });

  it.each([
    'person per_1',
    'feed --search 7',
    'feed --list c0000000-0000-4000-8000-000000000001',
    'lists investors get d0000000-0000-4000-8000-000000000001',
    'searches talent 7',
  ])('%s names what may not be shared', async (argv) => {
    const { pdi } = await origin(notFound);
    expect(errorOf(await pdi(argv)).hint).toContain('Share to API');
  });
});

it('of a 503, health does not send to itself', async () => {
  const { pdi } = await origin(unavailable);
  expect(errorOf(await pdi('health --retries 0')).hint).toBe('try again later, or poll with `pdi health --wait SECONDS`');
  expect(errorOf(await pdi('person per_1 --retries 0')).hint).toContain('`pdi health` tells');
});
