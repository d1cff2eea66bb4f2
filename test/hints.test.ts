import { mkdirSync, rmdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clausesOf, follow } from './support/following.ts';
import type { Answer } from './support/origin.ts';
import { dated, feedPage, idIn, personIds, profile } from './support/records.ts';
import { type RunOptions, signalling } from './support/run.ts';
import { against, answering, linesFile, newFile } from './support/service.ts';

type Trouble = Answer | 'lost' | 'interrupt' | 'none';

/** A service that runs into trouble after so many answers, until that is mended. */
async function troubled(good: number, trouble: Trouble, atTrouble: () => void = () => {}) {
  const billed: string[] = [];
  let left = good;
  const { send, withSignal } = signalling();
  const service = await answering(({ path }, response) => {
    left -= 1;
    const item = path.includes('investor-interest') ? `page of ${path}` : path.includes('/investors') ? path : idIn(path);
    if (left === 0) atTrouble();
    if (left < 0 && trouble !== 'none' && trouble !== 'interrupt' && trouble !== 'lost') return trouble;
    billed.push(item);
    if (left === 0 && trouble === 'interrupt') send('SIGINT');
    if (left < 0 && trouble === 'lost') {
      response.destroy();
      return undefined;
    }
    if (item.startsWith('page')) return { json: feedPage(path, dated(0, 150)) };
    if (path.includes('/investors')) return { json: [] };
    return profile(path);
  });
  const mend = () => {
    left = Number.POSITIVE_INFINITY;
  };
  return { service, billed, mend, withSignal };
}

const boughtAgain = (billed: readonly string[]): number => billed.length - new Set(billed).size;

const outOfCredits = { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } };
const troubles: Readonly<Record<string, Trouble>> = {
  'credits run out': outOfCredits,
  'the key is refused': { status: 401 },
  'the limit stays': { status: 429, headers: { 'x-ratelimit-reset': '0' } },
  'the service goes away': { status: 503 },
  'answers are lost': 'lost',
  'Ctrl-C': 'interrupt',
};

const ids = personIds(8);

describe('what a job says, followed, buys nothing again but what it says', () => {
  it.each(
    Object.entries(troubles).flatMap(([name, trouble]) => [
      [name, 'with --out', trouble] as const,
      [name, 'to stdout', trouble] as const,
      [name, 'with --out, from a pipe', trouble] as const,
    ]),
  )('%s, %s', async (_name, where, trouble) => {
    const { service, billed, mend, withSignal } = await troubled(3, trouble);
    const out = newFile();
    const target = where === 'to stdout' ? [] : ['--out', out];
    const piped: RunOptions = where.endsWith('pipe') ? { stdin: `${ids.join('\n')}\n` } : {};
    const input = where.endsWith('pipe') ? '-' : linesFile(ids);
    const argv = ['person', '-i', input, '-o', 'json', '--concurrency', '1', '--retries', '0', ...target];
    const first = await against(service, argv, { ...piped, withSignal });
    expect(first.code).not.toBe(0);
    mend();
    const allowed = await follow(first, {
      again: (more = []) => against(service, [...argv, ...more], { ...piped, home: first.home }),
      mend,
      out,
    });
    expect(boughtAgain(billed)).toBeLessThanOrEqual(allowed);
    if (target.length > 0 && trouble !== 'lost') expect([allowed, new Set(billed).size]).toEqual([0, ids.length]);
  });

  it.each(['with --out', 'to stdout'])('a trial, %s', async (where) => {
    const { service, billed, mend } = await troubled(Number.POSITIVE_INFINITY, 'none');
    const out = newFile();
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--first', '3', ...(where === 'to stdout' ? [] : ['--out', out])];
    const first = await against(service, argv);
    expect([first.code, billed.length]).toEqual([0, 3]);
    const again = (more: readonly string[] = []) => against(service, [...argv, ...more], { home: first.home });
    const allowed = await follow(first, { again, mend, out });
    expect(new Set(billed).size).toBe(ids.length);
    expect(boughtAgain(billed)).toBeLessThanOrEqual(allowed);
    if (where === 'with --out') expect([allowed, boughtAgain(billed)]).toEqual([0, 0]);
  });

  it('the cap, reached by a pipe', async () => {
    for (const target of [['--out', newFile()], []]) {
      const { service, billed, mend } = await troubled(Number.POSITIVE_INFINITY, 'none');
      const argv = ['person', '-i', '-', '-o', 'json', ...target];
      const stdin = `${ids.join('\n')}\n`;
      const first = await against(service, [...argv, '--max-billable', '3'], { stdin });
      expect(first.code).toBe(7);
      const allowed = await follow(first, {
        again: (more = []) => against(service, [...argv, ...more], { stdin, home: first.home }),
        mend,
        out: '',
      });
      expect(boughtAgain(billed)).toBeLessThanOrEqual(allowed);
      expect(allowed).toBe(target.length > 0 ? 0 : 3);
    }
  });

  it('a FILE that cannot be replaced', async () => {
    const out = newFile();
    const { service, billed } = await troubled(8, 'none', () => mkdirSync(out));
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--out', out];
    const first = await against(service, argv);
    expect(first.code).toBe(1);
    const mend = () => rmdirSync(out);
    expect(await follow(first, { again: (more = []) => against(service, [...argv, ...more], { home: first.home }), mend, out })).toBe(0);
    expect([boughtAgain(billed), billed.length]).toEqual([0, ids.length]);
  });

  it.each([
    ['a job', ['person', '-i', linesFile(ids)], 8],
    ['a job from a pipe', ['person', '-i', '-'], undefined],
    ['one id', ['person', 'per_1'], 1],
    ['a page', ['feed'], 1],
  ])('--force on a FILE that is complete says how many calls that may be: %s', async (_name, words, calls) => {
    const { service, billed, mend } = await troubled(Number.POSITIVE_INFINITY, 'none');
    const out = newFile();
    const argv = [...words, '-o', 'json', '--out', out];
    const stdin = `${ids.join('\n')}\n`;
    const { home, code } = await against(service, argv, { stdin });
    expect(code).toBe(0);
    const refused = await against(service, argv, { stdin, home });
    if (calls === undefined) {
      expect(refused.stderr).toContain('either makes 1 call for each distinct row, which may be billed');
      return;
    }
    const allowed = await follow(refused, { again: (more = []) => against(service, [...argv, ...more], { stdin, home }), mend, out });
    expect([allowed, boughtAgain(billed)]).toEqual([calls, calls]);
  });

  it('--force on a FILE of a free command speaks of no bill', async () => {
    const { service } = await troubled(Number.POSITIVE_INFINITY, 'none');
    const refused = await against(service, ['health', '-o', 'json', '--out', linesFile(['mine'])]);
    expect(clausesOf(refused)).toEqual(['add --force to replace it, or name another file']);
  });

  it('a journal of another key', async () => {
    const { service, billed, mend } = await troubled(3, outOfCredits);
    const out = newFile();
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--out', out, '--concurrency', '1'];
    const { home } = await against(service, argv);
    mend();
    const refused = await against(service, argv, { home, env: { PDI_API_KEY: 'another-key' } });
    expect(refused.code).toBe(2);
    const allowed = await follow(refused, { again: (more = []) => against(service, [...argv, ...more], { home }), mend, out });
    expect([allowed, boughtAgain(billed) <= ids.length]).toEqual([3, true]);
  });
});
