/** What a failure says to do helps where it is said, and costs what it says. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { troubledSandbox, troubles } from './campaign/troubled.ts';
import { follow } from './support/following.ts';
import { personIds } from './support/records.ts';
import { type RunOptions, type RunResult, signalling } from './support/run.ts';
import { against, linesFile, newFile } from './support/service.ts';
import { play } from './support/transcript.ts';

play('test/hints.txt');

/** A sandbox that runs into trouble, or meets Ctrl-C, after so many answers. */
async function troubled(
  good = Number.POSITIVE_INFINITY,
  trouble?: (typeof troubles)[number] | 'Ctrl-C',
) {
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
      if (end === first || end.code !== 0)
        end = await against(service, [...argv, ...more], { ...options, home: first.home });
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
    const argv = [
      'person',
      '-i',
      input,
      '-o',
      'json',
      '--concurrency',
      '1',
      '--retries',
      '0',
      ...target,
    ];
    const first = await against(service, argv, { ...piped, withSignal });
    expect(first.code).not.toBe(0);
    service.mend();
    const { allowed } = await followed(first, argv, piped);
    const mayBeLost = trouble === 'answers are lost' || trouble === 'the connection breaks';
    if (target.length > 0 && !mayBeLost) expect([allowed, bought()]).toEqual([0, ids.length]);
  });

  it.each(['with --out', 'to stdout'])('a trial, %s', async (where) => {
    const { service, bought, again, followed } = await troubled();
    const argv = [
      'person',
      '-i',
      linesFile(ids),
      '-o',
      'json',
      '--first',
      '3',
      ...(where === 'to stdout' ? [] : ['--out', newFile()]),
    ];
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
    ['one id', ['person', 'per_sample1'], 1],
    ['a page', ['feed'], 1],
  ])(
    '--force on a FILE that another command made says how many calls that may be: %s',
    async (_name, words, calls) => {
      const { service, again, followed } = await troubled();
      const out = newFile();
      const argv = [...words, '-o', 'json', '--out', out];
      const { home, code } = await against(service, [...argv, '-o', 'ndjson']);
      expect(code).toBe(0);
      const { allowed } = await followed(await against(service, argv, { home }), argv);
      expect([allowed, again()]).toEqual([calls, calls]);
    },
  );

  it('a journal of another key', async () => {
    const { service, again, followed } = await troubled(3, 'credits run out');
    const argv = [
      'person',
      '-i',
      linesFile(ids),
      '-o',
      'json',
      '--out',
      newFile(),
      '--concurrency',
      '1',
    ];
    const { home } = await against(service, argv);
    service.mend();
    const refused = await against(service, argv, { home, env: { PDI_API_KEY: 'another-key' } });
    expect(refused.code).toBe(2);
    const { allowed } = await followed(refused, argv);
    expect([allowed, again() <= ids.length]).toEqual([3, true]);
  });
});
