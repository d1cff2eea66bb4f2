/** Our own files after a stranger, an editor or a dying disk had them: configuration, journal, ledger, bookmark, locks. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Origin, startOrigin } from '../support/origin.ts';
import { idIn, idsIn } from '../support/records.ts';
import { newFolder, type RunResult } from '../support/run.ts';
import { ledgerFileOf, rowsIn } from '../support/service.ts';
import { fuzz, seed, testTimeout } from './budget.ts';
import { edited, edits, exchanged, exchanges } from './edits.ts';
import { type Format, judged } from './verdict.ts';

let service: Origin;
const home = newFolder();
const place = {
  config: join(home, 'config', 'pdi', 'config.json'),
  ledger: ledgerFileOf({ home }),
  bookmark: join(home, 'state', 'pdi', 'bookmarks', 'default.json'),
  out: join(home, 'out.csv'),
  journal: join(home, 'out.csv.journal'),
  input: join(home, 'ids.txt'),
};
const ids = ['per_1', 'per_2', 'per_3', 'per_4'];
const good = { journal: '', ledger: '', bookmark: '' };
const signals = ['a', 'b'].map((id) => ({ signal_id: id, signal_date: '2026-06-30', signal_type: 'Company' }));

const pdi = (argv: readonly string[], format: Format): Promise<RunResult> =>
  judged([...argv, '--retries', '0'], format, { home, env: { PDI_BASE_URL: service.baseUrl } });

const job = ['person', '-i', place.input, '--out', place.out, '--fields', 'person_id'];
const since = ['feed', '--all', '--since-last'];

/** Files as the program itself leaves them: a job with one answer lost, one failed, and what it bought. */
beforeAll(async () => {
  service = await startOrigin(({ path }, response, count) => {
    if (path.includes('/investor-interest')) return { json: signals };
    if (count > ids.length) return { json: { person_id: idIn(path) } };
    if (path.endsWith('per_2')) return void response.destroy();
    return path.endsWith('per_3') ? { status: 404, json: {} } : { json: { person_id: idIn(path), exact: 12345678901234 } };
  });
  writeFileSync(place.input, ids.join('\n'));
  await pdi(job, 'csv');
  good.journal = readFileSync(place.journal, 'utf8');
  good.ledger = readFileSync(place.ledger, 'utf8');
  await pdi(since, 'csv');
  good.bookmark = readFileSync(place.bookmark, 'utf8');
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
  const changed = lines.map((one, index) => (index === chosen ? exchanged(one, values) : one)).join('\n');
  return edited(changed, all).toWellFormed();
}

it(`seed ${seed}: no configuration makes a bug, and none is lost`, { timeout: testTimeout }, async () => {
  const text =
    '{"profiles":{"default":{"output":"csv","max-billable":5,"api-key":"stored-key-of-nobody","api-key-for":"https://a.example/api/v1"},"work":{"base-url":"https://b.example/api/v1","timeout":"2.5","later":{"x":[1]}}},"more":[1,2]}';
  const commands = [
    ['config', 'list'],
    ['config', 'get', 'output'],
    ['config', 'set', 'timeout', '7'],
    ['config', 'unset', 'output'],
    ['config', 'profiles'],
    ['person', 'per_1', '--dry-run'],
  ];
  // A plan is no table: its csv is text.
  const formats = fc.constantFrom<Format>('json', 'joined', 'table');
  const property = fc.asyncProperty(changes, fc.constantFrom(...commands), formats, fc.boolean(), async (given, command, format, named) => {
    const stored = spoilt(text, { ...given, line: 0 });
    put(place.config, stored);
    const { code, stderr } = await pdi([...command, ...(named ? ['--profile', 'work'] : [])], format);
    expect(code, stderr).not.toBe(1);
    const after = readFileSync(place.config, 'utf8');
    if (code !== 0 || !['set', 'unset'].includes(command[1] ?? '')) expect(after).toBe(stored);
    else JSON.parse(after.replace(/^\ufeff/, ''));
    rmSync(dirname(place.config), { recursive: true });
  });
  await fuzz('configurations', property);
});

it(`seed ${seed}: no journal makes a bug or a wrong row, and none that is refused is touched`, { timeout: testTimeout }, async () => {
  const more = fc.constantFrom<readonly string[]>([], ['--retry-unknown'], ['--dry-run'], ['--restart', '--force']);
  const property = fc.asyncProperty(changes, more, async (given, flags) => {
    const stored = spoilt(good.journal, given);
    put(place.journal, stored);
    rmSync(place.out, { force: true });
    const { code, stderr } = await pdi([...job, ...flags], 'joined');
    expect([0, 2, 8], stderr).toContain(code);
    if (code === 2 || flags.includes('--dry-run')) expect(readFileSync(place.journal, 'utf8')).toBe(stored);
    else expect(rowsIn(place.out).map(({ input }) => input)).toEqual(ids);
  });
  await fuzz('journals', property);
});

it(`seed ${seed}: no ledger makes a bug, stops a purchase, or loses a line`, { timeout: testTimeout }, async () => {
  const by = fc.constantFrom('day', 'month', 'command', 'profile,day');
  const property = fc.asyncProperty(changes, by, fc.constantFrom<Format>('json', 'csv', 'table'), async (given, column, format) => {
    const stored = Buffer.from(spoilt(good.ledger, given));
    put(place.ledger, '');
    writeFileSync(place.ledger, stored);
    const spend = await pdi(['spend', '--by', column], format);
    // A changed version may be a newer one.
    if (spend.code !== 0) expect(spend.stderr).toContain('was written by a newer pdi');
    expect((await pdi(['person', 'per_9'], format)).code).toBe(0);
    const after = readFileSync(place.ledger);
    expect(after.subarray(0, stored.length).equals(stored)).toBe(true);
    const added = after.subarray(stored.length).toString().trim().split('\n');
    expect(added.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'sent', item: 'per_9' }),
      expect.objectContaining({ event: 'billed' }),
    ]);
  });
  await fuzz('ledgers', property);
});

it(`seed ${seed}: no bookmark or lock makes a bug, and none that is refused is touched`, { timeout: testTimeout }, async () => {
  const claim = `\n{"token":"t","pid":4194304,"host":${JSON.stringify(hostname())},"since":"2026-01-01T00:00:00.000Z"}\n{"left":"t"}\n`;
  const lock = fc.option(changes, { nil: undefined });
  const property = fc.asyncProperty(changes, lock, fc.constantFrom<Format>('json', 'ndjson', 'csv'), async (given, locked, format) => {
    const stored = spoilt(good.bookmark, given);
    put(place.bookmark, stored);
    if (locked !== undefined) put(`${place.bookmark}.lock`, spoilt(claim, locked));
    const { code, stdout, stderr } = await pdi(since, format);
    // A damaged bookmark is no mistake of the user's: 1, in words.
    expect([0, 1, 2], stderr).toContain(code);
    const after = readFileSync(place.bookmark, 'utf8');
    if (code === 0) {
      const { pdi_bookmark, delivered } = JSON.parse(after);
      // Another day as the newest may leave nothing to remember; what this run delivered is remembered in any case.
      expect([pdi_bookmark, Object.values(delivered).flat()]).toEqual([2, expect.arrayContaining([...idsIn(stdout)])]);
    } else expect([after, stdout]).toEqual([stored, '']);
    rmSync(`${place.bookmark}.lock`, { force: true });
  });
  await fuzz('bookmarks', property);
});
