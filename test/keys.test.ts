/** Key hygiene: the key goes to its own origin alone, and shows nowhere, not even where the service repeats it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documented, everyCommand } from './commands/every-command.ts';
import { itWith } from './support/it.ts';
import { needs } from './support/needs.ts';
import type { Answer, Handler } from './support/origin.ts';
import { newFolder, type RunOptions } from './support/run.ts';
import {
  answering,
  errorOf,
  key,
  keysSeen,
  linesFile,
  newFile,
  origin,
  pdi as program,
} from './support/service.ts';
import { play } from './support/transcript.ts';

const itDocumented = itWith(() => origin(documented));

/** Ways to give the program its key: each makes ready a home, and says with what environment and flags to run. */
const sources = {
  'PDI_API_KEY with space around it': async (_baseUrl: string, home: string) => ({
    home,
    env: { PDI_API_KEY: ` ${key}\n` },
  }),
  PDI_API_KEY_FILE: async (_baseUrl: string, home: string) => {
    const file = join(home, 'the-key');
    writeFileSync(file, `${key}\n`);
    return { home, env: { PDI_API_KEY_FILE: file } };
  },
  'the stored key': async (baseUrl: string, home: string) => {
    await program(['config', 'set', 'base-url', baseUrl], { home });
    await program('config set api-key -', { home, stdin: key });
    return { home };
  },
  'key-command': async (baseUrl: string, home: string) => {
    const file = join(home, 'from-a-vault');
    writeFileSync(file, key);
    await program(['config', 'set', 'base-url', baseUrl], { home });
    await program(['config', 'set', 'key-command', `cat ${file}`], { home });
    return { home };
  },
} satisfies Record<string, (baseUrl: string, home: string) => Promise<RunOptions>>;

/** Everything that a reader of an output could find the key in. */
const disguises = [
  key,
  encodeURIComponent(key),
  Buffer.from(key).toString('base64').slice(0, -4),
  key.slice(0, 20),
  key.slice(-8),
];

function expectNoKey(text: string): void {
  for (const disguise of disguises) expect(text).not.toContain(disguise);
}

/** A service that repeats the key it was given, in every way that comes to mind. */
const gossip: Handler = ({ headers }) => {
  const given = String(headers['x-api-key']);
  const base64 = Buffer.from(given).toString('base64');
  return {
    status: 401,
    headers: { 'x-request-id': given },
    json: {
      errorCode: `KEY_${given}`,
      message: `${given}? "${encodeURIComponent(given)}" ${base64}\n${given}`,
    },
  };
};

describe.each(Object.entries(sources))('the key from %s', (place, source) => {
  // Once it is read, the key is treated alike, wherever it came from.
  const isVariable = place.startsWith('PDI_API_KEY ');
  const around = async (baseUrl: string) => {
    const options: RunOptions = await source(baseUrl, newFolder());
    return (argv: readonly string[], more: RunOptions = {}) =>
      program(['--base-url', baseUrl, '--verbose', ...argv], {
        ...options,
        ...more,
        env: { ...options.env, ...more.env },
      });
  };

  itDocumented('is sent, and shows in no output of any command', async ({ service }) => {
    const run = await around(service.baseUrl);
    for (const [at, { argv, name }] of everyCommand.entries()) {
      for (const terminal of isVariable ? [false, true] : [at % 2 === 0]) {
        const { code, stdout, stderr } = await run(argv, { terminal });
        expect(code, stderr).toBe(0);
        expect(stderr).toMatch(/^> (GET|POST|PATCH|DELETE) http/m);
        expectNoKey(stdout + stderr);
        expect(keysSeen(service).at(-1)).toBe(name === 'health' ? undefined : key);
      }
    }
  });

  it('shows in no error, though the service repeats it', async () => {
    const { service } = await origin(gossip);
    const run = await around(service.baseUrl);
    for (const line of [
      'person per_1',
      'person per_1 per_2',
      'resolve x',
      'feed --all',
      'config check',
    ]) {
      for (const terminal of [false, true]) {
        const { code, stdout, stderr } = await run(line.split(' '), { terminal });
        expect(code).toBe(3);
        // `config check` reports what it found in any case, and a job its rows.
        if (!/^config|per_2/.test(line)) expect(stdout).toBe('');
        expect(stderr).toContain('…0042');
        expectNoKey(stdout + stderr);
      }
    }
    // The health check sends none.
    expect(new Set(keysSeen(service).filter((seen) => seen !== undefined))).toEqual(new Set([key]));
  });

  const known = needs(
    place !== 'key-command',
    'nobody knows the key of a key-command before it is run',
  );
  it('shows in no mistake that is told before it is read', known, async () => {
    const run = await around('https://api.example.test/api/v1');
    for (const argv of [
      ['person', key],
      ['lists', 'investors', 'get', key],
      ['feed', '--after', key],
      [key],
      ['person', `--${key}`],
    ]) {
      for (const terminal of [false, true]) {
        const { code, stdout, stderr } = await run(argv, { terminal });
        expect([code, stdout]).toEqual([2, '']);
        expectNoKey(stderr);
      }
    }
  });

  it('shows in no plan, log or failure where it is typed for an identifier', known, async () => {
    const run = await around('https://api.example.test/api/v1');
    for (const command of [['revenue'], ['investors', '--name'], ['feed', '--sort']]) {
      const plan = await run([...command, key, '--dry-run', '-o', 'table']);
      expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('…0042')]);
      expectNoKey(plan.stdout + plan.stderr);
    }
    for (const verbose of [[], ['--verbose']]) {
      const options = await source('https://api.example.test/api/v1', newFolder());
      const missing = await program(['--sandbox', 'revenue', key, ...verbose], options);
      expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('…0042')]);
      expectNoKey(missing.stderr);
    }
  });

  it('shows in no row of a job', async () => {
    const { service } = await origin((request, response, count) =>
      count === 1
        ? { text: '{"person_id":"per_0"}' }
        : { ...gossip(request, response, count), status: 404 },
    );
    const run = await around(service.baseUrl);
    for (const format of ['json', 'csv', 'table']) {
      const { stdout, stderr } = await run(['person', 'per_0', 'per_1', '-o', format]);
      expectNoKey(stdout + stderr);
    }
  });

  it.each<[string, string, (given: string) => Answer]>([
    [
      'the address of a redirect',
      'person',
      (given) => ({ status: 302, headers: { location: `http://${given}.example/` } }),
    ],
    ['an echo', 'resolve', (given) => ({ json: [{ query: { profnet_id: given }, matches: [] }] })],
    [
      'a message with a control character in it',
      'person',
      (given) => ({ status: 400, json: { message: given.replace('-', '-\u0007\u200b') } }),
    ],
  ])('shows in no row, FILE or journal, though it comes in %s', async (_what, command, answer) => {
    const { service } = await origin(({ headers }) => answer(String(headers['x-api-key'])));
    const run = await around(service.baseUrl);
    const file = linesFile(['per_1']);
    for (const format of isVariable ? ['ndjson', 'csv', 'table'] : ['csv']) {
      for (const terminal of [false, true]) {
        const { code, stdout, stderr } = await run([command, '-i', file, '-o', format], {
          terminal,
        });
        expect(code, stderr).not.toBe(0);
        expectNoKey(stdout + stderr);
      }
      const out = newFile();
      await run([command, '-i', file, '-o', format, '--out', out]);
      for (const path of [out, `${out}.journal`])
        if (existsSync(path)) expectNoKey(readFileSync(path, 'utf8'));
    }
  });

  itDocumented('shows in no dry run, which asks nobody', async ({ service }) => {
    const run = await around(service.baseUrl);
    for (const { argv } of everyCommand) {
      const { code, stdout, stderr } = await run([...argv, '--dry-run']);
      expect(code, stderr).toBe(0);
      expectNoKey(stdout + stderr);
    }
    expect(service.requests).toEqual([]);
  });

  it('is written down nowhere but where it was put', async () => {
    const { service } = await origin(({ path }) => ({
      json: { person_id: path.split('/').at(-1) },
    }));
    const options: RunOptions = await source(service.baseUrl, newFolder());
    const home = options.home ?? '';
    const out = join(home, 'people.json');
    await program(`--base-url ${service.baseUrl} person per_1 per_2 --out ${out}`, options);
    await program(
      `--base-url ${service.baseUrl} person per_1 per_3 --out ${out}2 --max-billable 2`,
      options,
    );
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const holders = files.filter((entry) =>
      readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(key),
    );
    expect(files.length).toBeGreaterThan(2);
    expect(
      holders.every(({ name }) => ['the-key', 'from-a-vault', 'config.json'].includes(name)),
    ).toBe(true);
  });
});

describe('a stored key', () => {
  it.each([
    ['the stored key', 'api-key'],
    ['key-command', 'key-command'],
  ] as const)('%s never goes to another base URL', async (name, setting) => {
    const [home, other, elsewhere] = [
      await answering(documented),
      await answering(documented),
      await answering(documented),
    ];
    const options = await sources[name](home.baseUrl, newFolder());
    for (const flags of [
      other.baseUrl,
      `${home.baseUrl}/other`,
      `${other.baseUrl} --profile default`,
    ]) {
      const result = await program(`--base-url ${flags} person per_a1`, options);
      expect([result.code, result.stdout]).toEqual([3, '']);
      expect(errorOf(result)).toMatchObject({
        code: 'auth',
        billed: 'no',
        message: expect.stringContaining(setting),
      });
    }
    const byVariable = await program('person per_a1', {
      ...options,
      env: { PDI_BASE_URL: other.baseUrl },
    });
    expect(byVariable.code).toBe(3);
    expect((await program(['config', 'set', 'base-url', elsewhere.baseUrl], options)).code).toBe(0);
    expect((await program('person per_a1', options)).code).toBe(3);
    expect([home, other, elsewhere].map(({ requests }) => requests)).toEqual([[], [], []]);
  });

  itDocumented('is never seen by the sandbox', async ({ service }) => {
    const options = await sources['the stored key'](service.baseUrl, newFolder());
    const { code, stderr } = await program('--sandbox person per_sample1 --verbose', options);
    expect([code, service.requests]).toEqual([0, []]);
    expectNoKey(stderr);
  });
});

itDocumented.for([301, 302, 307, 308])(
  'a redirect: %i to another origin carries nothing there: 5',
  async (status, { service: other }) => {
    const { service, pdi } = await origin(({ path }) => ({
      status,
      headers: { location: `${new URL(other.baseUrl).origin}${path}` },
    }));
    const deletion = 'lists people delete b0000000-0000-4000-8000-000000000001 --yes';
    for (const line of ['person per_a1', 'resolve ada-sample-1', 'health', deletion]) {
      const result = await pdi(`${line} --retries 0`);
      expect([result.code, result.stdout]).toEqual([5, '']);
      expect(errorOf(result).message).toContain('redirects');
      expectNoKey(result.stderr);
    }
    expect([service.requests.length, other.requests]).toEqual([4, []]);
  },
);

play('test/keys.txt', {
  withUser: `https://user:${key}@api.example/api/v1`,
  secrets: disguises.join('\nno '),
});
