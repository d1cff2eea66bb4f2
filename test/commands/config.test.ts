import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { it } from '../support/it.ts';
import { keyboard, newFolder, type RunResult } from '../support/run.ts';
import { arrayOf, errorOf, expectRefused, key, linesFile, linesOf, origin, pdi, sandbox } from '../support/service.ts';

const url = 'https://api.example/api/v1';
const fileOf = (home: string): string => join(home, 'config', 'pdi', 'config.json');

/** A home where these commands have run. */
async function homeAfter(...commands: readonly string[]): Promise<string> {
  const home = newFolder();
  for (const command of commands) expect((await pdi(command, { home })).code, command).toBe(0);
  return home;
}

describe('config set, get, unset', () => {
  it.each([
    ['base-url', 'HTTPS://API.example:443/api/v1/', url],
    ['max-billable', 'unlimited', 'unlimited'],
    ['timeout', '2.5', '2.5'],
    ['key-command', 'pass show pdi', 'pass show pdi'],
    ['book', 'team.db', join(process.cwd(), 'team.db')],
  ])('%s %s', async (name, value, stored) => {
    const home = newFolder();
    expect(await pdi(['config', 'set', name, value], { home })).toMatchObject({ code: 0, stdout: '' });
    expect(await pdi(['config', 'get', name], { home })).toMatchObject({ code: 0, stdout: `${stored}\n`, stderr: '' });
    expect(await pdi(['config', 'unset', name], { home })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const gone = await pdi(['config', 'get', name], { home });
    expect({ code: gone.code, stdout: gone.stdout }).toEqual({ code: 4, stdout: '' });
    const hint = `run pdi config set ${name} VALUE`;
    expect(errorOf(gone)).toMatchObject({ code: 'not_found', item: name, message: `profile default has no ${name}`, hint });
  });

  it('a key that was glued to its name shows nowhere', async () => {
    const result = await pdi(['config', 'set', `api-key=${key}`, 'x']);
    expect([result.code, errorOf(result).message]).toEqual([2, 'there is no setting "api-key=…" in profiles']);
    expect(result.stderr).not.toContain(key.slice(0, 8));
  });

  it('config path names the file, which is there or not', async () => {
    const home = newFolder();
    expect(await pdi('config path', { home })).toMatchObject({ code: 0, stdout: `${fileOf(home)}\n` });
    const moved = newFolder();
    expect(await pdi('config path', { env: { PDI_CONFIG_DIR: moved } })).toMatchObject({ stdout: `${join(moved, 'config.json')}\n` });
  });
});

describe('config set api-key', () => {
  it('reads it from stdin with -', async () => {
    const home = await homeAfter(`config set base-url ${url}`);
    expect(await pdi('config set api-key -', { home, stdin: `${key}\n` })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(readFileSync(fileOf(home), 'utf8')).profiles.default['api-key']).toBe(key);
    expect(await pdi('config get api-key', { home })).toMatchObject({ code: 0, stdout: `…${key.slice(-4)}\n` });
  });

  it('asks without echo on a terminal', async () => {
    const { stdin, type } = keyboard();
    type(`wrong\u0015${key}\r`);
    const result = await pdi('config set api-key', { stdin, terminal: true });
    expect([result.code, result.stdout]).toEqual([0, '']);
    expect(result.stderr).not.toContain(key);
    expect(readFileSync(fileOf(result.home), 'utf8')).toContain(key);
  });

  it.each([
    ['as an argument', ['config', 'set', 'api-key', key], { terminal: true }],
    ['without a terminal', ['config', 'set', 'api-key'], {}],
    ['with --no-input', ['config', 'set', 'api-key', '--no-input'], { terminal: true }],
    ['with CI set', ['config', 'set', 'api-key'], { terminal: true, env: { CI: '1' } }],
    ['from an empty stdin', ['config', 'set', 'api-key', '-'], { stdin: '\n' }],
  ])('is refused %s', async (_how, argv, options) => {
    const result = await pdi(argv, options);
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).not.toContain(key);
    expect(() => statSync(fileOf(result.home))).toThrow();
  });
});

it('config list shows each setting, where it came from, and the key masked', async () => {
  const home = await homeAfter(`config set base-url ${url}`, 'config set timeout 5', 'config set concurrency 2');
  await pdi('config set api-key -', { home, stdin: key });
  const result = await pdi('config list --timeout 7', { home, env: { PDI_CONCURRENCY: '3' } });
  expect([result.code, result.stderr]).toEqual([0, '']);
  const byName = new Map(arrayOf(result).map(({ setting, value, source }) => [`${setting} ${source}`, value]));
  expect(Object.fromEntries(byName)).toEqual({
    'profile default': 'default',
    'base-url profile default': url,
    [`api-key profile default, belongs to ${url}`]: `…${key.slice(-4)}`,
    'key-command default': null,
    'output default': null,
    'max-billable default': '100',
    'budget default': 'unlimited',
    'max-age PDI_MAX_AGE': '0',
    'account default': null,
    'book default': null,
    'concurrency PDI_CONCURRENCY': '3',
    'timeout flag --timeout': '7',
  });
  for (const format of ['json', 'ndjson', 'csv', 'table']) {
    const { stdout } = await pdi(['config', 'list', '--timeout', '7', '-o', format], { home, env: { PDI_API_KEY: key } });
    expect(stdout).not.toContain(key);
    // No source looks like a formula.
    if (format === 'csv') expect(stdout).toMatch(/^[^']*\r\ntimeout,7,flag --timeout\r\n[^']*$/);
  }
});

it('config list shows a key-command as it would be set again', async () => {
  const command = 'vault read "field=the key"';
  const home = newFolder();
  await pdi(['config', 'set', 'key-command', command], { home });
  const { stdout } = await pdi('config list -o json', { home });
  expect(JSON.parse(stdout)).toContainEqual({ setting: 'key-command', value: command, source: 'profile default' });
});

describe('config list: the key in effect, in one row', () => {
  const fromVariable = { PDI_API_KEY: 'key-of-the-variable-vari' };

  async function ready() {
    const home = await homeAfter(`config set base-url ${url}`, `--profile work config set base-url ${url}`);
    await pdi('config set api-key -', { home, stdin: 'key-that-is-stored-stor' });
    await pdi('--profile work config set api-key -', { home, stdin: 'key-of-the-profile-prof' });
    const file = join(home, 'key');
    writeFileSync(file, 'key-of-the-file-file\n');
    const row = async (argv: string, env: Readonly<Record<string, string>> = {}) => {
      const result = await pdi(`config list ${argv}`.trim(), { home, env });
      expect([result.code, result.stderr]).toEqual([0, '']);
      const rows = arrayOf(result).filter(({ setting }) => setting === 'api-key');
      expect(rows).toHaveLength(1);
      return [rows[0]?.value, rows[0]?.source];
    };
    return { home, file, row };
  }

  it('is the one that a call would send', async () => {
    const { home, file, row } = await ready();
    const variables = { ...fromVariable, PDI_API_KEY_FILE: file };
    expect(await row('', variables)).toEqual(['…vari', 'PDI_API_KEY']);
    expect(await row('', { PDI_API_KEY_FILE: file })).toEqual(['…file', `PDI_API_KEY_FILE (${file})`]);
    expect(await row('')).toEqual(['…stor', `profile default, belongs to ${url}`]);
    expect(await row('--profile work', variables)).toEqual(['…prof', `profile work, belongs to ${url}`]);
    expect(await row('', { ...variables, PDI_PROFILE: 'work' })).toEqual(['…vari', 'PDI_API_KEY']);
    await pdi(['--profile', 'work', 'config', 'set', 'key-command', 'no-such-program'], { home });
    expect(await row('--profile work', variables)).toEqual([null, 'key-command of profile work, not run here']);
  });

  it('a key of another base URL is not in effect, and says so where there is no other; nor is a key-command', async () => {
    const { home, row } = await ready();
    const other = 'https://other.example/api/v1';
    const unused = `profile default, belongs to ${url}, not used for ${other}`;
    expect(await row(`--profile work --base-url ${other}`, fromVariable)).toEqual(['…vari', 'PDI_API_KEY']);
    expect(await row(`--base-url ${other}`)).toEqual(['…stor', unused]);
    await pdi(['config', 'set', 'key-command', 'no-such-program'], { home });
    expect(await row(`--base-url ${other}`)).toEqual([null, `key-command of ${unused}`]);
  });

  it('what cannot be read, or is no key, does not fail the listing', async () => {
    const { file, row } = await ready();
    expect(await row('', { PDI_API_KEY_FILE: '/no/such/file' })).toEqual(['(unreadable)', 'PDI_API_KEY_FILE (/no/such/file)']);
    writeFileSync(file, 'two\nlines\n');
    expect(await row('', { PDI_API_KEY_FILE: file })).toEqual(['(not a key)', `PDI_API_KEY_FILE (${file})`]);
  });

  it('a pipe is not read, which may never send anything', async () => {
    const { home, row } = await ready();
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'echo key-of-the-pipe-pipe > "$0"', pipe]);
    onTestFinished(() => void writer.kill());
    expect(await row('', { PDI_API_KEY_FILE: pipe })).toEqual([null, `PDI_API_KEY_FILE (${pipe}), not read here`]);
  });
});

describe('profiles', () => {
  it('are listed, the one in use marked', async () => {
    const home = await homeAfter('config set timeout 5', `--profile work config set base-url ${url}`);
    expect(arrayOf(await pdi('config profiles', { home, env: { PDI_PROFILE: 'work' } }))).toEqual([
      { profile: 'default', selected: 'no', base_url: null },
      { profile: 'work', selected: 'yes', base_url: url },
    ]);
  });

  it('one that was named, as a base URL, is the one that a message advises to ask or change', async () => {
    const home = await homeAfter(`config set base-url ${url} --profile work`);
    const advised = async (command: string) => errorOf(await pdi(command, { home })).hint;
    expect(await advised('person per_1 --profile work')).toContain('pdi --profile work config set api-key');
    expect(await advised('config get timeout --profile work')).toContain('pdi --profile work config set timeout VALUE');
    expect(await advised('config get timeout')).toBe('run pdi config set timeout VALUE');
    const link = 'https://www.profnet.example/in/ada';
    const straightOn = (flags: string) => `\`pdi ${flags} resolve ${link} -o ndjson | pdi ${flags} person -i -\``;
    for (const flags of ['--profile work', '--base-url https://other.example/api/v1'])
      expect(await advised(`person ${link} ${flags}`)).toContain(straightOn(flags));
    const stored = await pdi('config set api-key - --profile work', { home, stdin: key });
    expect(stored.code).toBe(0);
    const elsewhere = await pdi('config set base-url https://other.example/api/v1 --profile work', { home });
    expect(elsewhere.stderr).toContain('run pdi --profile work config set api-key');
  });

  it('one that does not exist is a usage error for commands that need it', async () => {
    const result = await pdi('person per_1 --profile nobody');
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(errorOf(result)).toMatchObject({ item: 'nobody' });
  });
});

describe('precedence', () => {
  it('of settings: flag, environment, profile, default', async ({ service: profile }) => {
    const { service: flag } = await sandbox();
    const { service: environment } = await sandbox();
    const home = await homeAfter(`config set base-url ${profile.baseUrl}`);
    const asked = () => [flag, environment, profile].map((service) => service.requests().checkHealth ?? 0);
    await pdi(['health', '--base-url', flag.baseUrl], { home, env: { PDI_BASE_URL: environment.baseUrl } });
    expect(asked()).toEqual([1, 0, 0]);
    await pdi('health', { home, env: { PDI_BASE_URL: environment.baseUrl } });
    expect(asked()).toEqual([1, 1, 0]);
    await pdi('health', { home });
    expect(asked()).toEqual([1, 1, 1]);
  });

  it('of the format: flag, PDI_OUTPUT, profile, terminal or pipe', async ({ service }) => {
    const home = await homeAfter(`config set base-url ${service.baseUrl}`, 'config set output csv');
    const shape = async (argv: string, options: { env?: Record<string, string>; terminal?: boolean } = {}) =>
      linesOf((await pdi(argv, { home, ...options })).stdout)[0]?.trim();
    for (const terminal of [false, true]) expect(await shape('health', { terminal })).toBe('status,relational_store,analytics_store');
    expect(await shape('health', { env: { PDI_OUTPUT: 'ndjson' } })).toMatch(/^\{"status":"OK",/);
    expect(await shape('health -o table', { env: { PDI_OUTPUT: 'ndjson', NO_COLOR: '1' } })).toMatch(/^status\s+OK$/);
    await pdi('config unset output', { home });
    expect(await shape('health')).toBe('{');
    expect(await shape('health', { terminal: true, env: { NO_COLOR: '1' } })).toMatch(/^status\s+OK$/);
  });

  it('a bad value names where it came from', async ({ service }) => {
    const flags = ['--base-url', service.baseUrl, 'health'];
    expect(errorOf(await pdi([...flags, '--timeout', '0'])).message).toContain('--timeout');
    expect(errorOf(await pdi(flags, { env: { PDI_TIMEOUT: 'x' } })).message).toContain('PDI_TIMEOUT');
    const home = await homeAfter('config set timeout 5');
    writeFileSync(fileOf(home), '{"profiles":{"default":{"timeout":-1}}}');
    expect(errorOf(await pdi(flags, { home })).message).toContain(`${fileOf(home)}: profile default: timeout: expected`);
    expect(service.requests()).toEqual({});
    // One that is overruled does no harm, and a flag alone has no variable.
    expect((await pdi([...flags, '--timeout', '5'], { home, env: { PDI_TIMEOUT: 'x', PDI_RETRIES: 'x' } })).code).toBe(0);
  });

  it.each(['budget 5/hour', 'timeout x', 'max-age x', 'rate x', 'retries x', 'concurrency 99', 'max-billable x', 'base-url x'])(
    'a bad flag is a mistake for any command: --%s',
    async (flag) => {
      for (const command of ['health', 'spend', 'store', 'bookmarks', 'config list', 'convert -']) {
        const result = await pdi(`${command} --${flag}`);
        expect([result.code, result.stdout], command).toEqual([2, '']);
        expect(errorOf(result).message).toContain(`--${flag.split(' ')[0]}`);
      }
    },
  );

  it.for([
    ['PDI_BUDGET', '5', 'spend'],
    ['PDI_BUDGET', '5', 'resolve ada-sample-1 -o csv'],
    ['PDI_BUDGET', '5', 'person per_sample1 --max-age 12h'],
    ['PDI_BUDGET', '5', 'feed --all --max-pages 1'],
    ['PDI_ACCOUNT', 'a\tb', 'resolve ada-sample-1'],
  ] as const)('a bad value ends a run before its first row: %s=%s %s', async ([name, value, command], { service, pdi: ask }) => {
    expect((await ask('person per_sample1')).code).toBe(0);
    const result = await ask(command, { env: { [name]: value } });
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(`${name}: expected`);
    expect(service.requests()).toEqual({ getPerson: 1 });
  });
});

/** The report of `config check`: status by check. */
const statuses = (result: RunResult): Readonly<Record<string, unknown>> =>
  Object.fromEntries(arrayOf(result).map(({ check, status }) => [String(check), status]));

const allGood = {
  node: 'ok',
  configuration: 'ok',
  'base URL': 'ok',
  connection: 'ok',
  'relational store': 'ok',
  'analytics store': 'ok',
  key: 'ok',
  permissions: 'ok',
};

describe('config check', () => {
  it('asks two free questions and says that the key is good', async ({ service, pdi }) => {
    const result = await pdi('config check');
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(statuses(result)).toEqual(allGood);
    expect(result.stdout).toContain('the key is good; 4 company lists are shared with it');
    expect([service.requests(), service.bill()]).toEqual([{ checkHealth: 1, listCompanyLists: 1 }, []]);
  });

  it.each([
    ['a wrong key', 'no-key-of-the-sandbox', 401],
    ['a key without permissions', 'sandbox-key-no-permission', 403],
  ])('%s: 3, after the report, whatever the stores are', async (_what, given, status) => {
    for (const fault of [[], [{ name: 'analytics-store', probability: 1 }] as const]) {
      const { pdi } = await sandbox({ fault });
      const result = await pdi('config check', { env: { PDI_API_KEY: given } });
      expect([result.code, statuses(result).key, statuses(result).permissions]).toEqual([3, 'ok', 'fail']);
      expect(errorOf(result)).toMatchObject({ code: 'auth', status });
      expect(errorOf(result).hint).toContain('config set api-key');
      expect(errorOf(result).hint).not.toContain('config check');
    }
  });

  it('no key: 3, and no question that needs one', async ({ service }) => {
    const result = await pdi(['config', 'check', '--base-url', service.baseUrl]);
    expect([result.code, service.requests()]).toEqual([3, { checkHealth: 1 }]);
    expect(errorOf(result).hint).toContain('config set api-key');
    const nobody = await pdi(['config', 'check', '--base-url', 'http://127.0.0.1:1/api/v1', '--retries', '0']);
    expect([nobody.code, statuses(nobody).connection]).toEqual([3, 'fail']);
  });

  it.each([
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
    ['20.18.3', 'warn'],
    ['21.6.2', 'warn'],
    ['18.20.8', 'warn'],
  ])('Node %s: %s', async (nodeVersion, status) => {
    expect(statuses(await pdi('config check', { nodeVersion })).node).toBe(status);
  });

  it.for(['PDI_MAX_BILLABLE', 'PDI_BOOK', 'PDI_BUDGET'])('a bad %s, which refuses the next call', async (name, { pdi }) => {
    const result = await pdi('config check', { env: { [name]: '~/x' } });
    expect(statuses(result)).toMatchObject({ configuration: 'fail', permissions: 'ok' });
    expect([result.code, errorOf(result).item]).toEqual([2, name]);
  });

  it('no base URL: 2', async () => {
    const result = await pdi('config check', { env: { PDI_API_KEY: 'a-key' } });
    expect([result.code, statuses(result)['base URL']]).toEqual([2, 'fail']);
  });

  it('stores that are down are warnings where the key is good', async () => {
    const { pdi } = await sandbox({ fault: [{ name: 'analytics-store', probability: 1 }] });
    const down = await pdi('config check');
    expect([down.code, down.stderr]).toEqual([0, '']);
    expect(statuses(down)).toEqual({ ...allGood, connection: 'warn', 'analytics store': 'warn' });
  });

  it.each([
    ['404', () => ({ status: 404, json: { message: 'no such path' } })],
    ["a gateway's 503", () => ({ status: 503, text: '<html>maintenance</html>' })],
    ['a page', () => ({ text: '<html>Welcome</html>' })],
    ['no answer in time', () => undefined],
  ])('a health check with %s is a warning where the key is good, and not where it is not', async (_what, health) => {
    const { pdi: asked } = await origin(({ path, headers }) => {
      if (path.endsWith('/health')) return health();
      return headers['x-api-key'] === key ? { json: [] } : { status: 401, json: { errorCode: 'API_KEY_NOT_VALID', message: 'no' } };
    });
    const argv = 'config check --retries 0 --timeout 0.5';
    const good = await asked(argv);
    expect([good.code, good.stderr]).toEqual([0, '']);
    expect(statuses(good)).toEqual({ ...allGood, 'relational store': 'warn', 'analytics store': 'warn' });
    expect(good.stdout).toContain('not known: Health check');
    expect((await asked(argv, { env: { PDI_API_KEY: 'another-key' } })).code).toBe(3);
  });

  it.each(['http://127.0.0.1:1/api/v1', 'https://no-such-host.invalid/api/v1'])('nobody at %s: 5', async (baseUrl) => {
    const result = await pdi(['config', 'check', '--base-url', baseUrl, '--retries', '0'], { env: { PDI_API_KEY: 'a-key' } });
    expect([result.code, statuses(result).connection]).toEqual([5, 'fail']);
    expect(errorOf(result)).toMatchObject({ code: 'unavailable', billed: 'no' });
  });

  it('a service that fails the question about the key: 5', async () => {
    const { pdi: asked } = await origin(({ path }) =>
      path.endsWith('/health')
        ? { json: { status: 'OK', relational_store: 'OK', analytics_store: 'OK' } }
        : { status: 500, json: { message: 'no' } },
    );
    const result = await asked('config check --retries 0');
    expect([result.code, statuses(result)]).toEqual([5, { ...allGood, permissions: 'fail' }]);
  });

  it.each(['--fields nope', '--fields nope --dry-run', `--out ${linesFile(['mine'])}`])(
    'asks nothing where the report is refused: %s',
    (flags) => expectRefused(`config check ${flags}`, { hint: expect.any(String) }),
  );

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
    expect(await warned()).toContain('names what is no setting: profiles.default.max_billable"');
  });
});

const unknown = { message: 'there is no setting "nonsense" in profiles', hint: expect.stringContaining('base-url, api-key') };
it.each([
  ['config get api-key', 4, { hint: 'run pdi config set api-key, which asks for it' }],
  ['config get nonsense', 2, unknown],
  ['config unset nonsense', 2, unknown],
  ['config set nonsense 1', 2, unknown],
])('%s: %i, and what helps', async (words, code, told) => {
  const result = await pdi(words);
  expect([result.code, errorOf(result)]).toMatchObject([code, told]);
});

it.each(['config get output', 'config path', 'help ci'])(
  '%s with --out writes there, and replaces a file with --force alone',
  async (command) => {
    const home = await homeAfter('config set output csv');
    const { stdout: text } = await pdi(command, { home });
    const out = join(newFolder(), 'out');
    expect(await pdi(`${command} --out ${out}`, { home })).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(out, 'utf8')).toBe(text);
    expect((await pdi(`${command} --out ${out}`, { home })).code).toBe(2);
    expect((await pdi(`${command} --out ${out} --force`, { home })).code).toBe(0);
  },
);

describe('config init', () => {
  /** Somebody who answers both questions; of several base URLs, the next one each time. */
  function answering(baseUrl: string | readonly string[], key: string) {
    const { stdin, type } = keyboard();
    const urls = [baseUrl].flat();
    const onStderr = (text: string): void => {
      if (text.includes('Base URL')) type(`${urls.shift() ?? ''}\r`);
      if (text.includes('API key')) type(`${key}\r`);
    };
    return { stdin, terminal: true, columns: 120, onStderr };
  }

  it('asks for base URL and key, stores both, and checks them', async ({ service }) => {
    const home = newFolder();
    const result = await pdi('config init', { home, ...answering(service.baseUrl, service.keys.full) });
    expect(result.code).toBe(0);
    expect(result.stdout + result.stderr).not.toContain(service.keys.full);
    expect(result.stderr).toContain(`stored base-url ${service.baseUrl} and api-key …full in profile default`);
    const stored = await pdi('config get base-url', { home });
    expect(stored.stdout).toBe(`${service.baseUrl}\n`);
  });

  it('stores no key that was refused, whatever key variables hold, and leaves what was stored', async ({ service }) => {
    const keyFile = linesFile([service.keys.full]);
    for (const env of [{}, { PDI_API_KEY: service.keys.full }, { PDI_API_KEY_FILE: keyFile }]) {
      const { home } = await pdi('config init', { ...answering(service.baseUrl, service.keys.full) });
      const file = readFileSync(fileOf(home), 'utf8');
      const wrong = await pdi('config init', { home, env, ...answering(service.baseUrl, 'mistyped-key-0815') });
      expect([wrong.code, wrong.stdout]).toEqual([3, '']);
      expect(wrong.stderr).toMatch(/refused the key …0815: nothing is stored; run `pdi config init` again/);
      expect(readFileSync(fileOf(home), 'utf8')).toBe(file);
    }
  });

  it.for([
    ['checks the key that it stored, whatever a variable holds', 'sandbox-key-full', { PDI_API_KEY: 'an-old-key-0815' }, 0, true],
    ['stores a key that is good and may do little: the check says so', 'sandbox-key-no-permission', {}, 3, true],
    ['stores no key that cannot be one, nor the base URL with it', 'a-key-in-\u20ac', {}, 2, false],
  ] as const)('%s', async ([_what, typed, env, code, isStored], { service }) => {
    const result = await pdi('config init', { env, ...answering(service.baseUrl, typed) });
    expect([result.code, result.stderr.includes('stored base-url'), existsSync(fileOf(result.home))]).toEqual([code, isStored, isStored]);
  });

  it.for(['', ' --profile work'])(
    'asks again after a wrong URL, for a profile that is not there yet too:%s',
    async (profile, { service }) => {
      const home = await homeAfter('config set timeout 5');
      const { host } = new URL(service.baseUrl);
      const wrong = ['example', 'http://host.example/api/v1', `http://${host}/api/v2`, 'http://127.0.0.1:1/api/v1'];
      const result = await pdi(`config init${profile}`, { ...answering([...wrong, service.baseUrl], service.keys.full), home });
      expect([result.code, result.stderr.match(/Base URL, /g)?.length]).toEqual([0, 5]);
      const told = [
        'expected an absolute http:// or https:// URL',
        'would travel unencrypted',
        'no service answers at http://127.0.0.1:1/',
      ];
      for (const words of told) expect(result.stderr).toContain(words);
      expect((await pdi(`config get base-url${profile}`, { home })).stdout).toBe(`${service.baseUrl}\n`);
    },
  );

  it('takes a URL at which nothing answers from whoever insists', async () => {
    const nowhere = 'http://127.0.0.1:1/api/v1';
    for (const insisting of [nowhere, '']) {
      const result = await pdi('config init --retries 0', answering([nowhere, insisting], 'some-key-0815'));
      expect([result.code, result.stderr.match(/Base URL, /g)?.length]).toEqual([5, 2]);
      expect(result.stderr).toContain(`stored base-url ${nowhere}`);
    }
  });

  it('says that a key-command comes before the key, but for one of another base URL', async ({ service }) => {
    const words = 'profile default has a key-command, which comes before its key';
    for (const former of [undefined, url]) {
      const home = await homeAfter(...(former === undefined ? [] : [`config set base-url ${former}`]), 'config set key-command no-such');
      const result = await pdi('config init', { home, ...answering(service.baseUrl, service.keys.full) });
      expect([result.code, result.stderr.includes(words)]).toEqual(former === undefined ? [3, true] : [0, false]);
    }
  });

  it('sends no key to a stored http:// elsewhere that Enter keeps, but with --allow-http', async () => {
    const former = 'http://host.example/api/v1';
    const home = await homeAfter(`config set base-url ${former} --allow-http`);
    const result = await pdi('config init --retries 0', { home, ...answering(['', 'http://127.0.0.1:1/api/v1', ''], 'some-key-0815') });
    expect(result.stderr).toMatch(/http:\/\/host.example\/api\/v1 is http:\/\/: the key and the data would travel unencrypted; use https/);
    expect(result.stderr).toContain('stored base-url http://127.0.0.1:1/api/v1');
  });

  it.each(['--fields nope', `--out ${linesFile(['mine'])}`])('asks and stores nothing where the report is refused: %s', async (flags) => {
    const result = await pdi(`config init ${flags}`, answering(url, key));
    expect([result.code, result.stdout, existsSync(fileOf(result.home))]).toEqual([2, '', false]);
    expect(result.stderr).not.toContain('Base URL');
  });

  it('offers the base URL that is stored: Enter keeps it', async ({ service }) => {
    const { home } = await pdi(['config', 'set', 'base-url', service.baseUrl]);
    const result = await pdi('config init', { home, ...answering('', service.keys.full) });
    expect(result.stderr).toContain(`Base URL, Enter keeps ${service.baseUrl}: `);
    expect([result.code, result.stdout.includes('the key is good')]).toEqual([0, true]);
  });

  it.each([
    ['--sandbox config init', {}],
    ['config init', { PDI_SANDBOX: '1' }],
  ])('is not for the sandbox: %s %j', async (argv, env) => {
    const result = await pdi(argv, { env, ...answering('https://host.example/api/v1', 'typed-key') });
    expect([result.code, result.stdout, existsSync(join(result.home, 'config'))]).toEqual([2, '', false]);
    expect(result.stderr).toContain('leave --sandbox out');
  });

  it('needs a terminal: 2', async () => {
    const result = await pdi('config init');
    expect([result.code, result.stdout]).toEqual([2, '']);
  });
});
