/** Nothing that may be billed, and no deletion, without the word of the person: in both families of the protocol. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { gate } from '../support/later.ts';
import { type Era, eras, mcpSession, type Reply } from '../support/mcp.ts';
import { callsOf, sandboxed } from '../support/service.ts';

const personId = landmarks.person.id;
const list = 'd0000000-0000-4000-8000-000000000002';

describe.each(eras)('%s', (era) => {
  it('asks with what and how much, and buys once the person agrees', async () => {
    const { service, call, asked, home } = await mcpSession(sandboxed(), {
      era,
      person: () => 'accept',
    });
    const { value } = await call('person', { personId, fields: 'person_id' });
    expect(value).toEqual({
      billed: 'yes',
      fetched_at: expect.any(String),
      calls_left: 99,
      result: { person_id: personId },
    });
    expect(asked).toEqual([
      `pdi: 1 call that is charged: Get person by id (personId "${personId}")? (this session: 0 of 100 calls used)`,
    ]);
    expect(service.bill().map(({ item }) => item)).toEqual([personId]);
    expect(await callsOf({ home })).toEqual([[personId, 'billed']]);
  });

  it('says how often a call may be sent again, and be billed, with --retry-unknown', async () => {
    const service = sandboxed({ fault: [{ name: 'drop-after-billing', probability: 1 }] });
    const session = await mcpSession(service, {
      era,
      flags: '--retry-unknown --retries 1',
      person: () => 'accept',
    });
    expect((await session.call('person', { personId })).error.billed).toBe('unknown');
    const words =
      '? Where an answer is lost, the call is sent again, up to 1 time, and may be billed again.';
    expect(session.asked[0]).toContain(words);
    expect(session.service.bill()).toHaveLength(2);
  });

  it.each([
    ['decline', 'declined; if nobody was asked, the client cannot ask'],
    ['cancel', 'closed the question without an answer'],
    ['bare', 'the client accepted without the content of the form'],
    ['unticked', 'the person left "confirm" unticked'],
    ['unanswered', 'the form came back without an answer to "confirm"'],
  ] as const)('buys nothing after %s', async (reply, words) => {
    const { service, call, asked, home } = await mcpSession(sandboxed(), {
      era,
      person: () => reply,
    });
    const { isError, error } = await call('person', { personId });
    expect([isError, error.code, error.item, error.billed, error.retryable]).toEqual([
      true,
      'usage',
      personId,
      'no',
      false,
    ]);
    expect(error.message).toContain(words);
    expect([asked.length, service.bill(), service.requests(), await callsOf({ home })]).toEqual([
      1,
      [],
      {},
      [],
    ]);
  });

  it('refuses a client that cannot ask, in words', async () => {
    const { service, call } = await mcpSession(sandboxed(), { era });
    for (const [name, given] of Object.entries(charged)) {
      const { isError, error } = await call(name, given);
      expect([name, isError, error.code, error.billed]).toEqual([name, true, 'usage', 'no']);
      expect(error.message).toContain('this client cannot ask the person');
      expect(error.hint).toContain('--confirm never');
    }
    expect([service.bill(), service.requests()]).toEqual([[], {}]);
    expect((await call('health')).isError).toBe(false);
  });

  it('asks about free calls too with --confirm always', async () => {
    const { call, asked } = await mcpSession(await sandboxed(), {
      era,
      flags: '--confirm always',
      person: () => 'decline',
    });
    const free = {
      health: {},
      resolve: { to_resolve: [{ profnet_id: 'ada-sample-1' }] },
      lists_companies_list: {},
    };
    for (const [name, given] of Object.entries(free))
      expect((await call(name, given)).isError).toBe(true);
    expect(asked).toEqual([
      'pdi: Free: Health check?',
      'pdi: Free: Resolve person ids (to_resolve 1 id: {"profnet_id":"ada-sample-1"})?',
      'pdi: Free: List company lists?',
    ]);
  });

  it('asks about a deletion that is free, and deletes what was agreed to', async () => {
    const { call, asked } = await mcpSession(sandboxed(), {
      era,
      flags: '--allow-changes',
      person: () => 'accept',
    });
    expect((await call('lists_investors_delete', { listId: list })).value.result).toEqual({
      list_id: list,
      deleted: true,
    });
    expect(asked).toEqual([
      `pdi: Free: Delete an investor list (listId "${list}")? It is deleted for good.`,
    ]);
    expect((await call('lists_investors_delete', { listId: list })).error).toMatchObject({
      code: 'not_found',
      status: 404,
    });
  });

  it.each([
    'lists_people_modify',
    'lists_companies_delete',
    'lists_people_delete',
    'lists_investors_delete',
  ])('does not even ask about %s without --allow-changes', async (name) => {
    const { service, call, asked } = await mcpSession(sandboxed(), {
      era,
      flags: '--confirm never',
      person: () => 'accept',
    });
    const given = {
      listId: list,
      ...(name === 'lists_people_modify' && { add_ids: ['per_sample4'] }),
    };
    const { error } = await call(name, given);
    expect([error.code, error.billed, asked, service.requests()]).toEqual(['usage', 'no', [], {}]);
    expect(error.hint).toContain('--allow-changes');
  });
});

/** A call of each tool that may be billed and changes nothing. */
const charged: Readonly<Record<string, Record<string, unknown>>> = {
  person: { personId },
  revenue: { companyId: 'company-1' },
  feed: { limit: 1 },
  investors: { name: 'Sample Harbor Ventures 1' },
  searches_funding_rounds: { searchId: 103 },
  searches_talent: { searchId: '101' },
  network: { limit: 1 },
  lists_investors_get: { listId: list },
};

describe.each(eras)('a question that nobody answers, %s', (era) => {
  it('holds up no other call', async () => {
    const service = await sandboxed();
    const { opened: open, open: questioned } = gate();
    const person = (message: string): Reply | Promise<Reply> => {
      if (!message.includes('per_sample1')) return 'accept';
      questioned();
      return new Promise(() => {});
    };
    const session = await mcpSession(service, { era, flags: '--budget 10/day', person });
    session.call('person', { personId: 'per_sample1' }).catch(() => {});
    await open;
    const others = {
      person: { personId: 'per_sample2' },
      revenue: { companyId: 'company-1' },
      feed: { limit: 1 },
      health: {},
      budget: {},
    };
    const replies = await Promise.all(
      Object.entries(others).map(([name, given]) => session.call(name, given)),
    );
    expect(replies.map(({ isError }) => isError)).toEqual(Array(5).fill(false));
    expect(service.bill()).toHaveLength(3);
  });
});

/** A request as it is sent, because a client of the package would not send these. */
describe('the newer protocol', () => {
  const meta = (capabilities: object) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  });
  const era: Era = 'modern';

  async function raw(capabilities: object, params: object) {
    const { service, ...session } = await mcpSession(sandboxed(), { era, person: () => 'accept' });
    const send = async (id: number, more: object): Promise<string> => {
      const call = {
        name: 'person',
        arguments: { personId },
        ...params,
        ...more,
        _meta: meta(capabilities),
      };
      await session.client.transport?.send({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: call,
      });
      for (;;) {
        const line = session.lines.find((text) => text.includes(`"id":${id}`));
        if (line !== undefined) return line;
        await nextTurn();
      }
    };
    return { service, send, agree: session.agree };
  }

  it.each([
    ['takes the capabilities of each request, whatever an earlier one said', {}],
    ['refuses a client that can only open pages', { elicitation: { url: {} } }],
  ])('%s', async (_what, capabilities) => {
    const { service, send } = await raw(capabilities, {});
    expect(await send(9001, {})).toContain('this client cannot ask the person');
    expect(service.bill()).toEqual([]);
  });

  it.each([
    ['without the word of the server', {}],
    ['with a word of its own', { requestState: 'made-up' }],
  ])('asks again where an answer comes %s', async (_case, state) => {
    const { service, send } = await raw(
      { elicitation: {} },
      { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } }, ...state },
    );
    expect(await send(9001, {})).toContain('input_required');
    expect(service.bill()).toEqual([]);
  });

  it('takes an answer for the call that it was asked for, and once', async () => {
    const { service, send, agree } = await raw({ elicitation: {} }, {});
    const requestState = /"requestState":"([^"]+)"/.exec(await send(9001, {}))?.[1] ?? '';
    expect(requestState).not.toBe('');
    const answered = {
      requestState,
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    };
    for (const [at, others] of [
      { personId: 'per_sample2' },
      { ids: [personId, 'per_sample2'] },
    ].entries())
      expect(await send(9010 + at, { ...answered, arguments: others })).toContain('input_required');
    expect(service.bill()).toEqual([]);
    agree();
    expect(await send(9003, answered)).toContain('billed');
    expect(await send(9004, answered)).toContain('input_required');
    expect(service.bill()).toHaveLength(1);
  });
});
