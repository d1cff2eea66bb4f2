/** One identifier a line, from files and from pipes that cut anywhere. */
import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/input/open-input.ts';
import { argumentInput } from '../../src/road/input-source.ts';
import { oneByOne } from '../../src/rows/row.ts';
import { linesIn, openFile, openPiped, personNames, rowsOf, textsOf } from './reading.ts';

describe('lines', () => {
  test.each([
    ['LF', 'per_1\nper_2\n', [1, 2]],
    ['no last line end', 'per_1\nper_2', [1, 2]],
    ['CRLF', 'per_1\r\nper_2\r\n', [1, 2]],
    ['BOM', '\uFEFFper_1\nper_2\n', [1, 2]],
    ['blank lines are no rows', '\n \nper_1\n\t\n\r\nper_2\n\n', [3, 6]],
    ['white space around', '  per_1\t\n per_2 \n', [1, 2]],
  ])('%s', async (_what, content, numbers) => {
    const rows = await rowsOf(await openFile('ids.txt', content));
    expect(rows).toEqual([
      { line: numbers[0], text: 'per_1' },
      { line: numbers[1], text: 'per_2' },
    ]);
  });

  test('chunks of text, as a stream with an encoding gives them', async () => {
    const stdin = new PassThrough({ encoding: 'utf8' });
    stdin.end('zoé\nada\n');
    const input = await openInput({ path: '-', io: { stdin }, candidates: personNames });
    expect(await textsOf(input)).toEqual(['zoé', 'ada']);
  });

  test('any lines, cut anywhere, come back in order', async () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((text) => /^[^\p{C}\s"{[\u2500-\u257f]+$/u.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 1, max: 40 }),
        async (words, size) => {
          expect(
            await linesIn(await openPiped(words.join('\n'), { inputFormat: 'lines' }, size)),
          ).toEqual(words);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('lines are those of a table where a name of the first one is a column, though its quotes stand behind a blank or before CR', async () => {
  const named = await openFile('a.list', 'website|"company_id"\r\na.example|c-1\r\n', {
    candidates: ['company_id'],
  });
  expect([named.kind, await textsOf(named)]).toEqual(['csv', ['c-1']]);
  const quoted = openFile('a.list', 'website, "company_id"\na.example,c-1\n', {
    candidates: ['company_id'],
  });
  expect(await textsOf(await quoted)).toEqual(['c-1']);
});

/** A pipe that goes on after this. */
async function begun(text: string | Buffer, stop?: AbortSignal) {
  const stdin = new PassThrough();
  stdin.write(text);
  const input = await openInput({
    path: '-',
    io: { stdin },
    candidates: personNames,
    ...(stop !== undefined && { stop }),
  });
  return { stdin, input, batches: input.batches[Symbol.asyncIterator]() };
}

describe('streaming', () => {
  test('the first rows are there before the pipe ends', async () => {
    const { stdin, batches } = await begun('per_1\n');
    expect((await batches.next()).value).toEqual([{ line: 1, text: 'per_1' }]);
    stdin.end('per_2\n');
    expect((await batches.next()).value).toEqual([{ line: 2, text: 'per_2' }]);
    expect((await batches.next()).done).toBe(true);
  });

  test('so are those of JSON in one line', async () => {
    const { input, batches } = await begun(`["per_1"${',"per_2"'.repeat(10_000)}`);
    const [first] = (await batches.next()).value ?? [];
    expect(first).toMatchObject({ line: 1, text: 'per_1' });
    input.close();
  });

  test('close ends a read that waits, without an error', async () => {
    const { stdin, input, batches } = await begun('per_1\n');
    await batches.next();
    const waiting = batches.next();
    input.close();
    expect((await waiting).done).toBe(true);
    expect(stdin.destroyed).toBe(true);
  });

  test.each([
    ['a character', 'person_id,n\nper_1,x\nper_2,\xc3'],
    ['a quoted cell', 'person_id,n\nper_1,x\nper_2,"y\n'],
  ])('a stop that cuts %s apart is no mistake in the input', async (_what, content) => {
    const stop = new AbortController();
    const { batches } = await begun(Buffer.from(content, 'latin1'), stop.signal);
    expect((await batches.next()).value).toMatchObject([{ text: 'per_1' }]);
    const waiting = batches.next();
    stop.abort();
    expect((await waiting).done).toBe(true);
  });

  test('leaving the loop lets go of the stream', async () => {
    const { stdin, input } = await begun('per_1\nper_2\n');
    for await (const _row of oneByOne(input.batches)) break;
    expect(stdin.destroyed).toBe(true);
  });
});

test('arguments are rows too, numbered by position', async () => {
  const input = argumentInput(['per_1', '  ', ' per_3 ']);
  expect(input).toMatchObject({ kind: 'lines', name: 'arguments' });
  expect(await rowsOf(input)).toEqual([
    { line: 1, text: 'per_1' },
    { line: 2, text: undefined },
    { line: 3, text: 'per_3' },
  ]);
});
