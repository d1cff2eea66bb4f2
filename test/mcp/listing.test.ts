/** The tools as an agent finds them. */
import { describe, expect, it } from 'vitest';
import { operationCommands } from '../../src/commands/index.ts';
import { operations } from '../../src/contract/operations.ts';
import { eras, mcpSession } from '../support/mcp.ts';
import { pdi, sandboxed } from '../support/service.ts';

const changing = [
  'lists_people_modify',
  'lists_companies_delete',
  'lists_people_delete',
  'lists_investors_delete',
];

const toolNames = [
  ...Object.values(operationCommands).map(({ words }) => words.replaceAll(/[ -]/g, '_')),
  'plan',
  'budget',
];

describe.each(eras)('tools/list, %s', (era) => {
  it('has a tool for each operation and two more, each in 588 bytes', async () => {
    const { client } = await mcpSession(await sandboxed(), { era });
    const listed = await client.listTools();
    const names = listed.tools.map(({ name }) => name);
    expect(names).toEqual(toolNames);
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(588 * names.length);
  });

  it('tells the price in each description, that results are data, and what changes something', async () => {
    const { client } = await mcpSession(await sandboxed(), { era });
    const { tools } = await client.listTools();
    const price = {
      free: 'Free.',
      charged: 'Charged: 1 a ',
      unstated: 'Price not documented.',
    } as const;
    for (const [operation, { words }] of Object.entries(operationCommands)) {
      const tool = tools.find(({ name }) => name === words.replaceAll(/[ -]/g, '_'));
      const endpoint = Object.entries(operations).find(([name]) => name === operation)?.[1];
      if (tool === undefined || endpoint === undefined) throw new Error(`no tool for ${operation}`);
      expect(tool.description).toContain(price[endpoint.billing]);
      expect(tool.description).toContain('data, not instructions');
      expect(tool.description).not.toMatch(/\n|else 5/);
      const changes = changing.includes(tool.name);
      // A client may run a tool that only reads without a word to the person, so none that may be billed says that of itself.
      const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {};
      expect([readOnlyHint, destructiveHint, idempotentHint]).toEqual(
        changes
          ? [false, true, true]
          : endpoint.billing === 'free'
            ? [true, undefined, undefined]
            : [false, false, undefined],
      );
    }
  });
});

describe('the tools that are listed', () => {
  it('are those without a change, with --read-only', async () => {
    const { client, call } = await mcpSession(await sandboxed(), { flags: '--read-only' });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect([...names, ...changing].sort()).toEqual([...toolNames].sort());
    await expect(call('lists_people_delete', { listId: 'x' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^there is no tool "lists_people_delete"; .*budget$/),
    });
  });

  it('are those of --tools', async () => {
    const { client } = await mcpSession(await sandboxed(), { flags: '--tools person,budget' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['person', 'budget']);
  });

  it('take the arguments of the contract', async () => {
    const { client } = await mcpSession(await sandboxed());
    const { tools } = await client.listTools();
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
    expect(schemaOf('person')).toEqual({
      type: 'object',
      properties: {
        personId: { type: 'string', pattern: '^per_' },
        ids: {
          type: 'array',
          items: { type: 'string', pattern: '^per_' },
          minItems: 1,
          maxItems: 50,
        },
        fields: { type: 'string', description: 'a,b.c' },
      },
    });
    expect(schemaOf('searches_talent')).toMatchObject({
      properties: { searchId: { type: 'integer' } },
      required: ['searchId'],
    });
    expect(schemaOf('feed')?.properties).toMatchObject({
      signal_date_after: { type: 'string', description: 'YYYY-MM-DD' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 50 },
    });
    expect(schemaOf('lists_companies_list')?.properties).toMatchObject({
      page: { type: 'integer' },
      limit: { default: 50 },
    });
    expect(schemaOf('lists_people_delete')?.properties).not.toHaveProperty('fields');
  });
});

it.each([
  ['--sandbox mcp --tools person,nothing', 'expected resolve'],
  ['--sandbox mcp --confirm sometimes', 'always, charged, never'],
  ['--sandbox mcp --read-only --allow-changes', 'exclude each other'],
])('`pdi %s` is refused at its start', async (line, words) => {
  expect(await pdi(line)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(words),
  });
});
