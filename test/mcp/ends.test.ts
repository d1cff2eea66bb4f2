/** How a session ends: calls under way finish, the ledger is whole, the exit code is that of every command. */
import { describe, expect, it } from 'vitest';
import { gate } from '../support/later.ts';
import { mcpSession } from '../support/mcp.ts';
import { profile } from '../support/records.ts';
import { asRecord, callsOf, sandboxed, slowAtFirst } from '../support/service.ts';

const slowService = () => slowAtFirst(({ path }) => profile(path));

describe('a call that is under way', () => {
  it('is answered and written down when stdin ends, and the exit code is 0', async () => {
    const { service, asked, release } = await slowService();
    const session = await mcpSession(service, { flags: '--confirm never' });
    const reply = session.call('person', { personId: 'per_1' });
    await asked;
    session.leave();
    release();
    expect((await reply).value).toMatchObject({ billed: 'yes', result: { person_id: 'per_1' } });
    expect((await session.ended).code).toBe(0);
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('is finished at %s, and the exit code is %i', async (signal, code) => {
    const { service, asked, release } = await slowService();
    const session = await mcpSession(service, { flags: '--confirm never' });
    const reply = session.call('person', { personId: 'per_1' });
    await asked;
    session.signal(signal);
    release();
    expect((await reply).value).toMatchObject({ billed: 'yes' });
    const { code: ended, stderr } = await session.ended;
    expect(ended).toBe(code);
    expect(asRecord(JSON.parse(stderr)).error).toMatchObject({ billed: 'yes' });
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
  });

  it('is written down when the client takes it back', async () => {
    const { service, asked, release } = await slowService();
    const session = await mcpSession(service, { flags: '--confirm never' });
    const taken = new AbortController();
    const reply = session.client.callTool({ name: 'person', arguments: { personId: 'per_1' } }, { signal: taken.signal });
    await asked;
    taken.abort();
    await expect(reply).rejects.toThrow();
    release();
    session.leave();
    expect((await session.ended).code).toBe(0);
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
  });
});

describe('a call that is not sent yet', () => {
  it('is not bought for a client that is gone', async () => {
    const { service, asked, release } = await slowService();
    const session = await mcpSession(service, { flags: '--confirm never --concurrency 1' });
    const replies = ['per_1', 'per_2', 'per_3'].map((personId) => session.call('person', { personId }));
    await asked;
    session.leave();
    release();
    const results = await Promise.all(replies);
    expect(results[0]?.isError).toBe(false);
    expect((await session.ended).code).toBe(0);
    const sent = service.requests.length;
    expect((await callsOf(session)).filter(([, outcome]) => outcome === 'billed')).toHaveLength(sent);
  });

  it('is not bought where the question is still open', async () => {
    const service = await sandboxed();
    const { opened: open, open: questioned } = gate();
    const session = await mcpSession(service, {
      person: () => {
        questioned();
        return new Promise(() => {});
      },
    });
    const reply = session.call('person', { personId: 'per_sample1' });
    await open;
    session.leave();
    expect((await reply).error.message).toContain('the person could not be asked');
    expect((await session.ended).code).toBe(0);
    expect([service.bill(), await callsOf(session)]).toEqual([[], []]);
  });
});

describe('stdout', () => {
  it('carries messages alone, also with --verbose, and stderr the rest', async () => {
    const session = await mcpSession(await sandboxed(), { flags: '--verbose' });
    await session.call('health');
    session.leave();
    const { stdout, stderr, code } = await session.ended;
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split('\n')) expect(asRecord(JSON.parse(line)).jsonrpc).toBe('2.0');
    expect(stderr).toContain('/health');
  });

  it('may be closed by a client that dies', async () => {
    const { service, asked, release } = await slowService();
    const session = await mcpSession(service, { flags: '--confirm never' });
    const reply = session.call('person', { personId: 'per_1' });
    reply.catch(() => {});
    await asked;
    session.die();
    release();
    expect((await session.ended).code).toBe(0);
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
  });
});
