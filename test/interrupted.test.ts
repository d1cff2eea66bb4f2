/** Ctrl-C, SIGTERM and SIGHUP: what is under way is finished and written, nothing more is sent, the exit code tells it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { Signal } from '../src/io.ts';
import { landmarks } from './sandbox/landmarks.ts';
import { gate, later } from './support/later.ts';
import { needsPosix } from './support/needs.ts';
import type { Answer, Handler } from './support/origin.ts';
import { newFolder, type RunOptions, signalling } from './support/run.ts';
import {
  errorOf,
  keeping,
  linesFile,
  newFile,
  origin,
  pdi,
  slowAtFirst,
  summaryOf,
} from './support/service.ts';

const refused = (status: number, errorCode?: string): Answer => ({
  status,
  json: { errorCode, message: `in words ${status}` },
});
const id: Handler = (request) => ({ json: { person_id: idAsked(request) } });
const group: Handler = ({ body }) => ({
  json: [{ query: JSON.parse(body).to_resolve[0], matches: [] }],
});
const done = 'interrupted: everything asked for was done and is written';
const idAsked = ({ path }: { readonly path: string }) => path.split('/').at(-1);
const again = (calls: string) => `a new run may be billed again for what was bought: ${calls}`;

const signals = [
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 129, 'hung_up'],
] as const;

/** A service that sends these signals with its call of this number, and a program that hears them. */
async function striking(answer: Answer | Handler, call: number, ...sent: readonly Signal[]) {
  const { send, withSignal } = signalling();
  const { service, pdi } = await origin((request, response, count) => {
    if (count === call) for (const signal of sent) send(signal);
    return typeof answer === 'function' ? answer(request, response, count) : answer;
  });
  const run = (argv: string, options: RunOptions = {}) =>
    pdi(argv, { withSignal, onTerminal: true, ...options });
  return { service, run };
}

/** Runs a command whose calls are all answered so, and sends a signal with the last of `calls`. */
async function signalled(
  argv: string,
  answer: Answer | Handler,
  { calls = 1, signal = 'SIGINT' }: { calls?: number; signal?: Signal } = {},
) {
  const { service, run } = await striking(answer, calls, signal);
  const result = await run(argv);
  expect(service.requests).toHaveLength(calls);
  return result;
}

describe('a signal', () => {
  it.each(signals)(
    '%s during a job: %i, whole rows, nothing more sent, and how to go on',
    async (signal, code, name) => {
      const { service, run } = await striking(id, 3, signal);
      const ids = Array.from({ length: 40 }, (_, index) => `per_${index}`);
      const result = await run(`person ${ids.join(' ')} --concurrency 2`);
      const { length } = service.requests;
      expect([result.code, length <= 4]).toEqual([code, true]);
      const printed: unknown = JSON.parse(result.stdout);
      expect(printed).toHaveLength(40);
      expect(printed).toMatchObject(
        ids.map((id, at) =>
          at < length ? { person_id: id } : { input: id, pdi_status: 'skipped' },
        ),
      );
      expect(errorOf(result)).toMatchObject({
        code: name,
        billed: 'yes',
        retryable: true,
        hint: again(`${length} calls`),
      });
    },
  );

  it.each([
    ['person per_1', id, 1, '{"person_id":"per_1"}\n', 'yes', again('1 call')],
    [
      'person per_1 per_2',
      id,
      2,
      '{"person_id":"per_1"}\n{"person_id":"per_2"}\n',
      'yes',
      again('2 calls'),
    ],
    ['resolve x', group, 1, '{"query":{"profnet_id":"x"},"matches":[]}\n', 'no', null],
    ['health', { text: '{"status":"OK"}' }, 1, '{"status":"OK"}\n', 'no', null],
    ['feed', { json: [{ signal_id: 's' }] }, 1, '{"signal_id":"s"}\n', 'yes', again('1 call')],
    ['feed', { json: [] }, 1, '', 'no', null],
    [
      'network --all',
      { json: [] },
      1,
      '',
      'unknown',
      'a new run may be billed for it a second time: 1 call',
    ],
    ['lists companies list', { json: [] }, 1, '', 'no', null],
  ] as const)(
    'with the last calls under way, %s: they are finished, nothing is left, by signal',
    async (argv, answer, calls, ...told) => {
      const [stdout, billed, hint] = told;
      for (const [signal, code, name] of signals) {
        const result = await signalled(`${argv} -o ndjson`, answer, { calls, signal });
        expect([result.code, result.stdout]).toEqual([code, stdout]);
        expect(errorOf(result)).toMatchObject({
          code: name,
          message: done,
          retryable: false,
          billed,
          hint,
        });
      }
      const inWords = await signalled(`${argv} -o csv`, answer, { calls });
      expect(inWords.stderr.trimEnd().split('\n').at(-1)).toContain(`pdi: ${done}`);
    },
  );

  it('with a journal: what was bought is kept, and running it again buys only the rest', async () => {
    const out = newFile('people.csv');
    const result = await signalled(
      `person per_1 per_2 per_3 --out ${out} --concurrency 1 --errors json`,
      id,
      { calls: 2 },
    );
    expect(errorOf(result)).toMatchObject({ billed: 'yes', hint: 'run the same command again' });
    expect(summaryOf(result).resume).toBe('run the same command again: it asks only for the rest');
  });

  it.each([
    ['person', ['per_sample1']],
    ['resolve', ['-i', linesFile(['ada-sample-1'])]],
    ['person', ['-i', linesFile(['per_sample1']), '--first', '1']],
  ])('before the first call of %s %j: nothing is written', async (command, given) => {
    const out = newFile();
    for (const to of [[], ['--out', out]]) {
      const { send, withSignal } = signalling();
      // The sandbox says that it has started before it is asked.
      const result = await pdi(['--sandbox', command, ...given, ...to], {
        withSignal,
        onStderr: () => send('SIGINT'),
      });
      expect([result.code, result.stdout, readdirSync(dirname(out))]).toEqual([130, '', []]);
      expect(result.stderr).toContain('again');
    }
  });

  it('while another run is buying the one answer: nothing is written', async () => {
    const { pdi, asked, release } = await keeping(slowAtFirst(id));
    const first = pdi('person per_1');
    await asked;
    const out = newFile();
    const { send, withSignal } = signalling();
    const second = pdi(`person per_1 --out ${out}`, { withSignal });
    // It takes about as long as the second needs to come to the book.
    await pdi('spend');
    send('SIGINT');
    expect([(await second).code, readdirSync(dirname(out))]).toEqual([130, []]);
    release();
    await first;
  });

  it('says at once what it waits for, where calls are under way', async () => {
    const { send, withSignal } = signalling();
    const told: string[] = [];
    const answered = gate();
    const { pdi } = await origin(async (...request) => {
      send('SIGINT');
      await answered.opened;
      return id(...request);
    });
    const onStderr = (text: string) => {
      told.push(text);
      answered.open();
    };
    expect((await pdi('person per_1', { withSignal, onStderr })).code).toBe(130);
    const words =
      'stopping: waiting for 1 call under way; Ctrl-C again ends at once, and the answers are lost';
    expect(told[0]).toBe(`${JSON.stringify({ notice: words })}\n`);
  });

  it.each([
    ['person per_1 per_2', 404, 2, 'interrupted: 2 of 2 rows are not ok'],
    ['person per_1', 404, 1, 'interrupted: Get person by id, per_1: not found (404)'],
    ['feed', 500, 1, 'interrupted: Investor-interest feed, page 0: the service failed (500)'],
  ])('beats what failed for itself: %s, %i', async (argv, status, calls, message) => {
    const result = await signalled(argv, refused(status), { calls });
    expect(result.code).toBe(130);
    expect(errorOf(result)).toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['auth', 3, refused(401), 'person per_1 per_2 --concurrency 1'],
    ['credits', 7, refused(402, 'OUT_OF_CREDITS'), 'person per_1'],
    ['rate_limited', 6, refused(429), 'feed --retries 0'],
    ['usage', 2, refused(400), 'person per_1'],
    ['internal', 1, { json: [] }, 'feed --out /dev/full'],
  ] as const)('does not hide %s: %i', async (name, code, answer, argv) => {
    const result = await signalled(argv, answer);
    expect([result.code, errorOf(result).code]).toEqual([code, name]);
  });

  it.each([
    ['person per_1', { ...refused(429), headers: { 'x-ratelimit-reset': '30' } }],
    ['health --wait 30', refused(503)],
  ])('while %s waits says how to go on', async (argv, answer) => {
    const result = await signalled(argv, answer);
    expect([result.code, errorOf(result).hint]).toEqual([130, 'run the same command again']);
  });

  it('while standard input is still open keeps what was bought for the run that reads on', async () => {
    const { service, run } = await striking(id, 2, 'SIGINT');
    const stdin = new PassThrough();
    stdin.write('per_1\nper_2\n');
    const out = newFile('people.csv');
    const argv = `person -i - -o csv --out ${out}`;
    expect([(await run(argv, { stdin })).code, existsSync(`${out}.journal`)]).toEqual([130, true]);
    const second = await run(argv, { stdin: 'per_1\nper_2\nper_3\n' });
    expect([second.code, existsSync(`${out}.journal`)]).toEqual([0, false]);
    expect(service.requests.map(idAsked)).toEqual(['per_1', 'per_2', 'per_3']);
  });

  describe('while input is read that does not end by itself', () => {
    const modify = ['lists', 'people', 'modify', landmarks.lists.people.shared];

    it.each([
      ['resolve', '-i', '-', '--dry-run'],
      ['resolve', '-i', '-', '--input-format', 'lines'],
      [...modify, '--add-from', '-'],
      [...modify, '--add', 'per_1', '--delete-from', '-'],
      ['config', 'set', 'api-key', '-'],
    ])('%s %s %s: the run ends, nothing is sent', async (...argv) => {
      const { service, pdi } = await origin(group);
      const { send, withSignal } = signalling();
      // A row comes, and no end: the second time anything is read for, a signal does.
      let asked = 0;
      const stdin = new Readable({
        read() {
          asked += 1;
          if (asked === 1) this.push('per_1\n');
          else send('SIGTERM');
        },
      });
      const result = await pdi(argv, { stdin, withSignal });
      expect([result.code, result.stdout, existsSync(join(result.home, 'config'))]).toEqual([
        143,
        '',
        false,
      ]);
      expect(errorOf(result).hint).toMatch(/^run (?:it|the same command) again/);
      expect(service.requests).toEqual([]);
    });

    // A named pipe, be nobody there to write or somebody who says nothing.
    it.each([
      ['resolve -i', false],
      ['resolve -i', true],
      ['resolve --dry-run -i', true],
      [`${modify.join(' ')} --add-from`, false],
      [`${modify.join(' ')} --delete-from`, true],
    ])('%s a pipe, somebody writing: %s', needsPosix, async (words, somebody) => {
      const pipe = join(newFolder(), 'pipe');
      execFileSync('mkfifo', [pipe]);
      const { service, pdi } = await origin(group);
      const { send, withSignal } = signalling();
      const ended = pdi(`${words} ${pipe}`, { withSignal });
      // Opening it to write waits for the program, which opens it to read.
      const writer = somebody ? await open(pipe, 'w') : undefined;
      if (!somebody) await later(50);
      send('SIGINT');
      const { code, stdout } = await ended;
      await writer?.close();
      expect([code, stdout, service.requests]).toEqual([130, '', []]);
    });
  });

  it.each([true, false])(
    'for the second time ends the run at once, on a terminal (%s) with the line that was begun',
    async (terminal) => {
      const ends: [code: number, isLineEnded: boolean][] = [];
      const told: string[] = [];
      const { run } = await striking(id, 1, 'SIGINT', 'SIGINT');
      const onExitNow = (code: number) => ends.push([code, told.join('').endsWith('\n\n')]);
      await run('person per_1 per_2 -o ndjson', {
        terminal,
        onTerminal: terminal,
        onStderr: (text) => void told.push(text),
        onExitNow,
      });
      expect(ends[0]).toEqual([130, terminal]);
    },
  );

  it('while key-command runs ends it, and the run', async () => {
    const { service, pdi, home } = await origin(id);
    const marker = join(home, 'runs');
    const script = "require('fs').writeFileSync(process.argv[1], ''); setInterval(() => 0, 1000)";
    const stored = {
      'base-url': service.baseUrl,
      'key-command': JSON.stringify([process.execPath, '-e', script, marker]),
    };
    mkdirSync(join(home, 'config', 'pdi'), { recursive: true });
    writeFileSync(
      join(home, 'config', 'pdi', 'config.json'),
      JSON.stringify({ profiles: { default: stored } }),
    );
    const { send, withSignal } = signalling();
    const ended = pdi('person per_1 per_2', {
      withSignal,
      onTerminal: true,
      env: { PDI_API_KEY: '' },
    });
    await vi.waitFor(() => expect(existsSync(marker)).toBe(true), 60_000);
    send('SIGTERM');
    expect((await ended).code).toBe(143);
    expect(service.requests).toEqual([]);
  });

  it('SIGHUP comes twice where a terminal is closed, and forces nothing; Ctrl-C after it does', async () => {
    const forced = async (...sent: readonly Signal[]) => {
      const ends: number[] = [];
      const { run } = await striking(id, 1, ...sent);
      const { code } = await run('person per_1 -o ndjson', {
        onExitNow: (code) => ends.push(code),
      });
      return [code, ...ends];
    };
    expect(await forced('SIGHUP', 'SIGHUP')).toEqual([129]);
    expect(await forced('SIGHUP', 'SIGHUP', 'SIGINT')).toEqual([129, 130]);
  });

  it('SIGHUP without a terminal is ignored: the job runs on, as nohup means it to', async () => {
    const { run } = await striking(id, 2, 'SIGHUP');
    const { code, stdout, stderr } = await run(
      'person per_1 per_2 per_3 per_4 -o ndjson --concurrency 1',
      { onTerminal: false },
    );
    expect([code, stdout.split('\n').length, stderr]).toEqual([
      0,
      5,
      expect.stringContaining('"ok":4'),
    ]);
  });

  it('SIGHUP: that the terminal takes nothing more is no failure of its own', async () => {
    const { run } = await striking(id, 1, 'SIGHUP');
    const dead = () => {
      throw Object.assign(new Error('write EIO'), { code: 'EIO' });
    };
    expect(
      (await run('person per_1 per_2', { terminal: true, onStdout: dead, onStderr: dead })).code,
    ).toBe(129);
  });
});
