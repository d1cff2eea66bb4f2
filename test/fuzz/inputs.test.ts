/** Input files as strangers hand them over: lines, CSV, TSV and NDJSON, mutated from good ones, under any name. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Origin, startOrigin } from '../support/origin.ts';
import { groupOf, idIn, itemsIn } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { fuzz, seed, testTimeout } from './budget.ts';
import { type Edit, edited, edits, exchanged, exchanges } from './edits.ts';
import { judged } from './verdict.ts';

let service: Origin;
const home = newFolder();

beforeAll(async () => {
  service = await startOrigin(({ method, path, body }) =>
    method === 'POST'
      ? { json: itemsIn(body).map(groupOf) }
      : { json: { person_id: idIn(path), full_name: 'Ada' } },
  );
});
afterAll(() => service.close());

const good = {
  lines: 'ada-sample-1\r\nhttps://profnet.example/in/ben\n\n900719925474099345\nurn:profnet:1\n',
  csv: 'name,profnet_url,person_id\r\n"Sample, Ada",https://profnet.example/in/ada,per_1\r\n"two\nlines",,per_2\r\n=1+1,profnet.example/in/x,per_3\r\n',
  semicolons: 'name;person_id;profnet_id\nÄda;per_1;ada\n"Q""uote";per_2;ben\n',
  tsv: 'profnet_id\tperson_id\tnote\nada\tper_1\ta\nben\tper_2\t\n',
  ndjson:
    '{"person_id":"per_1","profnet_id":"ada"}\n{"matches":[{"person_id":"per_2"}],"query":{"profnet_num_id":12345678901234567890}}\n"per_3"\n',
} as const;

const names = ['in', 'in.txt', 'in.csv', 'in.tsv', 'in.ndjson', 'in.json'];
const columns = ['person_id', 'matches.0.person_id'].map((name) => ['--column', name]);
const formats = ['csv', 'ndjson'].map((format) => ['--input-format', format]);
const flags = [[], [], ...columns, ...formats, ['--as', 'id']];

const hostile = fc.record({
  kind: fc.constantFrom('lines', 'csv', 'semicolons', 'tsv', 'ndjson'),
  name: fc.constantFrom(...names),
  command: fc.constantFrom('resolve', 'person'),
  more: fc.constantFrom(...flags),
  exchanges,
  edits,
  asLatin1: fc.boolean(),
  bom: fc.boolean(),
  format: fc.constantFrom('json', 'ndjson', 'joined', 'table'),
});

/** NDJSON is spoilt value by value too: each line is JSON of its own. */
function spoilt(
  kind: keyof typeof good,
  values: Parameters<typeof exchanged>[1],
  all: readonly Edit[],
): string {
  const text = good[kind];
  if (kind !== 'ndjson') return edited(text, all);
  const lines = text.split('\n').map((line) => exchanged(line, values));
  return edited(lines.join('\n'), values.length > 0 ? all.slice(1) : all);
}

it(`seed ${seed}: no input makes a bug, a hang or half an output`, {
  timeout: testTimeout,
}, async () => {
  const property = fc.asyncProperty(
    hostile,
    async ({ kind, name, command, more, bom, asLatin1, format, ...changes }) => {
      const text = (bom ? '\ufeff' : '') + spoilt(kind, changes.exchanges, changes.edits);
      const file = join(home, name);
      writeFileSync(file, text, asLatin1 ? 'latin1' : 'utf8');
      const known =
        command === 'resolve' ? more : more.filter((word) => word !== '--as' && word !== 'id');
      const argv = [command, '-i', file, ...known, '--max-billable', 'unlimited', '--quiet'];
      const { code, stdout, stderr } = await judged(argv, format, {
        home,
        env: { PDI_BASE_URL: service.baseUrl },
      });
      expect(code, stderr).not.toBe(1);
      expect([0, 2, 8]).toContain(code);
      // Bad rows are rows; what says 2 without one was refused as a whole.
      if (code === 0) expect(stderr).toBe('');
      if (code === 8) expect(stdout).not.toBe('');
    },
  );
  await fuzz('inputs', property);
});
