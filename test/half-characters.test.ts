/** Half a character, as a program leaves it that cuts a text anywhere, is U+FFFD in every format, with one notice. */
import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseJson, wasMended } from '../src/json/exact.ts';
import { bookOf, row } from './input/book.ts';
import { readParquet } from './support/parquet.ts';
import { idIn } from './support/records.ts';
import { fileOf, newFile, origin } from './support/service.ts';
import { play } from './support/transcript.ts';

const sheets = {
  One: row(1, 'person_id', 'full_name') + row(2, 'per_1', 'cut _xD83D_ _xD83D__xDE00_'),
};
play('test/half-characters.txt', { workbook: fileOf('in.xlsx', bookOf({ sheets })) });

const partsOf = (book: string) =>
  Object.values(unzipSync(readFileSync(book))).map((part) => strFromU8(part));

it('stands so in a workbook and in Parquet', async () => {
  const { pdi } = await origin(() => ({
    text: '{"person_id":"per_1","full_name":"cut \\ud83d \\uDE00 cut \\ude00\\ud83d \\ud83d\\ude00\\uD83D"}',
  }));
  const text = 'cut \ufffd \ufffd cut \ufffd\ufffd \ud83d\ude00\ufffd';
  const [book, parquet] = [newFile('a.xlsx'), newFile('a.parquet')];
  for (const out of [book, parquet])
    expect(
      (await pdi(`person per_1 --out ${out}`)).stderr.match(/1 row holds half a character/g),
    ).toHaveLength(1);
  expect(partsOf(book).join('')).toContain(text);
  expect((await readParquet(readFileSync(parquet))).rows).toMatchObject([{ full_name: text }]);
});

describe('a value', () => {
  it.each([
    '{"a":"\\ud83d\\ude00"}',
    '{"a":"\\\\ud83d"}',
    '{"a":"\\u00e9"}',
    '"x"',
    '[{"a":1.50}]',
  ])('%s is whole', (text) => {
    expect(wasMended(parseJson(text))).toBe(false);
  });

  it('names of fields are mended too, and its own text stays', () => {
    expect(parseJson('{"\\ud83d":{"b":["\\\\ud83d","\\udc00"]}}')).toMatchObject({
      '\ufffd': { b: ['\\ud83d', '\ufffd'] },
    });
    expect(wasMended(parseJson('[{"a":{"b":["\\udc00"]}},1]'))).toBe(true);
  });
});

it.each(['', 'x'])(
  'pdi cuts no character in half where a text is too long (behind %j)',
  async (before) => {
    const text = before + '\u{1f600}'.repeat(20_000);
    const missing = { status: 404, json: { errorCode: 'NOT_FOUND', message: text } };
    const person = { json: { person_id: 'per_1', about: text, years_of_experience: text } };
    const { pdi } = await origin(({ path }) => (idIn(path) === 'per_1' ? person : missing));
    const book = newFile('a.xlsx');
    const runs = [await pdi('person per_1 -o table', { terminal: true })];
    for (const line of [
      'person per_1 -o csv',
      `person per_1 --out ${book}`,
      'person per_2 -o json',
    ])
      runs.push(await pdi(line));
    const said = [...partsOf(book), ...runs.flatMap(({ stdout, stderr }) => [stdout, stderr])];
    expect(
      said.flatMap((all) => all.match(/.{0,30}(?:\ufffd|\\ud83d|half).{0,30}/u)?.[0] ?? []),
    ).toEqual([]);
  },
);
