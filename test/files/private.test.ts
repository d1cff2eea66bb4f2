import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/files/private.ts';
import { newFolder } from '../support/run.ts';

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
