/** Sizes and depths that only an enemy sends, to the real program: its time and its memory are measured from outside. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Origin, startOrigin } from '../support/origin.ts';
import { newFolder } from '../support/run.ts';
import { nested } from './edits.ts';
import { patience } from './verdict.ts';

const binary = fileURLToPath(new URL('../../bin/pdi.js', import.meta.url));
const usage = fileURLToPath(new URL('../bench/usage.cjs', import.meta.url));
const mostMegabytes = 300;
const million = 1_000_000;

const person = (field: string): string => `{"person_id":"per_1",${field}}`;
const about = (text: string): string => person(`"about":"${text}"`);

/** Bodies of a 200, each made when it is asked for, and the exit code that they end with. */
const floods: Readonly<Record<string, { readonly body: () => string; readonly exit: number }>> = {
  'arrays, 100,000 deep': { body: () => person(`"x":${nested(100_000)}`), exit: 5 },
  'objects, 100,000 deep': { body: () => person(`"x":${nested(100_000, '{"a":', '}')}`), exit: 5 },
  'arrays, 100,000 deep, beside a long number': { body: () => person(`"n":9007199254740993,"x":${nested(100_000)}`), exit: 5 },
  'nothing but opening brackets': { body: () => '['.repeat(10 * million), exit: 5 },
  'arrays as deep as can be': { body: () => person(`"n":9007199254740993,"experience":[{"more":${nested(490)}}]`), exit: 0 },
  'one word of 10 MB': { body: () => about('x'.repeat(10 * million)), exit: 0 },
  'words, 10 MB': { body: () => about('word '.repeat(2 * million)), exit: 0 },
  'wide characters, 9 MB': { body: () => about('株'.repeat(3 * million)), exit: 0 },
  'an identifier of 10 MB': { body: () => `{"person_id":"${'x'.repeat(10 * million)}"}`, exit: 0 },
  'a number of a million digits': { body: () => person(`"profnet_num_id":${'9'.repeat(million)}`), exit: 0 },
  'terminal commands that never end': { body: () => about('\\u0090'.repeat(million) + '\\u001b]'.repeat(100_000)), exit: 0 },
  'markup that never ends': { body: () => person(`"education":[{"description":"${'<script>'.repeat(500_000)}"}]`), exit: 0 },
  '200,000 fields': { body: () => person(Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')), exit: 0 },
  '100,000 positions': { body: () => person(`"experience":[${'{"title":"T","x":1},'.repeat(100_000)}{}]`), exit: 0 },
  '200,000 long numbers': { body: () => person(`"n":[${'12345678901234567890,'.repeat(200_000)}1]`), exit: 0 },
  'a message of 10 MB with terminal commands': { body: () => `{"errorCode":"X","message":"${'\\u009d0;'.repeat(million)}"}`, exit: 5 },
};

/** A person id that stands for a flood. */
const idOf = (name: string): string => `per_${name.replace(/\W+/g, '-')}`;

let service: Origin;

beforeAll(async () => {
  service = await startOrigin(({ path }) => {
    const name = Object.keys(floods).find((known) => path.endsWith(`/${idOf(known)}`)) ?? '';
    const text = floods[name]?.body() ?? '{}';
    return { status: text.startsWith('{"errorCode"') ? 500 : 200, text };
  });
});
afterAll(() => service.close());

interface Measured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program and checks that it ended by itself, in time and within its memory. */
async function measured(argv: readonly string[], home = newFolder()): Promise<Measured> {
  const report = join(newFolder(), 'usage.json');
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') },
    ...{ PDI_BASE_URL: service.baseUrl, PDI_API_KEY: 'key-of-the-floods', NODE_OPTIONS: `--require=${usage}`, BENCH_USAGE: report },
  };
  const options = { env, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 100 * million } as const;
  const result = await new Promise<Measured & { killed: boolean }>((resolve) => {
    execFile(process.execPath, [binary, ...argv], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, stdout, stderr, killed: error?.killed === true });
    });
  });
  expect(result.killed, `${argv.join(' ')} took longer than ${patience} ms`).toBe(false);
  expect(result.stderr).not.toMatch(/unexpected: |this is a bug/);
  expect(peakOf(report)).toBeLessThan(mostMegabytes);
  return result;
}

function peakOf(report: string): number {
  const used: unknown = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  if (typeof used !== 'object' || used === null || !('peakMb' in used)) throw new Error('the process did not end by itself');
  return Number(used.peakMb);
}

/** What is checked each time, and the rest when there is time: `FUZZ_SECONDS` asks for all. */
const all = process.env.FUZZ_SECONDS !== undefined;
const heavyFor: Readonly<Record<string, readonly string[]>> = {
  'arrays, 100,000 deep': ['json', 'csv'],
  'objects, 100,000 deep': ['table'],
  'words, 10 MB': ['json', 'table'],
  'wide characters, 9 MB': ['table'],
  'terminal commands that never end': ['table'],
  'a message of 10 MB with terminal commands': ['table'],
  '100,000 positions': ['csv', 'table'],
};
const formatsFor = (name: string): readonly string[] => (all ? ['json', 'ndjson', 'csv', 'table', 'xlsx'] : (heavyFor[name] ?? []));
const cases = Object.keys(floods).flatMap((name) => formatsFor(name).map((format) => [name, format] as const));

describe('an answer of', () => {
  it.concurrent.each(cases)('%s, as %s', { timeout: 2 * patience }, async (name, format) => {
    const { code, stdout, stderr } = await measured(['person', idOf(name), '-o', format, '--retries', '0']);
    expect(code, stderr.slice(0, 500)).toBe(floods[name]?.exit);
    if (code !== 0) expect(stdout).toBe('');
    expect(stderr.length).toBeLessThan(2000);
    if (format === 'json' && code === 0) JSON.parse(stdout);
  });
});

describe('an input of', () => {
  const files: readonly (readonly [name: string, file: string, text: () => string, exit: number])[] = [
    ['one line of 10 MB', 'in.txt', () => 'x'.repeat(10 * million), 2],
    ['a CSV cell of 10 MB', 'in.csv', () => `person_id,note\nper_1,"${'x'.repeat(10 * million)}"\n`, 2],
    ['a quote that swallows 10 MB', 'in.csv', () => `person_id,note\nper_1,"${'x,y\n'.repeat(2.5 * million)}`, 2],
    ['JSON, 100,000 deep', 'in.ndjson', () => `{"person_id":${nested(100_000)}}\n{"person_id":"per_a"}\n`, 8],
    ['100,000 columns', 'in.csv', () => `person_id${',c'.repeat(100_000)}\nper_1\n`, 5],
  ];
  const chosen = all ? files : files.slice(2, 4);

  it.concurrent.each(chosen)('%s', { timeout: 2 * patience }, async (_name, file, text, exit) => {
    const path = join(newFolder(), file);
    writeFileSync(path, text());
    const { code, stderr } = await measured(['person', '-i', path, '-o', 'ndjson', '--max-billable', '5']);
    expect(code, stderr.slice(0, 500)).toBe(exit);
  });
});

describe('a configuration of', () => {
  const texts: readonly (readonly [name: string, text: () => string])[] = [
    ['objects, 100,000 deep', () => nested(100_000, '{"profiles":', '}')],
    ['an unknown field, 100,000 deep', () => `{"profiles":{"default":{"later":${nested(100_000)}}}}`],
    ['one setting of 10 MB', () => `{"profiles":{"default":{"output":"${'x'.repeat(10 * million)}"}}}`],
    ['a key-command of 10 MB', () => `{"profiles":{"default":{"key-command":"${'a '.repeat(5 * million)}"}}}`],
  ];

  it.concurrent.each(all ? texts : texts.slice(1, 2))('%s', { timeout: 2 * patience }, async (_name, text) => {
    const home = newFolder();
    const folder = join(home, 'config', 'pdi');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), text());
    for (const argv of [
      ['config', 'list'],
      ['config', 'set', 'timeout', '5'],
    ]) {
      const { code, stderr } = await measured(argv, home);
      expect([0, 2], stderr.slice(0, 500)).toContain(code);
      if (code === 2) expect(readFileSync(join(folder, 'config.json'), 'utf8') === text()).toBe(true);
    }
  });
});
