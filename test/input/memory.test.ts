/** Memory does not grow with the input: of 50 MB, no more than a small part is held at any time. */
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openInput } from '../../src/input/open-input.ts';
import { collectGarbage } from '../support/service.ts';
import { personNames } from './reading.ts';

const megabyte = 1024 * 1024;
const about = 'x'.repeat(900);
/** A thousand records, about 1 MB. */
const thousand = Array.from(
  { length: 1000 },
  (_, index) => `{"person_id":"per_${index}","about":"${about}${index}"},`,
).join('');

function* arrayOfMegabytes(count: number): Generator<Buffer> {
  yield Buffer.from('[');
  for (let sent = 0; sent < count; sent += 1) yield Buffer.from(thousand);
  yield Buffer.from('"per_last"]');
}

/** Megabytes in use: what the collector has not come to yet is not counted. */
const held = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / megabyte;
};

test.each([
  ['a JSON array on one line', Readable.from(arrayOfMegabytes(50))],
  ['the same in gzip', Readable.from(arrayOfMegabytes(50)).pipe(createGzip({ level: 1 }))],
])('%s', { timeout: 300_000 }, async (_what, stdin) => {
  const input = await openInput({ path: '-', io: { stdin }, candidates: personNames });
  const before = held();
  let [rows, measured, most] = [0, 0, 0];
  for await (const batch of input.batches) {
    rows += batch.length;
    if (rows > measured + 10_000) {
      measured = rows;
      most = Math.max(most, held() - before);
    }
  }
  expect(rows).toBe(50_001);
  expect(measured).toBeGreaterThan(40_000);
  expect(most).toBeLessThan(20);
});

test('gzip of short lines that are all alike comes in small groups, though a byte stands for hundreds', async () => {
  const lines = Buffer.from('per_1\n'.repeat(300_000));
  const stdin = Readable.from([gzipSync(lines)]);
  const sizes: number[] = [];
  for await (const batch of (await openInput({ path: '-', io: { stdin }, candidates: personNames }))
    .batches)
    sizes.push(batch.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(300_000);
  expect(Math.max(...sizes)).toBeLessThan(25_000);
});

function* fewFilled(): Generator<Buffer> {
  yield Buffer.from('profnet_url,about\n');
  for (let at = 0; at < 600; at += 1)
    yield Buffer.from(
      `https://www.profnet.example/in/ada-${at},\n${`,${'x'.repeat(59)}\n`.repeat(1000)}`,
    );
}

test('of what is read, no more is kept than the identifiers that somebody keeps', async () => {
  const { batches } = await openInput({
    path: '-',
    io: { stdin: Readable.from(fewFilled()) },
    candidates: ['profnet_url'],
  });
  const texts: string[] = [];
  const before = held();
  for await (const batch of batches) texts.push(...batch.flatMap(({ text }) => text ?? []));
  expect(held() - before).toBeLessThan(20);
  expect(texts).toHaveLength(600);
});
