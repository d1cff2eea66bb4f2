/** `pdi mcp` beside its protocol: what it prints to be pasted, and what it says on a terminal. */
import { writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, type RunOptions } from '../support/run.ts';
import { asRecord, key, pdi } from '../support/service.ts';

const flags =
  '--profile work --max-billable 5 mcp --read-only --tools person,plan --confirm always';
const baseUrl = 'https://service.example/api/v1';

/** What is printed for a client: its server, and the notice. */
async function printed(line: string | readonly string[], options?: RunOptions) {
  const { code, stdout, stderr } = await pdi(line, options);
  expect([code, stderr]).toEqual([0, expect.stringContaining('"notice"')]);
  const config = asRecord(JSON.parse(stdout));
  const server = asRecord(asRecord(config.mcpServers ?? config.servers).pdi);
  const [script = '', ...args] = Array.isArray(server.args) ? server.args.map(String) : [];
  return {
    stdout,
    config,
    server,
    script,
    args,
    env: asRecord(server.env ?? {}),
    notice: String(asRecord(JSON.parse(stderr)).notice),
  };
}

describe('--config', () => {
  it.each(['claude', 'cursor'])(
    '%s: a server under mcpServers, with the flags given',
    async (client) => {
      const home = newFolder();
      await pdi('--profile work config set timeout 5', { home });
      const { config, server, script, args, notice } = await printed(
        `${flags} --config ${client}`,
        { home },
      );
      expect(Object.keys(config)).toEqual(['mcpServers']);
      expect([server.command, script]).toEqual([process.execPath, resolve('bin/pdi.js')]);
      expect(args.join(' ')).toBe(
        '--profile work --max-billable 5 mcp --read-only --tools person,plan --confirm always',
      );
      expect(notice).toContain('mcp.json');
      expect(notice).toContain('no base URL is set yet');
    },
  );

  it('vscode: a server of type stdio under servers', async () => {
    const { config, server, args } = await printed('--sandbox mcp --allow-changes --config vscode');
    expect([Object.keys(config), server.type]).toEqual([['servers'], 'stdio']);
    expect(args).toEqual(['--sandbox', 'mcp', '--allow-changes']);
  });

  it('has the flags about the service, too', async () => {
    const given = [
      '--allow-http',
      '--fresh',
      '--retry-unknown',
      '--base-url',
      'http://service.example/api/v1',
    ];
    expect((await printed([...given, 'mcp', '--config', 'claude'])).args).toEqual([
      ...given,
      'mcp',
    ]);
    const sandbox = [
      '--sandbox',
      '--people',
      '50',
      '--latency',
      '5',
      '--fault',
      'slow',
      '--fault',
      '503:0.5',
    ];
    expect((await printed([...sandbox, 'mcp', '--config', 'claude'])).args).toEqual([
      ...sandbox,
      'mcp',
    ]);
  });

  it('has the base URL of the profile, and of a variable', async () => {
    const home = newFolder();
    await pdi(['--profile', 'work', 'config', 'set', 'base-url', baseUrl], { home });
    const byFlag = await printed('--profile work mcp --config claude', { home });
    expect(byFlag.args).toEqual(['--base-url', baseUrl, '--profile', 'work', 'mcp']);
    const byVariable = await printed('mcp --config claude', { home, env: { PDI_PROFILE: 'work' } });
    expect([byVariable.args, byVariable.env.PDI_PROFILE]).toEqual([
      ['--base-url', baseUrl, 'mcp'],
      'work',
    ]);
    const { args, env } = await printed('mcp --config claude', {
      env: { PDI_BASE_URL: `${baseUrl}/` },
    });
    expect([args, env]).toEqual([
      ['--base-url', baseUrl, 'mcp'],
      expect.not.objectContaining({ PDI_BASE_URL: expect.anything() }),
    ]);
  });

  it('has the variables that pdi obeys, with whole paths', async () => {
    const given = {
      PDI_BUDGET: '5/day',
      PDI_ACCOUNT: 'team',
      https_proxy: 'http://proxy.example:3128',
      NODE_EXTRA_CA_CERTS: 'ca.pem',
    };
    const more = {
      PDI_CONFIG_DIR: 'settings',
      PDI_BOOK: resolve('book.db'),
      EDITOR: 'ed',
      CI: '1',
    };
    const { env } = await printed('--sandbox mcp --config cursor', { env: { ...given, ...more } });
    expect(env).toEqual({
      ...given,
      PDI_MAX_AGE: '0',
      PDI_BOOK: resolve('book.db'),
      PDI_CONFIG_DIR: resolve('settings'),
      NODE_EXTRA_CA_CERTS: resolve('ca.pem'),
      XDG_CONFIG_HOME: expect.stringMatching(/config$/),
      XDG_STATE_HOME: expect.stringMatching(/state$/),
    });
    for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'])
      expect(isAbsolute(String(env[name]))).toBe(true);
  });

  it('has what leads to a book on PostgreSQL, but no password', async () => {
    const given = { PDI_BOOK: 'postgres://ana@db.example/pdi', PGPORT: '6432' };
    const more = { PGSSLROOTCERT: 'ca.pem', PGPASSWORD: 'hidden' };
    const { env, notice } = await printed('--sandbox mcp --config cursor', {
      env: { ...given, ...more },
    });
    expect(env).toMatchObject({ ...given, PGSSLROOTCERT: resolve('ca.pem') });
    expect(env).not.toHaveProperty('PGPASSWORD');
    expect(notice).toContain('is in it: PGPASSWORD');
    const other = await printed('--sandbox mcp --config cursor', { env: { PGPORT: '6432' } });
    expect(other.env).not.toHaveProperty('PGPORT');
  });

  it.each([
    ['HTTPS_PROXY', 'http://me:hidden@proxy.example'],
    ['HTTPS_PROXY', 'http://hidden@proxy.example'],
    ['ALL_PROXY', 'me:hidden@proxy.example:3128'],
    ['ALL_PROXY', 'hidden@proxy.example:3128'],
  ])('leaves out %s with a password: %s', async (name, value) => {
    const { stdout, env, notice } = await printed('--sandbox mcp --config claude', {
      env: { [name]: value },
    });
    expect([stdout.includes('hidden'), name in env]).toEqual([false, false]);
    expect(notice).toContain(`left out, because a password or key is in it: ${name}`);
    expect(notice).not.toContain('hidden');
  });

  it('refuses other clients, a profile that does not exist, and a setting that the server would refuse', async () => {
    const refused = [
      'mcp --config emacs',
      '--profile work mcp --config claude',
      'mcp --config claude --read-only --allow-changes',
    ];
    for (const line of [...refused, '--base-url http://h.example/api/v1 mcp --config claude'])
      expect(await pdi(line)).toMatchObject({ code: 2, stdout: '' });
    expect(await pdi('mcp --config claude', { env: { PDI_MAX_BILLABLE: 'many' } })).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});

describe('the notice of --config', () => {
  const env = { PDI_BASE_URL: baseUrl };

  it('says how the key gets there, and the key is nowhere', async () => {
    const home = newFolder();
    const file = join(home, 'key');
    writeFileSync(file, key);
    const said = async (more: Record<string, string>) => {
      const { stdout, notice } = await printed('mcp --config claude', {
        home,
        env: { ...env, ...more },
      });
      expect(stdout + notice).not.toContain(key);
      return notice;
    };
    expect(await said({})).toContain('there is no key yet: `pdi config set api-key` stores one');
    expect(await said({ PDI_API_KEY: key })).toContain('the key of PDI_API_KEY is not in it');
    expect(await said({ PDI_API_KEY: key, PDI_ACCOUNT: key })).toContain(
      'a password or key is in it: PDI_ACCOUNT',
    );
    expect(await said({ PDI_API_KEY_FILE: file })).toContain(
      'from the file that PDI_API_KEY_FILE names',
    );
    for (const passing of ['/dev/fd/63', '/dev/stdin'])
      expect(await said({ PDI_API_KEY_FILE: passing })).toContain(
        `${passing} ends with this command`,
      );
    await pdi(['config', 'set', 'base-url', baseUrl], { home });
    await pdi('config set api-key -', { home, stdin: key });
    expect(await said({})).toContain('finds the key in profile default');
    // To follow that advice here would replace the key of the other service.
    const elsewhere = await said({ PDI_BASE_URL: 'https://other.example/api/v1' });
    expect(elsewhere).toContain(
      'and is not used for https://other.example/api/v1: give the key for',
    );
    expect(elsewhere).not.toContain('config set api-key');
    await pdi('config set key-command give-key', { home });
    const byCommand = await printed('mcp --config claude', {
      home,
      env: { ...env, PATH: '/somewhere:/node_modules/@scope/bin' },
    });
    expect(byCommand.notice).toContain('from the key-command of profile default');
    expect(byCommand.env.PATH).toBe('/somewhere:/node_modules/@scope/bin');
    expect((await printed('--sandbox mcp --config claude')).notice).toContain(
      'the sandbox needs no key',
    );
  });

  it.each([
    ['claude', 'Claude Desktop cannot'],
    ['cursor', 'Cursor can ask the person'],
    ['vscode', 'VS Code (from 1.102) can ask the person'],
  ])('says whether %s can ask the person', async (client, words) => {
    const { notice } = await printed(`mcp --config ${client}`, { env });
    expect(notice).toContain(words);
    expect(notice).toContain('--confirm never');
  });
});

it('says on a terminal that it speaks to programs', async () => {
  const { code, stderr } = await pdi('--sandbox mcp', { terminal: true });
  expect(code).toBe(0);
  expect(stderr).toContain('pdi help mcp');
});
