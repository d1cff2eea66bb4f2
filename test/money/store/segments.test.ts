import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeToDisk } from '../../../src/files/private.ts';
import type { StoredAnswer } from '../../../src/money/store/answer-line.ts';
import { type FoundAnswer, Segments } from '../../../src/money/store/segments.ts';
import { openStoreFolder } from '../../../src/money/store/store-folder.ts';
import { newFolder } from '../places.ts';

const hour = 3_600_000;
const start = Date.parse('2026-03-01T12:00:00Z');
const keyOf = (number: number): string => number.toString(16).padStart(20, '0');
const answer = (number: number, at: number, body = `{"n":${number}}`): StoredAnswer => ({
  key: keyOf(number),
  at,
  operation: 'GET /people/{personId}',
  item: `per_${number}`,
  content: { body },
});

/** Segments in a folder, at a time that the test sets. */
function open(path: string, appender = 'aa', clock = () => start): Segments {
  const segments = new Segments({ path, modes: openStoreFolder({ path, shared: false }), appender, clock, write: writeToDisk });
  segments.refresh();
  return segments;
}

const any = () => true;
const bodyOf = (found: FoundAnswer | undefined): string | undefined => {
  const content = found?.read()?.content;
  return content !== undefined && 'body' in content ? content.body : undefined;
};
const folders = (path: string): readonly string[] =>
  readdirSync(path)
    .filter((name) => name.endsWith('-aa'))
    .sort();
/** The file of the first segment whose name begins so. */
function only(path: string, start: string): string {
  const folder = join(path, folders(path)[0] ?? '');
  return join(folder, readdirSync(folder).find((name) => name.startsWith(start)) ?? '');
}

describe('an answer', () => {
  it('is found by this run and the next, to the letter', () => {
    const path = newFolder();
    const first = open(path);
    const body = '{"name":"Zoë \\"x\\"","n":9007199254740993,"record":1,"body":{"body":2}}';
    first.addAll([answer(1, start, body)], hour);
    first.addAll([answer(2, start)], hour);
    expect([bodyOf(first.find(keyOf(1), any)), bodyOf(open(path).find(keyOf(1), any))]).toEqual([body, body]);
    expect(open(path).find(keyOf(1), any)?.read()).toEqual(answer(1, start, body));
    expect(open(path).find(keyOf(3), any)).toBeUndefined();
  });

  it('of another process is found after a refresh, also where both append in turn', () => {
    const path = newFolder();
    const [one, other] = [open(path), open(path)];
    for (let number = 0; number < 20; number += 1) (number % 2 === 0 ? one : other).addAll([answer(number, start)], hour);
    one.refresh();
    other.refresh();
    for (let number = 0; number < 20; number += 1) {
      for (const segments of [one, other]) expect(bodyOf(segments.find(keyOf(number), any))).toBe(`{"n":${number}}`);
    }
  });

  it('is the latest of those that are wanted', () => {
    const segments = open(newFolder());
    segments.addAll([answer(1, start, '1')], hour);
    segments.addAll([answer(1, start + 5000, '2')], 30 * 24 * hour);
    segments.addAll([answer(1, start + 2000, '3')], hour);
    expect(bodyOf(segments.find(keyOf(1), any))).toBe('2');
    expect(bodyOf(segments.find(keyOf(1), ({ maxAge }) => maxAge === hour))).toBe('3');
  });

  it('is found whatever was added before and after, in any order', () => {
    const added = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1000 })), { maxLength: 40 });
    fc.assert(
      fc.property(added, (all) => {
        const path = newFolder();
        const latest = new Map<number, number>();
        const segments = open(path);
        for (const [number, at] of all) {
          segments.addAll([answer(number, start + at, String(at))], hour);
          latest.set(number, Math.max(at, latest.get(number) ?? 0));
        }
        const again = open(path);
        for (const [number, at] of latest) expect(again.find(keyOf(number), any)?.at).toBe(start + at);
        expect(again.found()).toHaveLength(latest.size);
      }),
      { numRuns: 30 },
    );
  });

  it('is found in an index that is too large to be read line by line', () => {
    const path = newFolder();
    const segments = open(path);
    for (let number = 0; number < 3000; number += 1) segments.addAll([answer(number, start)], hour);
    const again = open(path);
    for (const number of [0, 2999, 1234, 77, 78, 79, 80]) expect(bodyOf(again.find(keyOf(number), any))).toBe(`{"n":${number}}`);
    expect(again.find(keyOf(3000), any)).toBeUndefined();
  });
});

describe('a damaged segment', () => {
  it('whose answers are gone, but not their index, gives none and takes new ones', () => {
    const path = newFolder();
    open(path).addAll([answer(1, start)], hour);
    rmSync(only(path, 'answers'));
    const again = open(path);
    expect(bodyOf(again.find(keyOf(1), any))).toBeUndefined();
    again.addAll([answer(1, start + 1, 'new')], hour);
    expect(bodyOf(open(path).find(keyOf(1), any))).toBe('new');
  });

  it.each(['index', 'answers'])('that was cut off anywhere in %s gives whole answers, or none', (file) => {
    const path = newFolder();
    const both = open(path);
    both.addAll([answer(1, start)], hour);
    both.addAll([answer(2, start)], hour);
    const whole = readFileSync(only(path, file));
    for (let size = whole.length; size >= 0; size -= 1) {
      truncateSync(only(path, file), size);
      const segments = open(path);
      for (const number of [1, 2]) expect([undefined, `{"n":${number}}`]).toContain(bodyOf(segments.find(keyOf(number), any)));
    }
    open(path).addAll([answer(3, start)], hour);
    expect(bodyOf(open(path).find(keyOf(3), any))).toBe('{"n":3}');
  });

  it('passes over lines that nobody wrote', () => {
    const path = newFolder();
    open(path).addAll([answer(1, start)], hour);
    appendFileSync(only(path, 'index'), `${keyOf(2)} 5 0 10\n\0\0\n${keyOf(1)} x y\nzzz`);
    const segments = open(path);
    expect([bodyOf(segments.find(keyOf(1), any)), bodyOf(segments.find(keyOf(2), any))]).toEqual(['{"n":1}', undefined]);
  });

  it('that is deleted while it is used is made anew', () => {
    const path = newFolder();
    const segments = open(path);
    segments.addAll([answer(1, start)], hour);
    rmSync(join(path, folders(path)[0] ?? ''), { recursive: true });
    segments.refresh();
    segments.addAll([answer(2, start)], hour);
    expect([bodyOf(open(path).find(keyOf(1), any)), bodyOf(open(path).find(keyOf(2), any))]).toEqual([undefined, '{"n":2}']);
  });
});

describe('age', () => {
  it.each([
    [60_000, 6],
    [hour, 360],
    [12 * hour, 3600],
    [30 * 24 * hour, 86_400],
  ])('segments of a max-age of %i ms end at most %i s after their first answer does', (maxAge, seconds) => {
    const path = newFolder();
    const segments = open(path);
    for (let at = 0; at < maxAge; at += maxAge / 97) segments.addAll([answer(1, start + at)], maxAge);
    for (const folder of folders(path)) {
      const lines = readFileSync(join(path, folder, 'index'), 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      const times = lines.map((line) => Number.parseInt(line.split(' ')[1] ?? '', 36));
      expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(seconds * 1000);
    }
    expect(folders(path).length).toBeLessThanOrEqual(62);
  });

  it('deletes a segment when all in it are past it, and no earlier', () => {
    const path = newFolder();
    open(path).addAll([answer(1, start)], 12 * hour);
    const written = Date.now();
    open(path, 'aa', () => start + 11 * hour).removeExpired();
    expect(folders(path)).toHaveLength(1);
    open(path, 'aa', () => Math.max(written + 12 * hour, start + 13 * hour) + 1000).removeExpired();
    expect(folders(path)).toEqual([]);
  });

  it('leaves what is no segment alone', () => {
    const path = newFolder();
    mkdirSync(join(path, 'claims'));
    writeFileSync(join(path, 'owner.json'), '{}');
    open(path, 'aa', () => start * 2).removeExpired();
    expect(existsSync(join(path, 'claims')) && existsSync(join(path, 'owner.json'))).toBe(true);
  });
});

describe('forgetting', () => {
  it('hides all answers for a key from every run, whoever appended them, and no others', () => {
    const path = newFolder();
    open(path, 'aa').addAll([answer(1, start, '1')], hour);
    open(path, 'bb').addAll([answer(1, start + 1000, '2')], 24 * hour);
    open(path, 'aa').addAll([answer(2, start)], hour);
    const running = open(path);
    expect([open(path).forget(keyOf(1)), open(path).forget(keyOf(1)), open(path).forget(keyOf(3))]).toEqual([true, false, false]);
    running.refresh();
    for (const segments of [running, open(path)]) {
      expect([segments.find(keyOf(1), any), bodyOf(segments.find(keyOf(2), any))]).toEqual([undefined, '{"n":2}']);
    }
  });

  it('ends with the next purchase, also where the clock was set back', () => {
    const path = newFolder();
    open(path).addAll([answer(1, start)], hour);
    open(path).forget(keyOf(1));
    open(path).addAll([answer(1, start - 5 * hour, 'new')], 24 * hour);
    expect(bodyOf(open(path).find(keyOf(1), any))).toBe('new');
  });
});
