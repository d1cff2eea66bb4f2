/** A job over a path that no document has, killed three times: the origin's own count of its calls is the judge. */
import { expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';
import { answering, linesFile, newFile, statusesIn } from '../support/service.ts';
import { eventually, pdi } from './process.ts';

it('is billed once for each row, and the same command goes on', async () => {
  const { baseUrl, requests } = await answering(({ path }) => ({ json: { id: path } }));
  const place = { home: newFolder(), baseUrl };
  const [out, ids] = [newFile('out.csv'), Array.from({ length: 81 }, (_, at) => `c-${at}`)];
  const file = ['-i', linesFile(['cid', ...ids]), '--out', out];
  const argv = ['api', 'GET', '/companies/{cid}/people', '--billing', 'charged', ...file];
  for (const calls of [10, 30, 50]) {
    const run = pdi([...argv, '--rate', '50'], place);
    await eventually(() => requests.length >= calls || undefined);
    run.child.kill('SIGKILL');
    await run.ended;
  }
  const { code, stderr } = await pdi(argv, place).ended;
  const unknown = statusesIn(out).filter((status) => status !== 'ok').length;
  expect([code, new Set(requests.map(({ path }) => path)).size, requests.length]).toEqual([
    unknown === 0 ? 0 : 8,
    81,
    81,
  ]);
  expect(stderr).toContain(`81 rows: ${81 - unknown} ok`);
});
