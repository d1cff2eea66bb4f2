/** `pdi mcp` beside its protocol: what it prints to be pasted, and what it says on a terminal. */
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';
import { pdi } from '../support/service.ts';

const flags = '--profile work --max-billable 5 mcp --read-only --tools person,plan --confirm always';

describe('--config', () => {
  it.each(['claude', 'cursor'])('%s: a server under mcpServers, with the flags given', async (client) => {
    const home = newFolder();
    await pdi('--profile work config set timeout 5', { home });
    const { code, stdout, stderr } = await pdi(`${flags} --config ${client}`, { home });
    expect(code).toBe(0);
    const args = ['--profile', 'work', '--max-billable', '5', 'mcp', '--confirm', 'always', '--read-only', '--tools', 'person,plan'];
    expect(JSON.parse(stdout)).toEqual({ mcpServers: { pdi: { command: 'pdi', args } } });
    expect(JSON.parse(stderr)).toEqual({ notice: expect.stringContaining('mcp.json') });
  });

  it('vscode: a server of type stdio under servers', async () => {
    const { stdout } = await pdi('--sandbox mcp --allow-changes --config vscode');
    const args = ['--sandbox', 'mcp', '--allow-changes'];
    expect(JSON.parse(stdout)).toEqual({ servers: { pdi: { type: 'stdio', command: 'pdi', args } } });
  });

  it('has the flags about the service, too', async () => {
    const given = ['--allow-http', '--fresh', '--retry-unknown', '--base-url', 'http://service.example/api/v1'];
    const { stdout } = await pdi([...given, 'mcp', '--config', 'claude']);
    expect(JSON.parse(stdout).mcpServers.pdi.args).toEqual([...given, 'mcp']);
    const sandbox = ['--sandbox', '--people', '50', '--latency', '5', '--fault', 'slow', '--fault', '503:0.5'];
    const { stdout: invented } = await pdi([...sandbox, 'mcp', '--config', 'claude']);
    expect(JSON.parse(invented).mcpServers.pdi.args).toEqual([...sandbox, 'mcp']);
  });

  it('holds no key, and makes no call', async () => {
    const { code, stdout, stderr } = await pdi('mcp --config claude', { env: { PDI_API_KEY: 'a-key-that-nobody-may-see-0042' } });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('0042');
  });

  it('refuses other clients, and a profile that does not exist', async () => {
    for (const line of ['mcp --config emacs', '--profile work mcp --config claude'])
      expect(await pdi(line)).toMatchObject({ code: 2, stdout: '' });
  });
});

it('says on a terminal that it speaks to programs', async () => {
  const { code, stderr } = await pdi('--sandbox mcp', { terminal: true });
  expect(code).toBe(0);
  expect(stderr).toContain('pdi help mcp');
});
