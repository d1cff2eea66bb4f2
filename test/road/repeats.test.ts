/** Identical identifiers in a job of many thousand: what is charged is asked for once, however far apart they stand. */
import { expect, it } from 'vitest';
import { idIn, personIds } from '../support/records.ts';
import { against, answering, linesFile, newFile, summaryOf } from '../support/service.ts';

it.each([
  // More than a job of free calls remembers.
  ['standard output', 10_050, () => []],
  ['a file', 100, () => ['--out', newFile()]],
])('bills a person once that comes again, to %s, after %i rows', { timeout: 60_000 }, async (_where, count, to) => {
  const ids = personIds(count);
  const service = await answering(({ path }) => ({ text: `{"person_id":"${idIn(path)}"}` }));
  const input = linesFile([...ids, ...ids.slice(0, 1)]);
  const argv = ['person', '-i', input, '-o', 'ndjson', '--max-billable', 'unlimited', '--concurrency', '50'];
  const result = await against(service, [...argv, ...to()]);
  expect(service.requests).toHaveLength(count);
  expect(summaryOf(result)).toMatchObject({ rows: count + 1, ok: count + 1, calls_billed: count });
});
