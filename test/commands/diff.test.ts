/** `diff`: what changed between two files, whatever their formats. What can be said in a session stands in diff.txt. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getPerson } from '../../src/contract/person.ts';
import { type Compared, changesBetween } from '../../src/convert/diff.ts';
import { isObject, type JsonObject, jsonText, parseJson } from '../../src/json/exact.ts';
import { valueAt } from '../../src/output/read.ts';
import { addDays } from '../../src/rows/days.ts';
import { memoize } from '../../src/rows/memoize.ts';
import { ApiRecord, rowsOf as rowsAs } from '../../src/rows/row.ts';
import { idIn } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import {
  cellsOf,
  fileOf,
  linesOf,
  newFile,
  origin,
  pdi,
  rowsOf,
  sandbox,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

play('test/commands/diff.txt', {
  long: 'x'.repeat(40_000),
  tiny: `1.${'0'.repeat(120)}1`,
  packed: fileOf('old.csv.gz', gzipSync('person_id,tagline\nper_1,a\n')),
});

const formats = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const;
const pairs = formats.flatMap((old, at) => formats.slice(at).map((fresh) => [old, fresh] as const));

/** The file of records in each format, by its name. */
async function inAllFormats(line: string): Promise<(format: string) => string> {
  const base = newFile('all');
  for (const format of formats) {
    const { code, stderr } = await (await sandbox()).pdi(`${line} --out ${base}.${format}`);
    expect(code, stderr).toBe(0);
  }
  return (format) => `${base}.${format}`;
}

async function diff(old: string, fresh: string) {
  const { code, stdout, stderr } = await pdi(`diff ${old} ${fresh} -o csv --no-formula-guard`);
  expect([code, stderr]).toEqual([0, '']);
  return rowsOf(stdout);
}

describe.each([
  'person per_sample1 per_sample2 per_sample3 per_nobody --accept not_found',
  'resolve ada-sample-1 nobody 700000003 --accept not_found',
  'revenue company-1 company-2',
  'feed --limit 20',
  'network --limit 20',
  'investors --website investor-2.example',
  'lists investors get d0000000-0000-4000-8000-000000000001',
])('what pdi %s wrote', (line) => {
  it('is the same in every format', async () => {
    const file = await inAllFormats(line);
    for (const [at, format] of formats.entries())
      expect(await diff(file(format), file(formats[at + 1] ?? 'csv')), format).toEqual([]);
  });
});

const ids = Array.from({ length: 9 }, (_, at) => `per_sample${at + 1}`).join(' ');
const unseen = ['last_updated', 'profile_picture_url', 'current_tenure', 'average_tenure'];

/** A month later: each kind of field, in an order and with noise that mean nothing. */
function aMonthLater(records: readonly JsonObject[]) {
  const [a = {}, b = {}, c = {}, d = {}, e = {}, f = {}, ...others] = records.map(
    (record): Record<string, unknown> => ({ ...record }),
  );
  Object.assign(a, { current_position_title: '=Chief; "of" all,\r\nand more', about: null });
  Object.assign(b, {
    profnet_followers: 12,
    current_tenure: 99,
    last_updated: '2026-12-01 00:00:00',
  });
  Object.assign(c, { skills: [...['C; C++', 'Go'], ...[c.skills].flat()].reverse() });
  Object.assign(d, { profnet_num_id: 9_007_199_254_740_992, github_url: 'https://git.example/d' });
  Object.assign(e, { skills: [e.skills].flat().reverse(), highlights: [] });
  return [...others, { ...f, person_id: 'per_new' }, d, c, b, a, e];
}

/** The rows as an analyst would find them with two lists of objects. */
function compared(old: readonly JsonObject[], fresh: readonly JsonObject[]) {
  const text = (value: unknown) => (Array.isArray(value) ? value.join('; ') : String(value ?? ''));
  const set = (value: unknown) => [...new Set(text(value).split('; '))].sort().join();
  const names = new Set([...old, ...fresh].flatMap((record) => Object.keys(record)));
  const rows = fresh.flatMap((record) => {
    const { person_id: id, full_name: name } = record;
    const was = old.find((one) => one.person_id === id);
    if (was === undefined) return [[id, name, 'added', '', '', '']];
    return [...names].flatMap((field) => {
      const [before, after] = [was[field], record[field]];
      const isSame = Array.isArray(before)
        ? set(before) === set(after)
        : text(before) === text(after);
      return isSame || unseen.includes(field)
        ? []
        : [[id, name, 'changed', field, text(before), text(after)]];
    });
  });
  const gone = old.filter(({ person_id: id }) => !fresh.some((one) => one.person_id === id));
  return [
    ...rows,
    ...gone.map(({ person_id, full_name }) => [person_id, full_name, 'removed', '', '', '']),
  ];
}

const exactly = (line: string): JsonObject => {
  const record = parseJson(line);
  return isObject(record) ? record : {};
};

/** The file of each month in each format, and how they differ. */
const month = memoize(async () => {
  const now = await inAllFormats(`person ${ids}`);
  const records = linesOf(readFileSync(now('ndjson'), 'utf8')).map(exactly);
  const changed = aMonthLater(records);
  const lines = fileOf('x.ndjson', changed.map((one) => jsonText(one)).join('\n'));
  const later = newFile('later');
  for (const format of formats)
    expect((await pdi(`convert ${lines} --out ${later}.${format}`)).code).toBe(0);
  return { now, later, wanted: compared(records, changed) };
});

it.each(pairs)('gives from %s to %s what a comparison of its own gives', async (old, fresh) => {
  const { now, later, wanted } = await month();
  for (const [from, to] of [
    [old, fresh],
    [fresh, old],
  ]) {
    const rows = await diff(now(String(from)), `${later}.${to}`);
    expect(rows.map(({ delta: _, ...row }) => Object.values(row)).sort()).toEqual(wanted.sort());
  }
});

it('compares what the book had on a day with what it has', async () => {
  const { pdi } = await origin(({ path }) => {
    const tagline = new Date().toISOString().slice(0, 10);
    const body = { person_id: idIn(path), tagline: path.endsWith('per_2') ? 'x' : tagline };
    return path.endsWith('per_3') && tagline > day(0) ? { status: 404 } : { json: body };
  });
  const today = new Date().toISOString().slice(0, 10);
  const day = (later: number) => addDays(today, later);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const env = { PDI_MAX_AGE: '12h', PDI_KEEP_VERSIONS: '3' };
  for (const [later, ids] of [
    [0, 'per_1 per_2 per_3'],
    [2, 'per_1 per_2 per_3 per_4'],
    [4, 'per_1'],
  ] as const) {
    vi.setSystemTime(Date.parse(`${day(later)}T12:00:00Z`));
    await pdi(`person ${ids} -q`, { env });
  }
  const since = async (later: number) => {
    const { stdout } = await pdi(`diff person --since ${day(later)} -o csv`);
    return [...cellsOf(stdout, 'id', 'change', 'field', 'old', 'new')].sort();
  };
  const moved = (from: number) => `per_1 | changed | tagline | ${day(from)} | ${day(4)}`;
  const [added, removed] = ['per_4 | added |  |  | ', 'per_3 | removed |  |  | '];
  expect(await since(-1)).toEqual(
    ['per_1', 'per_2', 'per_4'].map((id) => added.replace('per_4', id)),
  );
  expect(await since(0)).toEqual([moved(0), removed, added]);
  expect(await since(1)).toEqual([moved(0), removed, added]);
  expect(await since(2)).toEqual([moved(2)]);
  expect(await since(4)).toEqual([]);
});

it('writes nothing of what it has not read to the end', async () => {
  const { send, withSignal } = signalling();
  const stdin = Readable.from(
    (async function* () {
      for (let line = 0; line < 3000; line += 1) {
        if (line === 2000) send('SIGINT');
        yield Buffer.from(`{"person_id":"per_${line}","full_name":"A","tagline":"x"}\n`);
        await new Promise(setImmediate);
      }
    })(),
  );
  const old = fileOf('old.csv', 'person_id,full_name,tagline\nper_1,A,y\nper_2500,A,x\n');
  const { code, stdout } = await pdi(`diff ${old} - -o ndjson`, { stdin, withSignal });
  expect([code, stdout]).toEqual([130, '']);
});

it('reads the old side again for as many changes as there is room for', async () => {
  const columns = getPerson.columns.filter(({ name }) => name === 'tagline');
  let readings = 0;
  const side = (tagline: string): Compared => ({
    name: tagline,
    endpoint: getPerson,
    titles: new Map(),
    isWorkbook: false,
    isRounded: false,
    async *rows() {
      readings += 1;
      for (const id of ['per_1', 'per_2', 'per_3'])
        yield rowsAs([new ApiRecord({ person_id: id, tagline })]);
    },
  });
  const found: unknown[] = [];
  const say = { notice: () => undefined };
  for await (const rows of changesBetween([side('a'), side('bbb')], columns, say, 5))
    found.push(...rows.map(({ record }) => record?.value));
  expect([readings, found.map((one) => valueAt(one, 'id'))]).toEqual([
    4,
    ['per_1', 'per_2', 'per_3'],
  ]);
});
