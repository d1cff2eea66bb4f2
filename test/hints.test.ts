/** What a failure says to do helps where it is said, and costs what it says. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { troubledSandbox, troubles } from './campaign/troubled.ts';
import { clausesOf, follow } from './support/following.ts';
import { personIds } from './support/records.ts';
import { type RunOptions, type RunResult, signalling } from './support/run.ts';
import { against, errorOf, linesFile, newFile, origin } from './support/service.ts';

/** A sandbox that runs into trouble, or meets Ctrl-C, after so many answers. */
async function troubled(good = Number.POSITIVE_INFINITY, trouble?: (typeof troubles)[number] | 'Ctrl-C') {
  const { send, withSignal } = signalling();
  const service = await troubledSandbox(
    { people: 8 },
    trouble === 'Ctrl-C' ? { good, meanwhile: () => send('SIGINT') } : { good, trouble },
  );
  onTestFinished(service.stop);
  const bought = () => new Set(service.bill().map(({ path }) => path)).size;
  const again = () => service.bill().length - bought();
  /** Does what a run said. Who is done does not do it again for the next words. */
  const followed = async (first: RunResult, argv: readonly string[], options: RunOptions = {}) => {
    let end = first;
    const rerun = async (more: readonly string[] = []) => {
      if (end === first || end.code !== 0) end = await against(service, [...argv, ...more], { ...options, home: first.home });
    };
    const out = argv.includes('--out') ? (argv[argv.indexOf('--out') + 1] ?? '') : '';
    const allowed = await follow(first, { again: rerun, mend: service.mend, out });
    expect(again()).toBeLessThanOrEqual(allowed);
    return { allowed };
  };
  return { service, bought, again, withSignal, followed };
}

const ids = personIds(8);

describe('what a job says, followed, buys nothing again but what it says', () => {
  it.each(
    ['with --out', 'to stdout', 'with --out, from a pipe'].flatMap((where) =>
      ([...troubles, 'Ctrl-C'] as const).map((trouble) => ({ where, trouble })),
    ),
  )('$trouble, $where', async ({ where, trouble }) => {
    const { service, bought, withSignal, followed } = await troubled(3, trouble);
    const target = where === 'to stdout' ? [] : ['--out', newFile()];
    const piped: RunOptions = where.endsWith('pipe') ? { stdin: `${ids.join('\n')}\n` } : {};
    const input = where.endsWith('pipe') ? '-' : linesFile(ids);
    const argv = ['person', '-i', input, '-o', 'json', '--concurrency', '1', '--retries', '0', ...target];
    const first = await against(service, argv, { ...piped, withSignal });
    expect(first.code).not.toBe(0);
    service.mend();
    const { allowed } = await followed(first, argv, piped);
    const mayBeLost = trouble === 'answers are lost' || trouble === 'the connection breaks';
    if (target.length > 0 && !mayBeLost) expect([allowed, bought()]).toEqual([0, ids.length]);
  });

  it.each(['with --out', 'to stdout'])('a trial, %s', async (where) => {
    const { service, bought, again, followed } = await troubled();
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--first', '3', ...(where === 'to stdout' ? [] : ['--out', newFile()])];
    const first = await against(service, argv);
    expect([first.code, bought(), again()]).toEqual([0, 3, 0]);
    const { allowed } = await followed(first, argv);
    expect(bought()).toBe(ids.length);
    if (where === 'with --out') expect([allowed, again()]).toEqual([0, 0]);
  });

  it('the cap, reached by a pipe', async () => {
    for (const target of [['--out', newFile()], []]) {
      const { service, followed } = await troubled();
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
    ['one id', ['person', 'per_sample1'], 1],
    ['a page', ['feed'], 1],
  ])('--force on a FILE that is complete says how many calls that may be: %s', async (_name, words, calls) => {
    const { service, again, followed } = await troubled();
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
    expect([allowed, again()]).toEqual([calls, calls]);
  });

  it.each([
    ['health', ['health']],
    ['a job from a pipe', ['resolve', '-i', '-']],
  ])('--force on a FILE of a free command speaks of no bill: %s', async (_name, words) => {
    const { service } = await troubled();
    const refused = await against(service, [...words, '-o', 'json', '--out', linesFile(['mine'])], { stdin: 'ada-sample-1\n' });
    expect(clausesOf(refused)).toEqual(['add --force to replace it, or name another file']);
  });

  it('a journal of another key', async () => {
    const { service, again, followed } = await troubled(3, 'credits run out');
    const argv = ['person', '-i', linesFile(ids), '-o', 'json', '--out', newFile(), '--concurrency', '1'];
    const { home } = await against(service, argv);
    service.mend();
    const refused = await against(service, argv, { home, env: { PDI_API_KEY: 'another-key' } });
    expect(refused.code).toBe(2);
    const { allowed } = await followed(refused, argv);
    expect([allowed, again() <= ids.length]).toEqual([3, true]);
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
