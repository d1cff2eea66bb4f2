/** Half a character, as a program leaves it that cuts a text anywhere, is U+FFFD in every format, with one notice. */
import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseJson, wasMended } from '../src/json/exact.ts';
import { bookOf, row } from './input/book.ts';
import { readParquet } from './support/parquet.ts';
import { idIn } from './support/records.ts';
import { fileOf, newFile, origin } from './support/service.ts';

const half = /\\u[dD][89a-fA-F]/;
const notice = /rows? holds? half a character \(a lone surrogate\), written as U\+FFFD/g;

/** The first half, the second half, halves in the wrong order, and beside a whole character; in small and capital letters. */
const texts = ['cut \\ud83d', '\\uDE00 cut', '\\ude00\\ud83d', '\\ud83d\\ude00\\uD83D'];
const whole = ['cut \ufffd', '\ufffd cut', '\ufffd\ufffd', '\ud83d\ude00\ufffd'];

const cutting = () =>
  origin(({ path }) => {
    const at = Number(idIn(path).replace('per_', ''));
    const about = texts[at - 1] ?? 'whole';
    return { text: `{"person_id":"${idIn(path)}","full_name":"${about}","skills":["${about}"],"num":9007199254740993}` };
  });

const ids = ['per_1', 'per_2', 'per_3', 'per_4', 'per_5'];
const partsOf = (book: string) => Object.values(unzipSync(readFileSync(book))).map((part) => strFromU8(part));

describe('an answer of the service', () => {
  it.each(['json', 'ndjson', 'csv', 'table'])('in %s', async (format) => {
    const { pdi } = await cutting();
    const { code, stdout, stderr } = await pdi(['person', ...ids, '-o', format]);
    expect(code).toBe(0);
    for (const text of whole) expect(stdout).toContain(text);
    expect(stdout).not.toMatch(half);
    expect(stdout.isWellFormed()).toBe(true);
    expect(stderr.match(notice)).toEqual(['rows hold half a character (a lone surrogate), written as U+FFFD']);
    expect(stderr).toContain('4 rows hold');
    if (format === 'json' || format === 'ndjson') expect(stdout).toContain('9007199254740993');
  });

  it('in a workbook and in Parquet', async () => {
    const { pdi } = await cutting();
    const [book, parquet] = [newFile('a.xlsx'), newFile('a.parquet')];
    for (const out of [book, parquet]) expect((await pdi(['person', ...ids, '--out', out])).stderr.match(notice)).toHaveLength(1);
    const parts = partsOf(book).join('');
    const { rows } = await readParquet(readFileSync(parquet));
    expect(rows.map(({ full_name }) => full_name)).toEqual([...whole, 'whole']);
    for (const text of whole) expect(parts).toContain(text);
  });

  it('of one record', async () => {
    const { stdout, stderr } = await (await cutting()).pdi(['person', 'per_1', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ full_name: 'cut \ufffd', skills: ['cut \ufffd'] });
    expect(stderr).toMatch(/1 row holds half a character/);
  });
});

it("an answer of the book or of a journal tells of it too, and is the service's own text", async () => {
  const { pdi, service } = await cutting();
  for (const format of ['json', 'csv', 'ndjson']) {
    const { stdout, stderr } = await pdi(['person', ...ids, '-o', format, '--max-age', '1h']);
    expect(stdout).toContain('cut \ufffd');
    expect(stderr.match(notice)).toHaveLength(1);
  }
  expect(service.requests).toHaveLength(ids.length);
  const [input, out] = [fileOf('in.txt', `${ids.join('\n')}\n`), newFile('a.csv')];
  const job = ['person', '-i', input, '--out', out, '--max-age', '0'];
  await pdi([...job, '--first', '1']);
  const { stderr } = await pdi(job);
  expect(stderr).toContain('1 from the journal');
  expect(stderr).toContain('4 rows hold half a character');
});

it('own input that comes back, and what convert reads', async () => {
  const input = fileOf('in.ndjson', '{"person_id":"per_5","note":"cut \\ud83d"}\n{"person_id":"per_6","note":"x"}\n');
  const joined = await (await cutting()).pdi(['person', '-i', input, '--with-input', '-o', 'ndjson']);
  expect(joined.stdout).toContain('"note":"cut \ufffd"');
  expect(joined.stdout).not.toMatch(half);
  expect(joined.stderr.match(notice)).toHaveLength(1);
  for (const format of ['json', 'ndjson', 'csv']) {
    const file = fileOf('in.ndjson', '{"person_id":"per_1","full_name":"cut \\uD83D"}\n');
    const { code, stdout, stderr } = await (await cutting()).pdi(['convert', file, '-o', format]);
    expect(code).toBe(0);
    expect(stdout).toContain('cut \ufffd');
    expect(stderr.match(notice)).toHaveLength(1);
  }
});

it('a cell of a workbook that holds one, and a whole character in two halves', async () => {
  const sheets = { One: row(1, 'person_id', 'full_name') + row(2, 'per_1', 'cut _xD83D_ _xD83D__xDE00_') };
  const { pdi } = await cutting();
  expect((await pdi(['convert', fileOf('in.xlsx', bookOf({ sheets })), '-o', 'ndjson'])).stdout).toContain('"cut \ufffd \ud83d\ude00"');
});

describe('a value', () => {
  it.each(['{"a":"\\ud83d\\ude00"}', '{"a":"\\\\ud83d"}', '{"a":"\\u00e9"}', '"x"', '[{"a":1.50}]'])('%s is whole', (text) => {
    expect(wasMended(parseJson(text))).toBe(false);
  });

  it('names of fields are mended too, and its own text stays', () => {
    expect(parseJson('{"\\ud83d":{"b":["\\\\ud83d","\\udc00"]}}')).toMatchObject({ '\ufffd': { b: ['\\ud83d', '\ufffd'] } });
    expect(wasMended(parseJson('[{"a":{"b":["\\udc00"]}},1]'))).toBe(true);
  });
});

it.each(['', 'x'])('pdi cuts no character in half where a text is too long (behind %j)', async (before) => {
  const text = before + '\u{1f600}'.repeat(20_000);
  const missing = { status: 404, json: { errorCode: 'NOT_FOUND', message: text } };
  const person = { json: { person_id: 'per_1', about: text, years_of_experience: text } };
  const { pdi } = await origin(({ path }) => (idIn(path) === 'per_1' ? person : missing));
  const book = newFile('a.xlsx');
  const runs = [await pdi('person per_1 -o table', { terminal: true })];
  for (const line of ['person per_1 -o csv', `person per_1 --out ${book}`, 'person per_2 -o json']) runs.push(await pdi(line));
  const said = [...partsOf(book), ...runs.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  expect(said.flatMap((all) => all.match(/.{0,30}(?:\ufffd|\\ud83d|half).{0,30}/u)?.[0] ?? [])).toEqual([]);
});
