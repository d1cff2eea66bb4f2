/** What `pdi mcp --config` prints starts a server that finds its key: from another folder, without a shell and without a PATH. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { binary } from '../campaign/process.ts';
import { newFolder } from '../support/run.ts';
import { asRecord, sandboxed } from '../support/service.ts';

type Shell = (args: readonly string[], input?: string) => string;

/** Ways in which a key gets there; each runs in a folder of its own. */
const ways = {
  'a key in a profile': {
    args: ['--profile', 'work'],
    env: {},
    prepare: (pdi: Shell, baseUrl: string, key: string) => {
      pdi(['--profile', 'work', 'config', 'set', 'base-url', baseUrl]);
      pdi(['--profile', 'work', 'config', 'set', 'api-key', '-'], key);
    },
  },
  'a file in the folder': {
    args: [],
    env: { PDI_API_KEY_FILE: 'key.txt' },
    prepare: (_pdi: Shell, _baseUrl: string, key: string, folder: string) => writeFileSync(join(folder, 'key.txt'), key),
  },
  'a program on the PATH': {
    args: [],
    env: {},
    prepare: (pdi: Shell, baseUrl: string, key: string, folder: string) => {
      mkdirSync(join(folder, 'bin'));
      writeFileSync(join(folder, 'bin', 'give-key'), `#!/bin/sh\necho ${key}\n`);
      chmodSync(join(folder, 'bin', 'give-key'), 0o755);
      pdi(['config', 'set', 'base-url', baseUrl]);
      pdi(['config', 'set', 'key-command', 'give-key']);
    },
  },
} as const;

const cases = [
  ['claude', 'a key in a profile'],
  ['cursor', 'a file in the folder'],
  ['vscode', 'a program on the PATH'],
] as const;

it.each(cases)('a server as it was printed for %s, with %s, makes a call that needs the key', async (client, way) => {
  const service = await sandboxed();
  const folder = newFolder();
  const { args, env, prepare } = ways[way];
  const shell = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    PDI_BASE_URL: service.baseUrl,
    ...env,
  };
  const pdi: Shell = (words, input = '') =>
    execFileSync(process.execPath, [binary, ...words], { cwd: folder, env: shell, input, encoding: 'utf8', stdio: 'pipe' });
  prepare(pdi, service.baseUrl, service.keys.full, folder);
  const config = asRecord(JSON.parse(pdi([...args, 'mcp', '--config', client])));
  const { command, args: words, env: carried = {} } = asRecord(asRecord(config.mcpServers ?? config.servers).pdi);
  const texts = Object.entries(asRecord(carried)).map(([name, value]) => [name, String(value)] as const);
  const start = { command: String(command), args: Array.isArray(words) ? words.map(String) : [], cwd: '/' };
  const agent = new Client({ name: 'tests', version: '1' }, { capabilities: {} });
  await agent.connect(new StdioClientTransport({ ...start, env: { PATH: '', ...Object.fromEntries(texts) }, stderr: 'ignore' }));
  onTestFinished(() => agent.close());
  const { content, isError } = await agent.callTool({ name: 'lists_companies_list', arguments: { fields: 'id' } });
  expect([isError === true, content]).toEqual([false, [{ type: 'text', text: expect.stringContaining('"result":[{"id":') }]]);
  expect(service.requests()).toEqual({ listCompanyLists: 1 });
});
