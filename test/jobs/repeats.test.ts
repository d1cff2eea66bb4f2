/** Identical identifiers in a job of many thousand: what is charged is asked for once, however far apart they stand. */
import { expect, it } from 'vitest';
import { idIn, personIds } from '../support/records.ts';
import { against, answering, linesFile, newFile, summaryOf } from '../support/service.ts';

/** More than a job of free calls remembers. */
const ids = personIds(13_000);

it.each([
  ['standard output', () => []],
  ['a file', () => ['--out', newFile()]],
])('bills a person once that comes again 13,000 rows later, to %s', async (_where, to) => {
  const service = await answering(({ path }) => ({ text: `{"person_id":"${idIn(path)}"}` }));
  const input = linesFile([...ids, ...ids.slice(0, 1)]);
  const argv = ['person', '-i', input, '-o', 'ndjson', '--max-billable', 'unlimited', '--concurrency', '50'];
  const result = await against(service, [...argv, ...to()]);
  expect(service.requests).toHaveLength(13_000);
  expect(summaryOf(result)).toMatchObject({ rows: 13_001, ok: 13_001, calls_billed: 13_000 });
});
