/** `pdi mcp` as an agent's program starts it: the built binary, over pipes, with the protocol's own client. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { billOf, binary } from '../campaign/process.ts';
import { type Era, eras } from '../support/mcp.ts';
import { newFolder } from '../support/run.ts';
import { asRecord, callsOf, sandboxed } from '../support/service.ts';

const environment = (home: string, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  XDG_STATE_HOME: join(home, 'state'),
  ...more,
});

async function connected(
  era: Era,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1' },
    {
      capabilities: { elicitation: {} },
      ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { confirm: true },
  }));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [binary, ...args],
      env,
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

describe.each(eras)('the binary, %s', (era) => {
  it('lists, asks, buys, and leaves a whole ledger', async () => {
    const service = await sandboxed();
    const home = newFolder();
    const env = environment(home, {
      PDI_BASE_URL: service.baseUrl,
      PDI_API_KEY: service.keys.full,
    });
    const client = await connected(era, ['mcp'], env);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['resolve', 'person', 'plan', 'budget']));
    const { content } = await client.callTool({
      name: 'person',
      arguments: { personId: 'per_sample1', fields: 'full_name' },
    });
    expect(content).toEqual([
      { type: 'text', text: expect.stringContaining('"result":{"full_name":"Ada Sample-1"}') },
    ]);
    await client.close();
    expect(await billOf(service.baseUrl)).toEqual(['per_sample1']);
    expect(await callsOf({ home })).toEqual([['per_sample1', 'billed']]);
  });

  it('serves invented data with --sandbox, which needs no key', async () => {
    const client = await connected(era, ['--sandbox', 'mcp'], environment(newFolder()));
    const { content, isError } = await client.callTool({ name: 'health', arguments: {} });
    expect([isError === true, content]).toEqual([
      false,
      [{ type: 'text', text: expect.stringContaining('"status":"OK"') }],
    ]);
  });
});

const params = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};
const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };

/** A session whose client has said hello. */
async function greeted(): Promise<ChildProcess & { answered: Promise<unknown> }> {
  const child = spawn(process.execPath, [binary, '--sandbox', 'mcp'], {
    env: environment(newFolder()),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  return Object.assign(child, { answered: once(child.stdout, 'data') });
}

describe('a process', () => {
  it('ends with 143 at SIGTERM, though its stdin is still open', async () => {
    const child = await greeted();
    await child.answered;
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(143);
  });

  it('ends with 0 when its client dies', async () => {
    const child = await greeted();
    await child.answered;
    child.stdout?.destroy();
    child.stdin?.destroy();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});

/** What `pdi mcp --config` prints starts a server that finds its key: from another folder, without a shell and without a PATH. */
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
    prepare: (_pdi: Shell, _baseUrl: string, key: string, folder: string) =>
      writeFileSync(join(folder, 'key.txt'), key),
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

it.each(cases)(
  'a server as it was printed for %s, with %s, makes a call that needs the key',
  async (client, way) => {
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
      execFileSync(process.execPath, [binary, ...words], {
        cwd: folder,
        env: shell,
        input,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    prepare(pdi, service.baseUrl, service.keys.full, folder);
    const config = asRecord(JSON.parse(pdi([...args, 'mcp', '--config', client])));
    const {
      command,
      args: words,
      env: carried = {},
    } = asRecord(asRecord(config.mcpServers ?? config.servers).pdi);
    const texts = Object.entries(asRecord(carried)).map(
      ([name, value]) => [name, String(value)] as const,
    );
    const start = {
      command: String(command),
      args: Array.isArray(words) ? words.map(String) : [],
      cwd: '/',
    };
    const agent = new Client({ name: 'tests', version: '1' }, { capabilities: {} });
    await agent.connect(
      new StdioClientTransport({
        ...start,
        env: { PATH: '', ...Object.fromEntries(texts) },
        stderr: 'ignore',
      }),
    );
    onTestFinished(() => agent.close());
    const { content, isError } = await agent.callTool({
      name: 'lists_companies_list',
      arguments: { fields: 'id' },
    });
    expect([isError === true, content]).toEqual([
      false,
      [{ type: 'text', text: expect.stringContaining('"result":[{"id":') }],
    ]);
    expect(service.requests()).toEqual({ listCompanyLists: 1 });
  },
);
