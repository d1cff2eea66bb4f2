/** Lines as they should not be: each gets the protocol's error under its id, in one plain line, and the session goes on. */
import { describe, expect, it } from 'vitest';
import { eras, type McpSession, mcpSession } from '../support/mcp.ts';
import { asRecord, sandboxed } from '../support/service.ts';

const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
const long = `"${'x'.repeat(12_000_000)}"`;
const call = (given: string) => `{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"health","arguments":${given}}}`;
const clientInfo = '"clientInfo":{"name":"raw","version":"1"}';

/** What a session answers to a text, under the ids that no client of the package takes. */
async function repliesTo(session: McpSession, text: string | Uint8Array): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const before = session.lines.length;
  session.write(text);
  const health = await session.call('health');
  expect(health.isError).toBe(false);
  return session.lines
    .slice(before)
    .map((line) => asRecord(JSON.parse(line)))
    .filter(({ id }) => typeof id !== 'number' || id > 69);
}

describe.each(eras)('%s: a line', (era) => {
  it.each([
    ['of 12 MB, its id first', call(long), [71, -32600], 'longer than 10 MB'],
    [
      'of 12 MB, its id last',
      `{"method":"tools/call","params":{"name":"health","arguments":{"a":${long}}},"jsonrpc":"2.0","id":"seventy"}`,
      ['seventy', -32600],
      'longer than 10 MB',
    ],
    ['of 12 MB that is no message', long, [null, -32600], 'longer than 10 MB'],
    ['of 600 levels, its id first', call(`{"a":${deep}}`), [71, -32600], 'more than 500 levels'],
    [
      'of 600 levels, its id last',
      `{"params":{"id":1,"a":${deep}},"method":"x","jsonrpc":"2.0","id":72}`,
      [72, -32600],
      'more than 500 levels',
    ],
    ['of 600 levels that does not end', `{"jsonrpc":"2.0","id":73,"method":"x","params":${deep.slice(0, 600)}`, [73, -32600], '500 levels'],
    ['that is not JSON', 'this is no message', [null, -32700], 'the line is not JSON (character 1'],
    ['of JSON that ends early', '{"jsonrpc":"2.0","id":74,"method":"tools/call","params":{', [74, -32700], 'the line is not JSON'],
    ['without jsonrpc', '{"id":75,"method":"tools/list"}', [75, -32600], 'a message has "jsonrpc": "2.0"'],
    ['of another jsonrpc', '{"jsonrpc":"1.0","id":75,"method":"tools/list"}', [75, -32600], 'a message has "jsonrpc": "2.0"'],
    ['that is a number', '5', [null, -32600], 'a message is an object'],
    ['without a method', '{"jsonrpc":"2.0","id":76}', [76, -32600], 'a message has a method'],
    ['whose method is no text', '{"jsonrpc":"2.0","id":76,"method":7}', [76, -32600], 'method is a text'],
    ['whose id is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', [null, -32600], 'id is a text or a whole number'],
    [
      'whose id a number cannot hold',
      '{"jsonrpc":"2.0","id":1e30,"method":"tools/list"}',
      [null, -32600],
      'id is a text or a whole number',
    ],
    ['with params: null', '{"jsonrpc":"2.0","id":77,"method":"tools/list","params":null}', [77, -32602], 'params is an object, not null'],
    [
      'with a list as params',
      '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":["health"]}',
      [77, -32602],
      'params is an object, not a list',
    ],
  ] as const)('%s', async (_case, text, reply, words) => {
    const session = await mcpSession(await sandboxed(), { era });
    const replies = await repliesTo(session, `${text}\n`);
    expect(replies).toEqual([{ jsonrpc: '2.0', id: reply[0], error: { code: reply[1], message: expect.stringContaining(words) } }]);
    expect(asRecord(replies[0]?.error).message).not.toMatch(/\n/);
  });

  it.each([
    ['notification without jsonrpc', '{"method":"notifications/initialized"}'],
    ['notification of 600 levels', `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":${deep}}}`],
    ['notification of 12 MB', `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":${long}}}`],
    ['answer of 600 levels', `{"jsonrpc":"2.0","id":78,"result":${deep}}`],
    ['answer of 12 MB', `{"jsonrpc":"2.0","id":78,"result":{"a":${long}}}`],
    ['answer that is none', '{"jsonrpc":"2.0","id":78,"result":5}'],
    ['answer to nothing', '{"jsonrpc":"2.0","id":78,"result":{}}'],
    ['blank line', '  \r'],
    ['batch of notifications', '[{"jsonrpc":"2.0","method":"notifications/initialized"}]'],
  ])('gets no reply where it is a %s', async (_case, text) => {
    expect(await repliesTo(await mcpSession(await sandboxed(), { era }), `${text}\n`)).toEqual([]);
  });

  it('is not UTF-8', async () => {
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":79,"method":"tools/call","params":{"name":"caf\u00e9"}}\n', 'latin1');
    const [reply] = await repliesTo(await mcpSession(await sandboxed(), { era }), bytes);
    expect(reply).toEqual({ jsonrpc: '2.0', id: 79, error: { code: -32700, message: 'Parse error: the line is not UTF-8' } });
  });

  it('holds a batch: one refusal an id', async () => {
    const part = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
    const parts = [
      part('80'),
      part('"b"'),
      '{"jsonrpc":"2.0","method":"notifications/x"}',
      '{"jsonrpc":"2.0","id":9,"result":{}}',
      '7',
      part('80'),
    ];
    const session = await mcpSession(await sandboxed(), { era });
    const replies = await repliesTo(session, `[${parts.join(',')}]\n[]\n`);
    expect(replies.map(({ id }) => id)).toEqual([80, 'b', null, null]);
    for (const { error } of replies) expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('one message a line') });
  });
});

const envelope = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`;

describe.each(eras)('%s: a call', (era) => {
  it.each([
    ['arguments: null', '"name":"health","arguments":null', 'arguments is an object, not null'],
    ['a list of arguments', '"name":"health","arguments":[]', 'arguments is an object, not a list'],
    ['no name', '"arguments":{}', 'name is a text, not missing'],
    ['a token of progress that is none', '"name":"health"', '_meta', '"progressToken":{}'],
  ])('with %s is answered in one line', async (_case, params, words, more = '"x":1') => {
    const session = await mcpSession(await sandboxed(), { era });
    const meta = era === 'modern' ? `${envelope},${more}` : more;
    const line = `{"jsonrpc":"2.0","id":81,"method":"tools/call","params":{${params},"_meta":{${meta}}}}`;
    const replies = await repliesTo(session, `${line}\n`);
    expect(replies).toEqual([{ jsonrpc: '2.0', id: 81, error: { code: -32602, message: expect.stringContaining(words) } }]);
    expect(asRecord(replies[0]?.error).message).toMatch(/^Invalid params: [^\n[{]+$/);
  });
});

describe('the older protocol', () => {
  it.each([
    ['of 600 levels', `"result":${deep}`],
    ['that is none', '"result":5'],
    ['of an error that is none', '"error":null'],
  ])('takes an answer %s for no consent, and waits for no other one', async (_case, member) => {
    const service = await sandboxed();
    let questioned: () => void = () => {};
    const open = new Promise<void>((resolve) => {
      questioned = resolve;
    });
    const person = () => {
      questioned();
      return new Promise<never>(() => {});
    };
    const session = await mcpSession(service, { person });
    const reply = session.call('person', { personId: 'per_sample1' });
    await open;
    const id = /"id":(\d+)/.exec(session.lines.find((line) => line.includes('elicitation/create')) ?? '')?.[1];
    session.write(`{"jsonrpc":"2.0","id":${id},${member}}\n`);
    expect((await reply).error).toMatchObject({ code: 'usage', message: expect.stringContaining('the person could not be asked') });
    expect(service.bill()).toEqual([]);
  });

  it('drops members that it does not know, and serves the rest', async () => {
    const session = await mcpSession(await sandboxed());
    const line = '{"jsonrpc":"2.0","id":82,"method":"tools/call","params":{"name":"health"},"trace":"x","result":1}';
    expect(await repliesTo(session, `${line}\n`)).toMatchObject([{ id: 82, result: { content: [{ type: 'text' }] } }]);
  });

  it('answers a last line without an end', async () => {
    const session = await mcpSession(await sandboxed());
    session.write('{"jsonrpc":"2.0","id":83,"method":"tools/list"}');
    session.leave();
    expect((await session.ended).code).toBe(0);
    expect(session.lines.at(-1)).toMatch(/"id":83/);
  });

  it('answers a bad hello, too', async () => {
    const session = await mcpSession(await sandboxed());
    const hello = `{"jsonrpc":"2.0","id":84,"method":"initialize","params":{"protocolVersion":7,"capabilities":{},${clientInfo}}}`;
    const [reply] = await repliesTo(session, `${hello}\n`);
    expect(reply).toMatchObject({ id: 84, error: { code: -32602, message: expect.stringContaining('protocolVersion') } });
  });
});
