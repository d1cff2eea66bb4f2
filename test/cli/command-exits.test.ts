/** The exit codes that a command's help lists are those it ends with: each is reached, and nothing else is. */
import { describe, expect, it } from 'vitest';
import { helpPages } from '../../src/cli/help/help-pages.ts';
import { callsService } from '../../src/cli/program.ts';
import type { Signal } from '../../src/io.ts';
import { documented, everyCommand } from '../commands/every-command.ts';
import { commandOf, leaves } from '../commands/tree.ts';
import type { Answer, Handler } from '../support/origin.ts';
import { signalling } from '../support/run.ts';
import { origin, pdi } from '../support/service.ts';

const listed = (path: string): readonly number[] => {
  const told = helpPages[path]?.parts.filter((part) => typeof part === 'string' && part.startsWith('Exit codes: ')).join();
  return Array.from(told?.match(/\d+/g) ?? [], Number);
};

const refused = (status: number, errorCode?: string): Answer => ({ status, headers: { 'x-ratelimit-reset': '0' }, json: { errorCode } });

/** Whatever the operation: by the service's answer, and the error code in it. */
const answers: readonly (readonly [status: number, errorCode: string | undefined, code: number])[] = [
  [400, undefined, 2],
  [401, undefined, 3],
  [403, undefined, 3],
  [404, undefined, 4],
  [422, undefined, 2],
  [429, 'RATE_LIMITED', 6],
  [500, undefined, 5],
  [402, 'OUT_OF_CREDITS', 7],
  [403, 'OUT_OF_CREDITS', 7],
];

async function exitOn(argv: readonly string[], handler: Handler, withStdin?: string): Promise<number> {
  const { pdi } = await origin(handler);
  return (await pdi([...argv, '--retries', '0'], withStdin === undefined ? {} : { stdin: withStdin })).code;
}

async function exitOnSignal(argv: readonly string[], signal: Signal): Promise<number> {
  const { send, withSignal } = signalling();
  const { pdi } = await origin((request) => {
    send(signal);
    return documented(request);
  });
  return (await pdi(argv, { withSignal, onTerminal: true })).code;
}

describe.each(everyCommand)('$name', ({ name, argv }) => {
  const words = name.split(' ');
  const isJob = listed(name).includes(8) && name !== 'lists people modify';

  it('lists what it ends with', async () => {
    const reached = [await exitOn(argv, documented)];
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) reached.push(await exitOnSignal(argv, signal));
    for (const [status, errorCode, code] of answers) {
      const exit = await exitOn(argv, () => refused(status, errorCode));
      expect([status, errorCode, exit]).toEqual([status, errorCode, code]);
      reached.push(exit);
    }
    if (name === 'lists people modify') reached.push(await exitOn(argv, () => ({ json: { id: argv[3], people: [] } })));
    if (isJob) reached.push(await exitOn([...words, '-i', '-'], () => refused(404), 'x\n..\n'));
    expect([...new Set(reached)].sort((one, other) => one - other)).toEqual(listed(name));
  });

  it('is a job where it takes an input file, and only there', async () => {
    const { pdi } = await origin(() => refused(404));
    const { stderr, code } = await pdi([...words, '-i', '-'], { stdin: 'x\n..\n' });
    expect([isJob, code]).toEqual(stderr.includes('unknown option') || stderr.includes('missing required') ? [false, 2] : [true, 8]);
  });
});

it.each(['feed', 'network', 'lists companies list'])('%s --fail-if-empty: 4 is listed', async (argv) => {
  expect([await exitOn([...argv.split(' '), '--fail-if-empty'], () => ({ json: [] })), listed(argv).includes(4)]).toEqual([4, true]);
});

const check = async (handler: Handler) => exitOn(['config', 'check'], handler);

it('commands that call on their way to something else: config check and config init list what a call ends with', async () => {
  for (const [status, errorCode, code] of answers) {
    expect([status, errorCode, await check(() => refused(status, errorCode))]).toEqual([status, errorCode, code]);
  }
  for (const path of ['config check', 'config init']) expect(listed(path)).toEqual([0, 2, 3, 4, 5, 6, 7, 129, 130, 143]);
});

describe('commands that call nothing', () => {
  const silent = leaves.map(({ path }) => path).filter((path) => !callsService(commandOf(path)));

  it.each(silent)('%s lists no code of a call', (path) => {
    expect(listed(path).filter((exit) => [3, 5, 6, 7, 8].includes(exit))).toEqual([]);
  });

  it('config get: 4 for a setting that is not stored; sandbox: by signal', async () => {
    expect([(await pdi('config get timeout')).code, listed('config get')]).toEqual([4, [0, 2, 4]]);
    expect(listed('sandbox')).toEqual([0, 2, 129, 130, 143]);
  });
});
