/** `pdi mcp` as an agent's program starts it: the built binary, over pipes, with the protocol's own client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { billOf, binary } from '../campaign/process.ts';
import { type Era, eras } from '../support/mcp.ts';
import { newFolder } from '../support/run.ts';
import { callsOf, sandboxed } from '../support/service.ts';

const environment = (home: string, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  XDG_STATE_HOME: join(home, 'state'),
  ...more,
});

async function connected(era: Era, args: readonly string[], env: Record<string, string>): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1' },
    { capabilities: { elicitation: {} }, ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }) },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [binary, ...args], env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
}

describe.each(eras)('the binary, %s', (era) => {
  it('lists, asks, buys, and leaves a whole ledger', async () => {
    const service = await sandboxed();
    const home = newFolder();
    const env = environment(home, { PDI_BASE_URL: service.baseUrl, PDI_API_KEY: service.keys.full });
    const client = await connected(era, ['mcp'], env);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['resolve', 'person', 'plan', 'budget']),
    );
    const { content } = await client.callTool({ name: 'person', arguments: { personId: 'per_sample1', fields: 'full_name' } });
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('"result":{"full_name":"Ada Sample-1"}') }]);
    await client.close();
    expect(await billOf(service.baseUrl)).toEqual(['per_sample1']);
    expect(await callsOf({ home })).toEqual([['per_sample1', 'billed']]);
  });

  it('serves invented data with --sandbox, which needs no key', async () => {
    const client = await connected(era, ['--sandbox', 'mcp'], environment(newFolder()));
    const { content, isError } = await client.callTool({ name: 'health', arguments: {} });
    expect([isError === true, content]).toEqual([false, [{ type: 'text', text: expect.stringContaining('"status":"OK"') }]]);
  });
});

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A session whose client has said hello. */
async function greeted(): Promise<ChildProcess & { answered: Promise<unknown> }> {
  const child = spawn(process.execPath, [binary, '--sandbox', 'mcp'], { env: environment(newFolder()), stdio: ['pipe', 'pipe', 'pipe'] });
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
