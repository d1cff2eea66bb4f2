/** What a pipe holds is told by its bytes, whatever the pieces in which they arrive, and no later than it has to be. */
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PdiError } from '../../src/errors.ts';
import { openInput } from '../../src/input/open-input.ts';
import { personNames, rowsUntilFailure } from './reading.ts';

type Wish = Pick<
  Parameters<typeof openInput>[0],
  'candidates' | 'column' | 'headerRow' | 'inputFormat'
>;

/** What comes of a pipe that gives these pieces, a turn of the event loop each. */
async function readIn(pieces: readonly Buffer[], wish: Wish) {
  try {
    const input = await openInput({
      path: '-',
      io: { stdin: Readable.from(pieces, { objectMode: true }) },
      ...wish,
    });
    const { rows, failure } = await rowsUntilFailure(input);
    const { kind, own } = input;
    const ended = failure instanceof PdiError ? failure.message : failure;
    return {
      kind,
      ended,
      header: own?.rawHeader,
      rows: rows.map(({ line, text, invalid, label }) => ({ line, text, invalid, label })),
    };
  } catch (failure) {
    if (!(failure instanceof PdiError)) throw failure;
    return failure.message;
  }
}

function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  );
  return [...ends, bytes.length]
    .map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
    .filter((piece) => piece.length > 0);
}

function byLine(bytes: Buffer): readonly Buffer[] {
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1);
  return cutAt(bytes, ends);
}

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  utf8: (text) => Buffer.from(text),
  'utf8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  utf16: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  gzip: (text) => gzipSync(text),
};

const ids = [
  'acme',
  'c-1',
  'ör',
  'DE',
  'per_1',
  'https://www.profnet.example/in/ada',
  'https://a.example',
  'NA',
  '7',
];
const notes = [
  ...['Export of May', 'Customers', '# note', '"a note\nover two lines"', ''],
  ...['[Note] x', '[1] y', 'a;b', 'export.csv', 'Title,,', 'per_0', '"'],
];
const headers = [
  ...['company_id', 'name', 'id', 'website', 'company_id,name', 'id;name'],
  ...['Firm\tid', 'x,ID', 'name|website', '"x\ny",company_id', 'Firm,City'],
];

const tableOf = (header: string, words: readonly string[]): string => {
  const delimiter = /[,;\t|]/.exec(header)?.[0];
  return [
    header,
    ...words.map((word) => (delimiter === undefined ? word : `${word}${delimiter}${word}`)),
  ].join('\n');
};

const recordOf = (word: string) => ({ company_id: word, name: word });

const forms: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('\n'),
  ...headers.map((header) => (words: readonly string[]) => tableOf(header, words)),
  (words) => words.map((word) => JSON.stringify(recordOf(word))).join('\n'),
  (words) => words.map((word) => JSON.stringify([{ company_id: word }])).join('\n'),
  (words) => words.map((word) => JSON.stringify(word)).join('\n'),
  ...[0, 2].map(
    (gap) => (words: readonly string[]) => JSON.stringify(words.map(recordOf), undefined, gap),
  ),
  (words) => JSON.stringify(words),
];

const wishes: readonly Wish[] = [
  { candidates: ['company_id', 'id'] },
  { candidates: ['website', 'name'] },
  { candidates: personNames },
  { candidates: ['profnet_url'] },
  { candidates: ['company_id', 'id'], column: 'name' },
  { candidates: ['company_id', 'id'], headerRow: 2 },
  { candidates: ['company_id', 'id'], headerRow: 25 },
  { candidates: ['company_id', 'id'], inputFormat: 'csv' },
  { candidates: ['company_id', 'id'], inputFormat: 'lines' },
];

const inputs = fc.record({
  above: fc.array(fc.constantFrom(...notes), { maxLength: 3 }),
  words: fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 30 }),
  form: fc.constantFrom(...forms),
  end: fc.constantFrom('', '\n', '\r\n'),
  encoded: fc.constantFrom(...Object.keys(encodings)),
  wish: fc.constantFrom(...wishes),
  places: fc.array(fc.nat(), { maxLength: 8 }),
});

it('the same rows come of all bytes at a time, of one, of a line, and of any pieces', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async ({ above, words, form, end, encoded, wish, places }) => {
      const text = [...above, form(words)].join('\n').replaceAll('\n', end || '\n') + end;
      const bytes = encodings[encoded]?.(text) ?? Buffer.alloc(0);
      const whole = await readIn([bytes], wish);
      expect(await readIn(cutAt(bytes, places), wish)).toEqual(whole);
      expect(await readIn(byLine(bytes), wish)).toEqual(whole);
      expect(await readIn(cutAt(bytes, [...bytes.keys()]), wish)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

describe('a slow pipe', () => {
  const companies = { candidates: ['company_id', 'id'] };

  it.each([
    ['a note', 'Export of May\ncompany_id,name\nacme,x\n'],
    ['a word', 'Customers\ncompany_id\nacme\n'],
    ['a word with a digit above a wide header', 'Report-2026\nname;company_id\nx;acme\n'],
  ])('of a table below %s has its rows alone', async (_what, content) => {
    expect(await readIn(byLine(Buffer.from(content)), companies)).toMatchObject({
      rows: [{ line: 3, text: 'acme' }],
    });
  });

  it.each<[what: string, first: string, rest: string, wish: Wish]>([
    ['an identifier by its shape', 'per_1\n', 'per_2\n', { candidates: personNames }],
    ['a link', 'https://www.profnet.example/in/ada\n', 'bob\n', { candidates: ['profnet_url'] }],
    ['a header', 'name,company_id\n', 'x,acme\n', companies],
    ['a header below a note', 'Export of May\ncompany_id\n', 'acme\n', companies],
    ['a record', '{"company_id":"acme"}\n', '{"company_id":"beta"}\n', companies],
    ['what is said to be lines', 'acme\n', 'beta\n', { ...companies, inputFormat: 'lines' }],
    ['20 rows', 'acme\n'.repeat(20), 'beta\n', companies],
  ])('is known by %s, before more comes', async (_what, first, rest, wish) => {
    const stdin = new PassThrough();
    stdin.write(first);
    const input = await openInput({ path: '-', io: { stdin }, ...wish });
    stdin.end(rest);
    expect((await rowsUntilFailure(input)).rows.length).toBeGreaterThan(0);
  });
});
