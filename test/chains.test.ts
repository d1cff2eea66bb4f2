/** What one command writes, the next one reads: through each format, with no name twice, no row lost, and every cell as it was. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { landmarks } from './sandbox/landmarks.ts';
import { it } from './support/it.ts';
import { newFolder } from './support/run.ts';
import { fileOf, linesOf, type Pdi } from './support/service.ts';
import { play } from './support/transcript.ts';

const people = fileOf(
  'people.csv',
  'full_name,link\nA,https://www.profnet.example/in/ada-sample-1\nB,nobody-here\nC,\nD,urn:profnet:member:S3\n',
);

/** The commands of a chain; each but the first reads what the one before wrote. */
type Steps = readonly (readonly string[])[];

const resolved = ['resolve', '-i', people, '--column', 'link'];
const signals = ['feed', '--limit', '20'];
const profiles = [
  'person',
  '--fields',
  'person_id,full_name,experience.0.company_id,profnet_num_id,years_of_experience',
];

const chains: readonly Steps[] = [
  [resolved, ['person']],
  [resolved, profiles, ['revenue', '--column', 'experience.0.company_id']],
  [['network', '--limit', '20'], ['person']],
  [signals, ['person', '--column', 'entity_id']],
  [signals, ['revenue', '--column', 'entity_id']],
  [['investors', '--name', landmarks.investor.sharedName], ['person']],
  [['person', 'per_sample1', 'per_sample3'], ['person'], ['person']],
];

/** Exit codes of a chain: some rows of it have no answer. */
const fine = [0, 8];

async function run(pdi: Pdi, steps: Steps, format: string): Promise<readonly string[]> {
  const folder = newFolder();
  const files: string[] = [];
  for (const [number, step] of steps.entries()) {
    const before = files.at(-1);
    const out = join(folder, `${number}.${format}`);
    const result = await pdi([
      ...step,
      ...(before === undefined ? [] : ['-i', before]),
      '--out',
      out,
      '--max-billable',
      'unlimited',
    ]);
    expect(fine, `${step.join(' ')}: ${result.stderr}`).toContain(result.code);
    files.push(out);
  }
  return files;
}

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The rows of a CSV, its header first, as another reader has them. */
function tableOf(file: string): readonly (readonly string[])[] {
  const rows: unknown = parse(textOf(file), { bom: true });
  return Array.isArray(rows) ? rows : [];
}

const recordsIn = (file: string): readonly unknown[] =>
  file.endsWith('.json')
    ? [JSON.parse(textOf(file))].flat()
    : linesOf(textOf(file)).map((line): unknown => JSON.parse(line));

describe.each(
  chains.map((steps) => ({ steps, name: steps.map(([command]) => command).join(' to ') })),
)('$name', ({ steps }) => {
  it('through csv: what the user had, or a list gave, stands before what each found, cell by cell', async ({
    pdi,
  }) => {
    const tables = (await run(pdi, steps, 'csv')).map(tableOf);
    for (const [number, table] of tables.entries()) {
      const [header = [], ...rows] = table;
      expect(new Set(header.map((name) => name.toLowerCase())).size, header.join()).toBe(
        header.length,
      );
      expect(header.filter((name) => name.endsWith('_pdi_status'))).toEqual([]);
      const before = tables[number - 1];
      if (before === undefined) continue;
      // A job of a job replaces what that one found.
      const stays = before[0]?.includes('pdi_status') === true ? 2 : before[0]?.length;
      expect(table.map((row) => row.slice(0, stays))).toEqual(
        before.map((row) => row.slice(0, stays)),
      );
      expect(rows.every((row) => row.length === header.length)).toBe(true);
    }
  });

  it('finds the same through every format', async ({ pdi }) => {
    const [csv, ndjson, json] = [
      await run(pdi, steps, 'csv'),
      await run(pdi, steps, 'ndjson'),
      await run(pdi, steps, 'json'),
    ];
    const [header = [], ...rows] = tableOf(csv.at(-1) ?? '');
    const status = header.findLastIndex((name) => name.endsWith('pdi_status'));
    const found = recordsIn(ndjson.at(-1) ?? '').map((record) =>
      JSON.stringify(record).includes('"pdi_status"') ? 'no' : 'ok',
    );
    expect(found).toEqual(rows.map((row) => (row[status] === 'ok' ? 'ok' : 'no')));
    expect(recordsIn(json.at(-1) ?? '')).toEqual(recordsIn(ndjson.at(-1) ?? ''));
  });
});

const { lists, searches } = landmarks;
play('test/chains.txt', {
  created: lists.people.created,
  shared: lists.investors.shared,
  talent: searches.talent,
});
