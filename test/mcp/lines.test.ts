/** Lines as they should not be: each gets the protocol's error under its id, in one plain line, and the session goes on. */
import { describe, expect, it } from 'vitest';
import { eras, type McpSession, mcpSession } from '../support/mcp.ts';
import { asRecord, sandboxed } from '../support/service.ts';

const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
const long = `"${'x'.repeat(12_000_000)}"`;
const call = (given: string) =>
  `{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"health","arguments":${given}}}`;
const noMessage = 'a line is one message: an object with "jsonrpc": "2.0"';
const clientInfo = '"clientInfo":{"name":"raw","version":"1"}';

/** What a session answers to a text, under the ids that no client of the package takes. */
async function repliesTo(
  session: McpSession,
  text: string | Uint8Array,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
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
    ['of 600 levels', call(`{"a":${deep}}`), [null, -32600], 'more than 500 levels'],
    ['that is not JSON', 'this is no message', [null, -32700], 'the line is not JSON (character 1'],
    [
      'of JSON that ends early',
      '{"jsonrpc":"2.0","id":74,"method":"tools/call","params":{',
      [null, -32700],
      'the line is not JSON',
    ],
    ['without jsonrpc', '{"id":75,"method":"tools/list"}', [75, -32600], noMessage],
    [
      'of another jsonrpc',
      '{"jsonrpc":"1.0","id":75,"method":"tools/list"}',
      [75, -32600],
      noMessage,
    ],
    [
      'with a token of progress that is none',
      '{"jsonrpc":"2.0","id":75,"method":"tools/list","params":{"_meta":{"progressToken":{}}}}',
      [75, -32600],
      noMessage,
    ],
    ['that is a number', '5', [null, -32600], noMessage],
    [
      'that is a batch',
      '[{"jsonrpc":"2.0","id":75,"method":"tools/list"}]',
      [null, -32600],
      noMessage,
    ],
    ['without a method', '{"jsonrpc":"2.0","id":76}', [76, -32600], noMessage],
    ['whose method is no text', '{"jsonrpc":"2.0","id":76,"method":7}', [76, -32600], noMessage],
    [
      'whose id is an object',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      [null, -32600],
      noMessage,
    ],
    [
      'whose id a number cannot hold',
      '{"jsonrpc":"2.0","id":1e30,"method":"tools/list"}',
      [null, -32600],
      noMessage,
    ],
    [
      'with params: null',
      '{"jsonrpc":"2.0","id":77,"method":"tools/list","params":null}',
      [77, -32600],
      noMessage,
    ],
    [
      'with a list as params',
      '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":["health"]}',
      [77, -32600],
      noMessage,
    ],
  ] as const)('%s', async (_case, text, reply, words) => {
    const session = await mcpSession(await sandboxed(), { era });
    const replies = await repliesTo(session, `${text}\n`);
    expect(replies).toEqual([
      {
        jsonrpc: '2.0',
        id: reply[0],
        error: { code: reply[1], message: expect.stringContaining(words) },
      },
    ]);
    expect(asRecord(replies[0]?.error).message).not.toMatch(/\n/);
  });

  it.each([
    ['notification without jsonrpc', '{"method":"notifications/initialized"}'],
    ['answer that is none', '{"jsonrpc":"2.0","id":78,"result":5}'],
    ['answer to nothing', '{"jsonrpc":"2.0","id":78,"result":{}}'],
    ['blank line', '  \r'],
  ])('gets no reply where it is a %s', async (_case, text) => {
    expect(await repliesTo(await mcpSession(await sandboxed(), { era }), `${text}\n`)).toEqual([]);
  });

  it('behind an empty one is read', async () => {
    const replies = await repliesTo(
      await mcpSession(await sandboxed(), { era }),
      '\n{"id":80,"method":"tools/list"}\n',
    );
    expect(replies).toMatchObject([{ id: 80 }]);
  });

  it('may begin with a byte order mark', async () => {
    const replies = await repliesTo(
      await mcpSession(await sandboxed(), { era }),
      '\ufeff{"id":80,"method":"tools/list"}\n',
    );
    expect(replies).toMatchObject([{ id: 80 }]);
  });

  it('is not UTF-8', async () => {
    const bytes = Buffer.from(
      '{"jsonrpc":"2.0","id":79,"method":"tools/call","params":{"name":"caf\u00e9"}}\n',
      'latin1',
    );
    const [reply] = await repliesTo(await mcpSession(await sandboxed(), { era }), bytes);
    expect(reply).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'Parse error: the line is not UTF-8' },
    });
  });
});

const envelope = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`;

describe.each(eras)('%s: a call', (era) => {
  it.each([
    [
      'arguments: null',
      '"name":"health","arguments":null',
      'params.arguments: Invalid input: expected record, received null',
    ],
    [
      'a list of arguments',
      '"name":"health","arguments":[]',
      'params.arguments: Invalid input: expected record, received array',
    ],
    [
      'no name',
      '"arguments":{}',
      'params.name: Invalid input: expected string, received undefined',
    ],
  ])('with %s is answered in one line', async (_case, params, words) => {
    const session = await mcpSession(await sandboxed(), { era });
    const meta = era === 'modern' ? envelope : '"x":1';
    const line = `{"jsonrpc":"2.0","id":81,"method":"tools/call","params":{${params},"_meta":{${meta}}}}`;
    const replies = await repliesTo(session, `${line}\n`);
    expect(replies).toEqual([
      { jsonrpc: '2.0', id: 81, error: { code: -32602, message: expect.stringContaining(words) } },
    ]);
    expect(asRecord(replies[0]?.error).message).toMatch(/^Invalid params: [^\n[{]+$/);
  });
});

describe('the older protocol', () => {
  it('takes a line of 12 MB', async () => {
    const [reply] = await repliesTo(await mcpSession(await sandboxed()), `${call(long)}\n`);
    expect(reply).toMatchObject({
      id: 71,
      error: { code: -32602, message: expect.stringContaining('params.arguments') },
    });
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
    expect(reply).toMatchObject({
      id: 84,
      error: { code: -32602, message: expect.stringContaining('protocolVersion') },
    });
  });
});
