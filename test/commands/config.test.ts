import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { it } from '../support/it.ts';
import { keyboard, newFolder, type RunResult } from '../support/run.ts';
import { arrayOf, key, linesFile, pdi, sandbox } from '../support/service.ts';
import { play } from '../support/transcript.ts';

const url = 'https://api.example/api/v1';
const fileOf = (home: string): string => join(home, 'config', 'pdi', 'config.json');

/** A home where these commands have run. */
async function homeAfter(...commands: readonly string[]): Promise<string> {
  const home = newFolder();
  for (const command of commands) expect((await pdi(command, { home })).code, command).toBe(0);
  return home;
}

describe('config', () => {
  play('test/commands/config.txt', {
    ...{ key, url, other: 'https://other.example/api/v1', folder: process.cwd() },
    row: `config list --query "[?setting=='api-key'].[value,source]"`,
    check: `config check --query "[].join(' ',[check,status])"`,
    storeDown: '[{"name":"analytics-store","probability":1}]',
  });

  it('list reads no pipe, which may never send anything', async () => {
    const pipe = join(newFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'echo key-of-the-pipe-pipe > "$0"', pipe]);
    onTestFinished(() => void writer.kill());
    const listed = arrayOf(await pdi('config list', { env: { PDI_API_KEY_FILE: pipe } }));
    expect(listed).toContainEqual({
      setting: 'api-key',
      value: null,
      source: `PDI_API_KEY_FILE (${pipe}), not read here`,
    });
  });

  it('settings: flag, environment, profile, default', async ({ service: profile }) => {
    const { service: flag } = await sandbox();
    const { service: environment } = await sandbox();
    const home = await homeAfter(`config set base-url ${profile.baseUrl}`);
    const asked = () =>
      [flag, environment, profile].map((service) => service.requests().checkHealth ?? 0);
    await pdi(['health', '--base-url', flag.baseUrl], {
      home,
      env: { PDI_BASE_URL: environment.baseUrl },
    });
    expect(asked()).toEqual([1, 0, 0]);
    await pdi('health', { home, env: { PDI_BASE_URL: environment.baseUrl } });
    expect(asked()).toEqual([1, 1, 0]);
    await pdi('health', { home });
    expect(asked()).toEqual([1, 1, 1]);
  });
});

/** The report of `config check`: status by check. */
const statuses = (result: RunResult): Readonly<Record<string, unknown>> =>
  Object.fromEntries(arrayOf(result).map(({ check, status }) => [String(check), status]));

describe('config check', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
    ['20.18.3', 'warn'],
    ['21.6.2', 'warn'],
    ['18.20.8', 'warn'],
  ])('Node %s: %s', async (nodeVersion, status) => {
    expect(statuses(await pdi('config check', { nodeVersion })).node).toBe(status);
  });

  it('warns of a configuration file that others can read, and how a shell closes it; and of names in it that are no settings', async ({
    pdi,
  }) => {
    const folder = join(newFolder(), 'my files');
    const file = join(folder, 'config.json');
    const warned = async () => {
      const result = await pdi('config check', { env: { PDI_CONFIG_DIR: folder } });
      expect([result.code, statuses(result).configuration]).toEqual([0, 'warn']);
      return result.stdout;
    };
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(file, '{"profiles":{"default":{"timeout":9}}}', { mode: 0o644 });
    expect(await warned()).toContain(`chmod 600 '${file}'`);
    chmodSync(file, 0o600);
    writeFileSync(file, '{"profiles":{"default":{"max_billable":5,"timeout":9}}}');
    expect(await warned()).toContain(
      'names settings that pdi does not have: profiles.default.max_billable"',
    );
  });
});

describe('config init', () => {
  /** Somebody who answers all questions; of several base URLs, keys or values, the next one each time. */
  function answering(
    baseUrl: string | readonly string[],
    key: string | readonly string[],
    ...values: string[]
  ) {
    const { stdin, type } = keyboard();
    const [urls, keys] = [[baseUrl].flat(), [key].flat()];
    const onStderr = (text: string): void => {
      if (text.includes('Base URL')) type(`${urls.shift() ?? ''}\r`);
      if (/^(?:Keep|Budget)/.test(text)) type(`${values.shift() ?? ''}\r`);
      if (text.includes('API key (')) type(`${(keys.length > 1 ? keys.shift() : keys[0]) ?? ''}\r`);
    };
    return { stdin, terminal: true, columns: 120, onStderr };
  }

  it('asks for base URL and key, stores both, and checks them', async ({ service }) => {
    const home = newFolder();
    const result = await pdi('config init', {
      home,
      ...answering(service.baseUrl, service.keys.full),
    });
    expect(result.code).toBe(0);
    expect(result.stdout + result.stderr).not.toContain(service.keys.full);
    expect(result.stderr).toContain(
      `stored base-url ${service.baseUrl} and api-key …full in profile default`,
    );
    const stored = await pdi('config get base-url', { home });
    expect(stored.stdout).toBe(`${service.baseUrl}\n`);
  });

  it('asks for max-age and budget, again after what is none, and says what it stored; Enter keeps what is there', async ({
    service,
  }) => {
    const { baseUrl, keys } = service;
    const { home, stderr } = await pdi(
      'config init',
      answering(baseUrl, keys.full, '7 days', '7d', '0', '500/month'),
    );
    expect(stderr).toMatch(
      /0 turns it off; Enter keeps 12h\): .*expected an age .*once more.*stored max-age 7d.*Enter keeps unlimited/s,
    );
    expect(stderr).toMatch(/expected calls a month .*once more.*stored budget 500\/month/s);
    const again = await pdi('config init', { home, ...answering('', '') });
    expect(again.stderr).toMatch(
      /Base URL, Enter keeps http:.*keeps 7d\): .*keeps 500\/month\): /s,
    );
    expect(again.stderr).not.toMatch(/stored (?:max|bud)/);
    expect(again.stdout).toContain('budget: 0 of 500 calls a month used');
  });

  it('stores no key that was refused, whatever key variables hold, and leaves what was stored', async ({
    service,
  }) => {
    const keyFile = linesFile([service.keys.full]);
    for (const env of [{}, { PDI_API_KEY: service.keys.full }, { PDI_API_KEY_FILE: keyFile }]) {
      const { home } = await pdi('config init', {
        ...answering(service.baseUrl, service.keys.full),
      });
      const file = readFileSync(fileOf(home), 'utf8');
      const wrong = await pdi('config init', {
        home,
        env,
        ...answering(service.baseUrl, 'mistyped-key-0815'),
      });
      expect([
        wrong.code,
        wrong.stdout,
        wrong.stderr.match(/API key \(not shown; Enter keeps …full\): /g)?.length,
      ]).toEqual([3, '', 3]);
      expect(wrong.stderr).toMatch(
        /refused the key …0815, which is not stored\n.*hint:.* run `pdi config init` again/,
      );
      expect(readFileSync(fileOf(home), 'utf8')).toBe(file);
    }
  });

  it.for([
    [
      'checks the key that it stored, whatever a variable holds',
      'sandbox-key-full',
      { PDI_API_KEY: 'an-old-key-0815' },
      0,
      true,
    ],
    [
      'stores a key that is good and may do little: the check says so',
      'sandbox-key-no-permission',
      {},
      3,
      true,
    ],
    [
      'stores no key that cannot be one, but the base URL that answered',
      'a-key-in-\u20ac',
      {},
      2,
      false,
    ],
    ['stores no placeholder', '$PDI_API_KEY', {}, 3, false],
  ] as const)('%s', async ([_what, typed, env, code, isStored], { service }) => {
    const result = await pdi('config init', { env, ...answering(service.baseUrl, typed) });
    expect([result.code, result.stderr.includes('stored base-url')]).toEqual([code, isStored]);
    const kept = readFileSync(fileOf(result.home), 'utf8');
    expect([kept.includes(service.baseUrl), kept.includes('api-key"')]).toEqual([true, isStored]);
  });

  it('asks again after a wrong key, and Enter keeps the one that is stored', async ({
    service,
  }) => {
    const home = newFolder();
    const first = await pdi('config init', {
      home,
      ...answering(service.baseUrl, ['a-wrong-key-0815', '', service.keys.full]),
    });
    expect([first.code, first.stderr.match(/once more/g)?.length]).toEqual([0, 2]);
    const again = await pdi('config init', { home, ...answering('', '') });
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('API key (not shown; Enter keeps …full): '),
    ]);
  });

  it.for(['', ' --profile work'])(
    'asks again after a wrong URL, for a profile that is not there yet too:%s',
    async (profile, { service }) => {
      const home = await homeAfter('config set timeout 5');
      const { host } = new URL(service.baseUrl);
      const wrong = [
        'example',
        'http://host.example/api/v1',
        `http://${host}/api/v2`,
        'http://127.0.0.1:1/api/v1',
      ];
      const result = await pdi(`config init${profile}`, {
        ...answering([...wrong, service.baseUrl], service.keys.full),
        home,
      });
      expect([result.code, result.stderr.match(/Base URL, /g)?.length]).toEqual([0, 5]);
      const told = [
        'expected an absolute http:// or https:// URL',
        'would travel unencrypted',
        'no service answers at http://127.0.0.1:1/',
      ];
      for (const words of told) expect(result.stderr).toContain(words);
      expect((await pdi(`config get base-url${profile}`, { home })).stdout).toBe(
        `${service.baseUrl}\n`,
      );
    },
  );

  it('takes a URL at which nothing answers from whoever insists', async () => {
    const nowhere = 'http://127.0.0.1:1/api/v1';
    for (const insisting of [nowhere, '']) {
      const result = await pdi(
        'config init --retries 0',
        answering([nowhere, insisting], 'some-key-0815'),
      );
      expect([result.code, result.stderr.match(/Base URL, /g)?.length]).toEqual([5, 2]);
      expect(result.stderr).toContain(`stored base-url ${nowhere}`);
    }
  });

  it('says that a key-command comes before the key, but for one of another base URL', async ({
    service,
  }) => {
    const words = 'profile default has a key-command, which comes before its key';
    for (const former of [undefined, url]) {
      const home = await homeAfter(
        ...(former === undefined ? [] : [`config set base-url ${former}`]),
        'config set key-command no-such',
      );
      const result = await pdi('config init', {
        home,
        ...answering(service.baseUrl, service.keys.full),
      });
      expect([result.code, result.stderr.includes(words)]).toEqual(
        former === undefined ? [3, true] : [0, false],
      );
    }
  });

  it('sends no key to a stored http:// elsewhere that Enter keeps, but with --allow-http', async () => {
    const former = 'http://host.example/api/v1';
    const home = await homeAfter(`config set base-url ${former} --allow-http`);
    const result = await pdi('config init --retries 0', {
      home,
      ...answering(['', 'http://127.0.0.1:1/api/v1', ''], 'some-key-0815'),
    });
    expect(result.stderr).toMatch(
      /http:\/\/host.example\/api\/v1 is http:\/\/: the key and the data would travel unencrypted; use https/,
    );
    expect(result.stderr).toContain('stored base-url http://127.0.0.1:1/api/v1');
  });
});
