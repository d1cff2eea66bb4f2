/** Ids of every kind, as people copy them: what stands around them is not sent. */
import { expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import { fileOf, linesFile, origin } from '../support/service.ts';

const { lists, searches, company } = landmarks;
const around = (id: string): readonly string[] => [`"${id}"`, `="${id}"`, `<${id}>`, `'${id}`, `\u200b${id} `];

it.each<readonly [words: readonly string[], id: string, more: readonly string[]]>([
  [['person'], 'per_sample1', []],
  [['revenue'], company.withRevenue, []],
  [['searches', 'talent'], searches.talent, []],
  [['searches', 'funding-rounds'], searches.fundingRounds, []],
  [['lists', 'investors', 'get'], lists.investors.shared, []],
  [['lists', 'people', 'modify'], lists.people.shared, ['--add', 'per_sample2']],
  [['lists', 'people', 'delete'], lists.people.shared, ['--yes']],
  [['feed', '--list'], lists.companies.shared, []],
  [['feed', '--search'], searches.fundingRounds, []],
])('%j', async (words, id, more) => {
  for (const written of around(id)) {
    const { service, pdi } = await origin(() => ({ status: 404, json: {} }));
    await pdi([...words, written, ...more]);
    expect(service.requests.map(({ path }) => path)).toEqual([expect.stringMatching(new RegExp(`[/=]${id}(?:[/&]|$)`))]);
  }
});

it('ids of a list change, from arguments and files', async () => {
  const { service, pdi } = await origin(() => ({ json: {} }));
  const file = linesFile(around('per_2'));
  await pdi(['lists', 'people', 'modify', lists.people.shared, '--add', ...around('per_1'), '--delete-from', file]);
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([{ add_ids: ['per_1'], delete_ids: ['per_2'] }]);
});

it('rows that ask for one person in several ways are one call, and keep their cells', async ({ service, pdi }) => {
  const cells = ['per_sample1', '"=""per_sample1"""', "'per_sample1", '<per_sample1>'];
  const file = fileOf('people.csv', `person_id\n${cells.join('\n')}\n`);
  const { stdout } = await pdi(['person', '-i', file, '-o', 'csv', '--fields', 'full_name']);
  expect(stdout).toBe(`person_id,full_name,pdi_status,pdi_error\n${cells.map((cell) => `${cell},Ada Sample-1,ok,\n`).join('')}`);
  expect(service.bill()).toHaveLength(1);
});
