/** Our own files after a stranger, an editor or a dying disk had them: configuration, journal, book. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Origin, startOrigin } from '../support/origin.ts';
import { idIn } from '../support/records.ts';
import { newFolder, type RunResult } from '../support/run.ts';
import { booksAreClosed, rowsIn } from '../support/service.ts';
import { fuzz, seed, testTimeout } from './budget.ts';
import { edited, edits, exchanged, exchanges } from './edits.ts';
import { type Format, judged } from './verdict.ts';

let service: Origin;
const home = newFolder();
const place = {
  config: join(home, 'config', 'pdi', 'config.json'),
  book: join(home, 'state', 'pdi', 'book.db'),
  out: join(home, 'out.csv'),
  journal: join(home, 'out.csv.journal'),
  input: join(home, 'ids.txt'),
};
const ids = ['per_1', 'per_2', 'per_3', 'per_4'];
const good = { journal: '', book: Buffer.alloc(0) };
const signals = ['a', 'b'].map((id) => ({
  signal_id: id,
  signal_date: '2026-06-30',
  signal_type: 'Company',
}));

const pdi = (argv: readonly string[], format: Format): Promise<RunResult> =>
  judged([...argv, '--retries', '0'], format, { home, env: { PDI_BASE_URL: service.baseUrl } });

const job = ['person', '-i', place.input, '--out', place.out, '--fields', 'person_id'];
const since = ['feed', '--since-last', '--after', '0001-01-01'];

/** Files as the program itself leaves them: a job with one answer lost, one failed, and what it bought. */
beforeAll(async () => {
  service = await startOrigin(({ path }, response, count) => {
    if (path.includes('/investor-interest')) return { json: signals };
    if (count > ids.length) return { json: { person_id: idIn(path) } };
    if (path.endsWith('per_2')) return void response.destroy();
    return path.endsWith('per_3')
      ? { status: 404, json: {} }
      : { json: { person_id: idIn(path), exact: 12345678901234 } };
  });
  writeFileSync(place.input, ids.join('\n'));
  await pdi(job, 'csv');
  good.journal = readFileSync(place.journal, 'utf8');
  await pdi(since, 'csv');
  await pdi(['person', 'per_1', '--max-age', '12h'], 'json');
  await booksAreClosed();
  good.book = readFileSync(place.book);
});
afterAll(() => service.close());

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const changes = fc.record({ line: fc.nat(), exchanges, edits: fc.oneof(fc.constant([]), edits) });
type Changes = typeof changes extends fc.Arbitrary<infer T> ? T : never;

/** Values exchanged in one line, then the whole text edited; as a file of UTF-8 can hold it. */
function spoilt(text: string, { line, exchanges: values, edits: all }: Changes): string {
  const lines = text.split('\n');
  const chosen = line % Math.max(1, lines.length - 1);
  const changed = lines
    .map((one, index) => (index === chosen ? exchanged(one, values) : one))
    .join('\n');
  return edited(changed, all).toWellFormed();
}

it(`seed ${seed}: no configuration makes a bug, and none is lost`, {
  timeout: testTimeout,
}, async () => {
  const text =
    '{"profiles":{"default":{"output":"csv","max-billable":5,"api-key":"stored-key-of-nobody","api-key-for":"https://a.example/api/v1"},"work":{"base-url":"https://b.example/api/v1","timeout":"2.5","later":{"x":[1]}}},"more":[1,2]}';
  const settings = [
    'config list',
    'config get output',
    'config set timeout 7',
    'config unset output',
    'config profiles',
  ];
  const commands = [...settings, 'person per_1 --dry-run'].map((words) => words.split(' '));
  // A plan is no table: its csv is text.
  const formats = fc.constantFrom<Format>('json', 'joined', 'table');
  const property = fc.asyncProperty(
    changes,
    fc.constantFrom(...commands),
    formats,
    fc.boolean(),
    async (given, command, format, named) => {
      const stored = spoilt(text, { ...given, line: 0 });
      put(place.config, stored);
      const { code, stderr } = await pdi(
        [...command, ...(named ? ['--profile', 'work'] : [])],
        format,
      );
      expect(code, stderr).not.toBe(1);
      const after = readFileSync(place.config, 'utf8');
      if (code !== 0 || !['set', 'unset'].includes(command[1] ?? '')) expect(after).toBe(stored);
      else JSON.parse(after.replace(/^\ufeff/, ''));
      rmSync(dirname(place.config), { recursive: true });
    },
  );
  await fuzz('configurations', property);
});

it(`seed ${seed}: no journal makes a bug or a wrong row, and none that is refused is touched`, {
  timeout: testTimeout,
}, async () => {
  const more = fc.constantFrom<readonly string[]>(
    [],
    ['--retry-unknown'],
    ['--dry-run'],
    ['--restart', '--force'],
  );
  const property = fc.asyncProperty(changes, more, async (given, flags) => {
    const stored = spoilt(good.journal, given);
    put(place.journal, stored);
    rmSync(place.out, { force: true });
    const { code, stderr } = await pdi([...job, ...flags], 'joined');
    expect([0, 2, 8], stderr).toContain(code);
    if (code === 2 || flags.includes('--dry-run'))
      expect(readFileSync(place.journal, 'utf8')).toBe(stored);
    else expect(rowsIn(place.out).map(({ input }) => input)).toEqual(ids);
  });
  await fuzz('journals', property);
});

it(`seed ${seed}: no book makes a bug: it is used, or moved aside by name`, {
  timeout: testTimeout,
}, async () => {
  const holes = fc.array(
    fc.record({ at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 2000 }) }),
    { maxLength: 4 },
  );
  const cut = fc.option(fc.nat(), { nil: undefined });
  const property = fc.asyncProperty(
    holes,
    cut,
    fc.constantFrom<Format>('json', 'csv', 'table'),
    async (given, length, format) => {
      const spoiltHome = newFolder();
      const book = join(spoiltHome, 'state', 'pdi', 'book.db');
      const bytes = Buffer.from(good.book);
      for (const { at, bytes: hole } of given) Buffer.from(hole).copy(bytes, at % bytes.length);
      mkdirSync(dirname(book), { recursive: true });
      writeFileSync(book, length === undefined ? bytes : bytes.subarray(0, length % bytes.length));
      const place = {
        home: spoiltHome,
        env: { PDI_BASE_URL: service.baseUrl, PDI_MAX_AGE: '12h' },
      };
      for (const argv of [
        ['person', 'per_9'],
        ['person', 'per_1'],
        since,
        ['spend'],
        ['store'],
        ['bookmarks'],
      ]) {
        const { code, stderr } = await judged([...argv, '--retries', '0'], format, place);
        expect([0, 1, 2, 5], stderr).toContain(code);
        if (code === 1) expect(stderr).toMatch(/the book|in the book|another program|newer pdi/);
      }
    },
  );
  await fuzz('books', property);
});
