import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, writeTexts } from '../../src/files/private.ts';
import { newFolder } from '../support/run.ts';

/** What one write got, and where each text ended in it. */
function writtenAtOnce(texts: readonly string[]): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  const writes: Buffer[] = [];
  const write = (_file: number, bytes: Uint8Array, length: number): number => {
    writes.push(Buffer.from(bytes.subarray(0, length)));
    return length;
  };
  const { ends } = writeTexts(0, texts, write, null);
  const [bytes = Buffer.alloc(0), ...others] = writes;
  expect(others).toEqual([]);
  return { bytes, ends };
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('makeFolder', () => {
  it('makes the folders above it too, all of that mode, and leaves what is there alone', () => {
    const folder = newFolder();
    makeFolder(join(folder, 'a', 'b', 'c'), 0o700);
    expect(['a', 'a/b', 'a/b/c'].map((path) => modeOf(join(folder, path)))).toEqual([0o700, 0o700, 0o700]);
    writeFileSync(join(folder, 'a', 'file'), 'kept');
    makeFolder(join(folder, 'a'), 0o755);
    expect([modeOf(join(folder, 'a')), readFileSync(join(folder, 'a', 'file'), 'utf8')]).toEqual([0o700, 'kept']);
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['dangling/below', 'EEXIST'],
  ])('gives up with what the system says: %s', (path, code) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    expect(() => makeFolder(join(folder, path), 0o700)).toThrow(code);
  });
});

describe('texts that are about to be written', () => {
  const texts = ['', 'plain\n', 'Łódź 東京 👩‍💻\n', 'half a character \ud83d\n', '\ud83d', 'x'];

  it.each([
    ['few', texts],
    ['none', []],
    ['many and long ones', [...texts, 'é'.repeat(200_000), '東'.repeat(300_000), 'last']],
  ])('are encoded whole, one behind the other: %s', (_what, written) => {
    const { bytes, ends } = writtenAtOnce(written);
    expect(bytes.equals(Buffer.concat(written.map((text) => Buffer.from(text))))).toBe(true);
    expect(ends).toEqual(
      written.map((_text, index) =>
        Buffer.byteLength(
          written
            .slice(0, index + 1)
            .map((text) => text.toWellFormed())
            .join(''),
        ),
      ),
    );
  });
});
