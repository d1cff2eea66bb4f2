/** The tree of commands: its start page, words of other tools, flags without a value, and the exit codes that each command's help lists. */

import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { helpPages } from '../../src/front/help/help-pages.ts';
import { callsService, ParserStop } from '../../src/front/program.ts';
import type { Signal } from '../../src/io.ts';
import { failureOfParser } from '../../src/session/parser-failure.ts';
import { documented, everyCommand } from '../commands/every-command.ts';
import { commandOf, leaves, program } from '../commands/tree.ts';
import type { Answer, Handler } from '../support/origin.ts';
import { run, signalling } from '../support/run.ts';
import { origin, pdi } from '../support/service.ts';
import { play } from '../support/transcript.ts';

const words = program.commands.map((command) => command.name());

describe('what `pdi` alone says', () => {
  it('fits a terminal of 60 columns and names every command', async () => {
    const { code, stdout } = await run([]);
    expect([code, stdout.split('\n').filter((line) => line.length > 60)]).toEqual([0, []]);
    for (const word of words.filter((word) => word !== 'help' && word !== 'completion'))
      expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'));
  });

  it('has an example that works', async () => {
    const example = /pdi (--sandbox .*)/.exec((await run([])).stdout)?.[1] ?? '';
    const { code, stdout } = await run([...example.split(' '), '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { matches: [{ person_id: 'per_sample1' }] },
    ]);
  });
});

describe('a word of another tool', () => {
  play('test/front/words.txt', { list: 'b0000000-0000-4000-8000-000000000002' });

  it('is led to commands that there are', async () => {
    const names = readFileSync(
      new URL('../../src/session/parser-failure.ts', import.meta.url),
      'utf8',
    );
    const led = [...names.matchAll(/`pdi ([a-z]+(?: [a-z]+)*)/g)].flatMap(
      ([, command]) => command ?? [],
    );
    expect(led.length).toBeGreaterThan(10);
    for (const command of led)
      expect([command, (await run([...command.split(' '), '--help'])).code]).toEqual([command, 0]);
  });

  it('no command of pdi is among them', () => {
    const unknown = new CommanderError(1, 'commander.unknownCommand', 'error: unknown command');
    const hintFor = (word: string) =>
      failureOfParser(new ParserStop(unknown, 'pdi', [word])).details.hint;
    expect(
      [...words, 'constructor'].filter((word) => hintFor(word) !== 'see `pdi --help`'),
    ).toEqual([]);
  });
});

/** The exit codes that a command's help lists are those it ends with: each is reached, and nothing else is. */
const listed = (path: string): readonly number[] => {
  const told = helpPages[path]?.parts
    .filter((part) => typeof part === 'string' && part.startsWith('Exit codes: '))
    .join();
  return Array.from(told?.match(/\d+/g) ?? [], Number);
};

const refused = (status: number, errorCode?: string): Answer => ({
  status,
  headers: { 'x-ratelimit-reset': '0' },
  json: { errorCode },
});

/** Whatever the operation: by the service's answer, and the error code in it. */
const answers: readonly (readonly [status: number, errorCode: string | undefined, code: number])[] =
  [
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
const oneOfEach = [...new Map(answers.map((answer) => [answer[2], answer])).values()];

async function exitOn(
  argv: readonly string[],
  handler: Handler,
  withStdin?: string,
): Promise<number> {
  const { pdi } = await origin(handler);
  return (
    await pdi([...argv, '--retries', '0'], withStdin === undefined ? {} : { stdin: withStdin })
  ).code;
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
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      reached.push(await exitOnSignal(argv, signal));
    for (const [status, errorCode, code] of oneOfEach) {
      const exit = await exitOn(argv, () => refused(status, errorCode));
      expect([status, errorCode, exit]).toEqual([status, errorCode, code]);
      reached.push(exit);
    }
    if (name === 'lists people modify')
      reached.push(await exitOn(argv, () => ({ json: { id: argv[3], people: [] } })));
    if (isJob)
      reached.push(await exitOn([...words, '-i', '-'], () => refused(404), 'x\nper_1\n7\n'));
    expect([...new Set(reached)].sort((one, other) => one - other)).toEqual(listed(name));
  });

  it('is a job where it takes an input file, and only there', async () => {
    const { pdi } = await origin(() => refused(404));
    const { stderr, code } = await pdi([...words, '-i', '-'], { stdin: 'x\nper_1\n7\n' });
    expect([isJob, code]).toEqual(
      stderr.includes('unknown option') || stderr.includes('missing required')
        ? [false, 2]
        : [true, 8],
    );
  });
});

it.each(['feed', 'network', 'lists companies list'])(
  '%s --fail-if-empty: 4 is listed',
  async (argv) => {
    expect([
      await exitOn([...argv.split(' '), '--fail-if-empty'], () => ({ json: [] })),
      listed(argv).includes(4),
    ]).toEqual([4, true]);
  },
);

const check = async (handler: Handler) => exitOn(['config', 'check'], handler);

it('commands that call on their way to something else: config check and config init list what a call ends with', async () => {
  for (const [status, errorCode, code] of answers) {
    expect([status, errorCode, await check(() => refused(status, errorCode))]).toEqual([
      status,
      errorCode,
      code,
    ]);
  }
  for (const path of ['config check', 'config init'])
    expect(listed(path)).toEqual([0, 2, 3, 4, 5, 6, 7, 129, 130, 143]);
});

describe('commands that call nothing', () => {
  const silent = leaves
    .map(({ path }) => path)
    .filter(
      (path) =>
        !callsService(commandOf(path)) && !/^(?:sandbox signal|book move|spend)$/.test(path),
    );

  it.each(silent)('%s lists no code of a call', (path) => {
    expect(listed(path).filter((exit) => [3, 5, 6, 7, 8].includes(exit))).toEqual([]);
  });

  it('config get: 4 for a setting that is not stored; sandbox: by signal', async () => {
    expect([(await pdi('config get timeout')).code, listed('config get')]).toEqual([4, [0, 2, 4]]);
    expect(listed('sandbox')).toEqual([0, 2, 129, 130, 143]);
  });
});
