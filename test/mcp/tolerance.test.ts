/** What agents and their clients do beside the letter of a schema: taken where it is clear, and nothing that is sent gets wider by it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { later } from '../support/later.ts';
import { mcpSession } from '../support/mcp.ts';
import { idIn } from '../support/records.ts';
import { answering, sandboxed } from '../support/service.ts';

const free = { flags: '--confirm never' };

it.each([
  ['person', { ids: '["per_sample1","per_sample2"]' }, { ids: ['per_sample1', 'per_sample2'] }],
  ['person', { ids: 'per_sample1' }, { ids: ['per_sample1'] }],
  ['person', { ids: ['per_sample1'], personId: null, fields: null }, { ids: ['per_sample1'] }],
  ['feed', { page: null, search_id: null, limit: 2 }, { limit: 2 }],
  ['resolve', { to_resolve: ['ada-sample-1'] }, { to_resolve: [{ profnet_id: 'ada-sample-1' }] }],
  ['resolve', { to_resolve: 'ada-sample-1' }, { to_resolve: [{ profnet_id: 'ada-sample-1' }] }],
  [
    'resolve',
    { to_resolve: { profnet_id: 'ada-sample-1' } },
    { to_resolve: [{ profnet_id: 'ada-sample-1' }] },
  ],
  [
    'resolve',
    { to_resolve: '["https://www.profnet.example/in/ada-sample-1", "9007199254740993"]' },
    {
      to_resolve: [
        { profnet_url: 'https://www.profnet.example/in/ada-sample-1' },
        { profnet_num_id: 9007199254740993n.toString() },
      ],
    },
  ],
] as const)('%s takes %j as %j', async (name, given, meant) => {
  const results = [];
  for (const said of [given, meant]) {
    const { call } = await mcpSession(await sandboxed(), free);
    results.push((await call(name, said)).value.result);
  }
  expect(JSON.stringify(results[0]).replaceAll(/"fetched_at":"[^"]*"/g, '')).toBe(
    JSON.stringify(results[1]).replaceAll(/"fetched_at":"[^"]*"/g, ''),
  );
});

it('starts without a base URL, and says in each answer what to set', async () => {
  const { call } = await mcpSession({ baseUrl: '' }, free);
  for (const [name, given] of [
    ['person', { personId: 'per_1' }],
    ['health', {}],
    ['budget', {}],
  ] as const) {
    const { isError, error } = await call(name, given);
    expect([isError, error.code, error.hint]).toEqual([
      true,
      'usage',
      expect.stringContaining('PDI_BASE_URL'),
    ]);
  }
});

it('each result and error carries its cost beside its text; an unstated price and a lost answer are two words, but in an error', async () => {
  const long = 'x'.repeat(70_000);
  const service = await answering(({ path }) =>
    path.includes('talent')
      ? { json: { id: 1, name: path.endsWith('2') ? long : 'n' } }
      : path.endsWith('per_3')
        ? { text: '{"person_id":"per_3","profnet_num_id":12345678901234567890}' }
        : { status: path === '/health' ? 200 : 500, json: {} },
  );
  const flags = '--confirm never --retries 0 --budget 9/day';
  const env = { PDI_MAX_AGE: '12h' };
  const { client, call } = await mcpSession(service, { flags, env });
  const told = async (name: string, given: Record<string, unknown>) => {
    const { content, _meta } = await client.callTool({ name, arguments: given });
    return [
      /billed[^,]*/.exec(JSON.stringify(content))?.[0].replaceAll(/[\\"]/g, ''),
      _meta?.['pdi/cost'],
    ];
  };
  for (const [name, given, text, billed, source, calls_left, budget_left] of [
    [
      'searches_talent',
      { searchId: '1' },
      'billed:price unknown',
      'price unknown',
      'service',
      99,
      8,
    ],
    ['searches_talent', { searchId: '2' }, 'billed:unknown', 'price unknown', null, 98, 7],
    ['person', { personId: 'per_1' }, 'billed:unknown', 'answer lost', null, 97, 6],
    ['person', { ids: ['per_1', 'per_2'] }, 'billed:answer lost', 'answer lost', null, 96, 5],
    ['person', { personId: 'ada' }, 'billed:no', 'no', null, 96, 5],
    ['person', { personId: 'per_3' }, 'billed:yes', 'yes', 'service', 95, 4],
    ['person', { personId: 'per_3' }, 'billed:no', 'no', 'book', 95, 4],
    ['health', {}, 'billed:no', 'no', null, 95, 4],
  ] as const)
    expect(await told(name, given)).toEqual([text, { billed, source, calls_left, budget_left }]);
  const { structuredContent } = await client.callTool({
    name: 'person',
    arguments: { personId: 'per_3' },
  });
  expect(structuredContent).toMatchObject({ result: { profnet_num_id: '12345678901234567890' } });
  expect((await call('budget')).value.result).toMatchObject({
    session: { billed: 1, price_unknown: 2, answer_lost: 2 },
  });
});

it.each([{ personId: 'per_1' }, { ids: ['per_1', 'per_2'] }])(
  'a call that takes long says every ten seconds that it goes on, to a client that asked for it: %j',
  async (given) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting: (() => void)[] = [];
    const service = await answering(async ({ path }) => {
      await new Promise<void>((answer) => waiting.push(answer));
      return { json: { person_id: idIn(path) } };
    });
    const { client, lines } = await mcpSession(service, free);
    const heard: number[] = [];
    const called = client.callTool(
      { name: 'person', arguments: given },
      { onprogress: ({ progress }: { progress: number }) => void heard.push(progress) },
    );
    while (waiting.length === 0) await later(1);
    for (const _ of [1, 2]) {
      vi.advanceTimersByTime(10_000);
      await later(5);
    }
    for (const answer of waiting) answer();
    await called;
    vi.advanceTimersByTime(60_000);
    await later(5);
    expect([heard, lines.filter((line) => line.includes('notifications/progress')).length]).toEqual(
      [[1, 2], 2],
    );
  },
);
