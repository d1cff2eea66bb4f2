/** What a failure says to do helps where it is said, and costs what it says. */
import { describe, expect, it } from 'vitest';
import { clausesOf, follow } from './support/following.ts';
import type { Answer } from './support/origin.ts';
import { dated, feedPage, personIds, profile } from './support/records.ts';
import { type RunOptions, type RunResult, signalling } from './support/run.ts';
import { against, answering, errorOf, linesFile, newFile, origin } from './support/service.ts';

type Trouble = Answer | 'the connection breaks' | 'answers are lost' | 'Ctrl-C' | 'none';

/** A service that runs into trouble after so many answers, until that is mended; `billed` has what it answered, heard or not. */
async function troubled(good: number, trouble: Trouble) {
  const billed: string[] = [];
  let left = good;
  const { send, withSignal } = signalling();
  const service = await answering(({ path }, response) => {
    left -= 1;
    if (left === 0 && trouble === 'Ctrl-C') send('SIGINT');
    const struck = left < 0 ? trouble : 'none';
    if (typeof struck === 'object') return struck;
    if (struck !== 'the connection breaks') billed.push(path);
    if (struck === 'the connection breaks' || struck === 'answers are lost') return void response.destroy();
    if (path.includes('investor-interest')) return { json: feedPage(path, dated(0, 150)) };
    return profile(path);
  });
  const mend = () => {
    left = Number.POSITIVE_INFINITY;
  };
  /** Does what a run said. Who is done does not do it again for the next words. */
  const followed = async (first: RunResult, argv: readonly string[], options: RunOptions = {}) => {
    let end = first;
    const again = async (more: readonly string[] = []) => {
      if (end === first || end.code !== 0) end = await against(service, [...argv, ...more], { ...options, home: first.home });
    };
    const out = argv.includes('--out') ? (argv[argv.indexOf('--out') + 1] ?? '') : '';
    const allowed = await follow(first, { again, mend, out });
    expect(boughtAgain(billed)).toBeLessThanOrEqual(allowed);
    return { allowed };
  };
  return { service, billed, mend, withSignal, followed };
}

const boughtAgain = (billed: readonly string[]): number => billed.length - new Set(billed).size;

const outOfCredits = { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } };
const troubles: readonly (readonly [name: string, trouble: Trouble])[] = [
  ['credits run out', outOfCredits],
  ['the key is refused', { status: 401 }],
  ['the limit stays', { status: 429, headers: { 'x-ratelimit-reset': '0' } }],
  ['the service goes away', { status: 503 }],
  ['the connection breaks', 'the connection breaks'],
  ['answers are lost', 'answers are lost'],
  ['Ctrl-C', 'Ctrl-C'],
];

const ids = personIds(8);

describe('what a job says, followed, buys nothing again but what it says', () => {
  it.each(
    ['with --out', 'to stdout', 'with --out, from a pipe'].flatMap((where) =>
      troubles.map(([name, trouble]) => ({ name, where, trouble })),
    ),
  )('$name, $where', async ({ where, trouble }) => {
    const { service, billed, mend, withSignal, followed } = await troubled(3, trouble);
    const target = where === 'to stdout' ? [] : ['--out', newFile()];
    const piped: RunOptions = where.endsWith('pipe') ? { stdin: `${ids.join('\n')}\n` } : {};
    const input = where.endsWith('pipe') ? '-' : linesFile(ids);
    const argv = ['person', '-i', input, '-o', 'json', '--concurrency', '1', '--retries', '0', ...target];
    const first = await against(service, argv, { ...piped, withSignal });
    expect(first.code).not.toBe(0);
    mend();
    const { allowed } = await followed(first, argv, piped);
    const mayBeLost = trouble === 'answers are lost' || trouble === 'the connection breaks';
    if (target.length > 0 && !mayBeLost) expect([allowed, new Set(billed).size]).toEqual([0, ids.length]);
  });

  it.each(['with --out', 'to stdout'])('a trial, %s', async (where) => {
    const { service, billed, followed } = await troubled(Number.POSITIVE_INFINITY, 'none');
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--first', '3', ...(where === 'to stdout' ? [] : ['--out', newFile()])];
    const first = await against(service, argv);
    expect([first.code, billed.length]).toEqual([0, 3]);
    const { allowed } = await followed(first, argv);
    expect(new Set(billed).size).toBe(ids.length);
    if (where === 'with --out') expect([allowed, boughtAgain(billed)]).toEqual([0, 0]);
  });

  it('the cap, reached by a pipe', async () => {
    for (const target of [['--out', newFile()], []]) {
      const { service, followed } = await troubled(Number.POSITIVE_INFINITY, 'none');
      const argv = ['person', '-i', '-', '-o', 'json', ...target];
      const stdin = `${ids.join('\n')}\n`;
      const first = await against(service, [...argv, '--max-billable', '3'], { stdin });
      expect(first.code).toBe(7);
      const { allowed } = await followed(first, argv, { stdin });
      expect(allowed).toBe(target.length > 0 ? 0 : 3);
    }
  });

  it.each([
    ['a job', ['person', '-i', linesFile(ids)], 8],
    ['a job from a pipe', ['person', '-i', '-'], undefined],
    ['one id', ['person', 'per_1'], 1],
    ['a page', ['feed'], 1],
  ])('--force on a FILE that is complete says how many calls that may be: %s', async (_name, words, calls) => {
    const { service, billed, followed } = await troubled(Number.POSITIVE_INFINITY, 'none');
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
    const { allowed } = await followed(refused, argv, { stdin });
    expect([allowed, boughtAgain(billed)]).toEqual([calls, calls]);
  });

  it.each([
    ['health', ['health']],
    ['a job from a pipe', ['resolve', '-i', '-']],
  ])('--force on a FILE of a free command speaks of no bill: %s', async (_name, words) => {
    const { service } = await troubled(Number.POSITIVE_INFINITY, 'none');
    const refused = await against(service, [...words, '-o', 'json', '--out', linesFile(['mine'])], { stdin: 'ada-sample-1\n' });
    expect(clausesOf(refused)).toEqual(['add --force to replace it, or name another file']);
  });

  it('a journal of another key', async () => {
    const { service, billed, mend, followed } = await troubled(3, outOfCredits);
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--out', newFile(), '--concurrency', '1'];
    const { home } = await against(service, argv);
    mend();
    const refused = await against(service, argv, { home, env: { PDI_API_KEY: 'another-key' } });
    expect(refused.code).toBe(2);
    const { allowed } = await followed(refused, argv);
    expect([allowed, boughtAgain(billed) <= ids.length]).toEqual([3, true]);
  });
});

const notFound = () => ({ status: 404, json: { message: 'nothing here' } });
const maintained = () => ({ status: 503, text: '<html>maintenance</html>' });

describe('what a 404 says to do', () => {
  it.each([
    'health',
    'feed',
    'feed --after 2026-01-01',
    'network',
    'lists companies list',
    'resolve ada-sample-1',
    'investors --name Harbor',
  ])('%s names nothing that could be missing: the base URL is wrong', async (argv) => {
    const { pdi } = await origin(notFound);
    expect(errorOf(await pdi(argv)).hint).toMatch(/^check that the base URL/);
  });

  it.each([
    'person per_1',
    'feed --search 7',
    'feed --list c0000000-0000-4000-8000-000000000001',
    'lists investors get d0000000-0000-4000-8000-000000000001',
    'searches talent 7',
  ])('%s names what may not be shared', async (argv) => {
    const { pdi } = await origin(notFound);
    expect(errorOf(await pdi(argv)).hint).toContain('Share to API');
  });
});

it('of a 503, health does not send to itself', async () => {
  const { pdi } = await origin(maintained);
  expect(errorOf(await pdi('health --retries 0')).hint).toBe('try again later, or poll with `pdi health --wait SECONDS`');
  expect(errorOf(await pdi('person per_1 --retries 0')).hint).toContain('`pdi health` tells');
});

it.each([304, 409, 499])('of the status %i, which no document gives: report it, and not that the service is down', async (status) => {
  const { pdi } = await origin(() => ({ status, json: { message: 'odd' } }));
  const told = errorOf(await pdi('person per_1 --retries 0'));
  expect(told).toMatchObject({ code: 'unavailable', billed: 'no', hint: expect.stringContaining('this answer is not documented') });
});
