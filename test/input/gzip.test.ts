/** Gzip is unpacked as it streams, whatever text it holds; where it is broken, the rows before come first. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  expectRefused,
  openFile,
  openPiped,
  rowsOf,
  rowsUntilFailure,
  textsOf,
} from './reading.ts';

const many = (row: (index: number) => string): string =>
  Array.from({ length: 60_000 }, (_, index) => `${row(index)}\n`).join('');

describe('what stands in the gzip decides', () => {
  test.each([
    ['a.csv.gz', 'name,person_id\nAda,per_1\n', 'csv'],
    ['a.tsv.gz', 'name\tperson_id\nAda\tper_1\n', 'tsv'],
    ['a.ndjson.GZ', '{"person_id":"per_1"}\n', 'ndjson'],
    ['a.json.gz', '[{"person_id":"per_1"}]', 'json'],
    ['a.txt.gz', 'per_1\n', 'lines'],
    ['a.gz', 'name,person_id\nAda,per_1\n', 'csv'],
    ['a.csv', 'name,person_id\nAda,per_1\n', 'csv'],
    ['a.json.gz', '\uFEFF[\n"per_1"\n]', 'json'],
    ['a', Buffer.from('\uFEFFname;person_id\nAda;per_1', 'utf16le'), 'csv'],
  ])('%s of %j is %s', async (name, text, kind) => {
    const input = await openFile(name, gzipSync(text));
    expect([input.kind, await textsOf(input)]).toEqual([kind, ['per_1']]);
    for (const size of [1, 100_000]) {
      const piped = await openPiped(gzipSync(text), {}, size);
      expect([piped.kind, await textsOf(piped)]).toEqual([kind, ['per_1']]);
    }
  });

  test('--encoding holds for the text in it', async () => {
    const content = gzipSync(Buffer.from('person_id,n\nper_1,\x80\n', 'latin1'));
    const rows = await rowsOf(await openFile('a.csv.gz', content, { encoding: 'windows-1252' }));
    expect(rows.map(({ own }) => own?.raw)).toEqual(['per_1,€']);
  });

  test('several members are one text', async () => {
    expect(
      await textsOf(
        await openFile('a.gz', Buffer.concat([gzipSync('per_1\nper'), gzipSync('_2\n')])),
      ),
    ).toEqual(['per_1', 'per_2']);
  });

  test('text that is called .gz is text', async () => {
    expect(await textsOf(await openFile('a.csv.gz', 'person_id\nper_1\n'))).toEqual(['per_1']);
  });

  test('gzip of nothing has no rows, and gzip of gzip is not unpacked twice', async () => {
    await expect(openFile('a.csv.gz', gzipSync(''))).rejects.toThrow('has no rows');
    expect(await rowsOf(await openPiped(gzipSync('')))).toEqual([]);
    await expect(openFile('a.csv.gz', gzipSync(gzipSync('per_1\n')))).rejects.toThrow(
      'a.csv.gz is gzip within gzip',
    );
  });
});

describe('broken gzip', () => {
  const whole = gzipSync(many((index) => `per_${(index * 7919) % 60_000}`));
  const cut = whole.subarray(0, -9);
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(whole.length - 6) ^ 1, whole.length - 6);
  const noise = Buffer.concat([
    whole.subarray(0, whole.length / 2),
    Buffer.alloc(64, 0xff),
    whole.subarray(whole.length / 2),
  ]);
  const broken: readonly [what: string, content: Buffer, message: RegExp, before: number][] = [
    ['cut off', cut, /, line \d+: the gzip ends too early, it was cut off$/, 50_000],
    [
      'cut off in its trailer',
      whole.subarray(0, -3),
      /, line 60001: the gzip ends too early, it was cut off$/,
      59_000,
    ],
    [
      'with a wrong checksum',
      flipped,
      /, line \d+: the gzip is broken here or later \(incorrect data check\)$/,
      30_000,
    ],
    ['with foreign bytes', noise, /, line \d+: the gzip is broken here or later \(.*\)$/, 1000],
  ];

  test.each(broken)('%s: a file is refused at once', async (_what, content, message) => {
    await expectRefused(openFile('a.txt.gz', content), message, /gunzip -t/);
  });

  test.each(broken)(
    '%s: a pipe gives the rows before it',
    async (_what, content, message, before) => {
      const { rows, failure } = await rowsUntilFailure(await openPiped(content, {}, 5000));
      expect(rows.length).toBeGreaterThan(before);
      // Only the checksum at the end tells some breaks, so what follows the break may be wrong.
      const good = rows
        .slice(0, before)
        .findIndex(({ text }, index) => text !== `per_${(index * 7919) % 60_000}`);
      expect(good).toBe(-1);
      expect(failure).toHaveProperty('message', expect.stringMatching(message));
    },
  );

  test.each([2, 5, 12])('only %d bytes of it', async (length) => {
    await expect(openFile('a.csv.gz', whole.subarray(0, length))).rejects.toThrow(
      'line 1: the gzip ends too early',
    );
    await expect(openPiped(whole.subarray(0, length))).rejects.toThrow(
      'line 1: the gzip ends too early',
    );
  });
});
