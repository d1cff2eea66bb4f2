/**
 * `pdi mcp` under the Inspector's `--cli`, a client of others that cannot ask a person. It weighs 110 MB, so `.ci/run` fetches it with npx
 * and sets PDI_INSPECTOR; elsewhere these are skipped.
 */
import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/json/exact.ts';
import { billOf, binary } from '../campaign/process.ts';
import { needs } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { asRecord, callsOf, sandboxed } from '../support/service.ts';

const inspector = ['-y', '@modelcontextprotocol/inspector@2.12.0', '--cli'];

/** What the Inspector prints: the result of one request. */
async function asked(
  service: Awaited<ReturnType<typeof sandboxed>>,
  home: string,
  flags: readonly string[],
  ...request: readonly string[]
) {
  const variables = {
    PDI_BASE_URL: service.baseUrl,
    PDI_API_KEY: service.keys.full,
    XDG_STATE_HOME: `${home}/state`,
    HOME: home,
  };
  const given = Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const argv = [...inspector, ...given, process.execPath, binary, 'mcp', ...flags, ...request];
  // Where a tool reports an error, the Inspector exits with a code, and prints the result all the same.
  const stdout = await new Promise<string>((resolve) =>
    execFile('npx', argv, (_error, text) => resolve(text)),
  );
  return asRecord(JSON.parse(stdout));
}

const textIn = ({ content }: Readonly<Record<string, unknown>>): string => {
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) && typeof first.text === 'string' ? first.text : '';
};

describe('the Inspector', {
  timeout: 300_000,
  ...needs(process.env.PDI_INSPECTOR === '1', 'PDI_INSPECTOR is not 1'),
}, () => {
  it('lists the tools, and takes a free answer', async () => {
    const [service, home] = [await sandboxed(), newFolder()];
    const { tools } = await asked(service, home, [], '--method', 'tools/list');
    expect(tools).toHaveLength(17);
    const health = await asked(
      service,
      home,
      [],
      '--method',
      'tools/call',
      '--tool-name',
      'health',
    );
    expect(textIn(health)).toContain('"status":"OK"');
  });

  it('is refused what may be billed, as nobody can be asked; with --confirm never it buys within the cap', async () => {
    const [service, home] = [await sandboxed(), newFolder()];
    const call = [
      '--method',
      'tools/call',
      '--tool-name',
      'person',
      '--tool-arg',
      'personId=per_sample1',
    ];
    const refused = await asked(service, home, [], ...call);
    expect([refused.isError, textIn(refused)]).toEqual([
      true,
      expect.stringContaining('this client cannot ask the person'),
    ]);
    expect(await billOf(service.baseUrl)).toEqual([]);
    const capped = await asked(
      service,
      home,
      ['--confirm', 'never', '--max-billable', '0'],
      ...call,
    );
    expect([capped.isError, textIn(capped)]).toEqual([
      true,
      expect.stringContaining('"code":"credits"'),
    ]);
    expect(await billOf(service.baseUrl)).toEqual([]);
    const bought = await asked(
      service,
      home,
      ['--confirm', 'never', '--max-billable', '1'],
      ...call,
    );
    expect(textIn(bought)).toContain('"full_name":"Ada Sample-1"');
    expect(await billOf(service.baseUrl)).toEqual(['per_sample1']);
    expect(await callsOf({ home })).toEqual([['per_sample1', 'billed']]);
  });
});
