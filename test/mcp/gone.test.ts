/** A caller that goes away leaves a paid answer behind, which the same call gets. The origin's requests are the judge. */

import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { attempt } from '../../src/errors.ts';
import { gate } from '../support/later.ts';
import { counted, eras, type McpSession, mcpSession, type SessionOptions } from '../support/mcp.ts';
import { profile } from '../support/records.ts';
import {
  asRecord,
  booksAreClosed,
  callsOf,
  saidBy,
  sandboxed,
  slowAtFirst,
} from '../support/service.ts';

async function slowSession(options: SessionOptions) {
  const slow = await slowAtFirst(({ path }) => {
    if (path.includes('/people/')) return profile(path);
    return { json: path.includes('/network/') ? [{ person_id: 'per_1' }] : [{ signal_id: 's1' }] };
  });
  return { ...slow, session: await mcpSession(slow.service, options) };
}

/** Calls, and takes the call back once the service was asked. What the server read before it answers a list, it has worked off. */
async function takenBack(
  { client }: McpSession,
  name: string,
  given: Record<string, unknown>,
  when: Promise<void>,
): Promise<void> {
  const back = new AbortController();
  const reply = client.callTool({ name, arguments: given }, { signal: back.signal });
  await when;
  back.abort();
  await expect(reply).rejects.toThrow();
  await client.listTools();
}

const calls = [
  ['feed', { limit: 1, page: 0 }, { page: '0', limit: '1', fields: 'signal_id' }],
  ['network', { limit: 1 }, { fields: 'person_id', limit: 1 }],
  ['person', { personId: 'per_1' }, { personId: 'per_1', fields: 'person_id' }],
] as const;

describe.each(eras)('%s: the answer of a caller that went away', (era) => {
  it.each(calls)(
    '%s is written down, kept until the same call has heard it, and then dropped',
    async (name, given, same) => {
      const { service, asked, release, session } = await slowSession({
        era,
        person: () => 'accept',
      });
      await takenBack(session, name, given, asked);
      release();
      await counted(session, 1);
      const heard = await session.call(name, same);
      expect(heard.value).toMatchObject({
        billed: 'no',
        source: 'session',
        fetched_at: expect.any(String),
      });
      expect((await callsOf(session)).map(([, outcome]) => outcome)).toEqual([
        name === 'network' ? 'unpriced' : 'billed',
      ]);
      expect([service.requests.length, session.asked.length]).toEqual([1, 1]);
      expect((await session.call(name, same)).value.source).toBeUndefined();
      expect([service.requests.length, session.asked.length]).toEqual([2, 2]);
    },
  );

  it.each(calls)(
    '%s is given to the same call that came while it was under way',
    async (name, given, same) => {
      const { service, asked, release, session } = await slowSession({
        era,
        person: () => 'accept',
      });
      await takenBack(session, name, given, asked);
      const again = session.call(name, same);
      await session.client.listTools();
      release();
      expect((await again).value).toMatchObject({ billed: 'no', source: 'session' });
      expect([service.requests.length, session.asked.length]).toEqual([1, 1]);
      expect((await session.call(name, same)).value.source).toBeUndefined();
      expect(service.requests).toHaveLength(2);
    },
  );

  it.each(calls)(
    '%s is bought once for two that ask the same at the same time',
    async (name, given, same) => {
      const { service, asked, release, session } = await slowSession({
        era,
        person: () => 'accept',
      });
      const one = session.call(name, given);
      await asked;
      const other = session.call(name, same);
      await session.client.listTools();
      release();
      const [first, second] = await Promise.all([one, other]);
      expect([first?.value.source, second?.value]).toMatchObject([
        undefined,
        { billed: 'no', source: 'session' },
      ]);
      expect([service.requests.length, session.asked.length]).toEqual([1, 1]);
    },
  );

  it('is not all that is bought where another waits for the same', async () => {
    const { service, asked, release, session } = await slowSession({
      era,
      flags: '--confirm never --concurrency 1',
    });
    const given = { ids: ['per_1', 'per_2'] };
    const other = asked.then(() => session.call('person', given));
    await takenBack(
      session,
      'person',
      given,
      asked.then(() => void session.client.listTools()),
    );
    release();
    expect((await other).text).not.toContain('skipped');
    expect(service.requests).toHaveLength(2);
  });

  it('is given to no call that asks for something else', async () => {
    const { service, asked, release, session } = await slowSession({
      era,
      flags: '--confirm never',
    });
    await takenBack(session, 'feed', { limit: 1 }, asked);
    release();
    await counted(session, 1);
    expect((await session.call('feed', { limit: 2 })).value.source).toBeUndefined();
    expect(service.requests).toHaveLength(2);
  });

  it('is kept through a call that goes away as well', async () => {
    const { service, asked, release, session } = await slowSession({
      era,
      flags: '--confirm never',
    });
    await takenBack(session, 'feed', { limit: 1 }, asked);
    await takenBack(session, 'feed', { limit: 1 }, Promise.resolve());
    release();
    await counted(session, 1);
    expect((await session.call('feed', { limit: 1 })).value).toMatchObject({ source: 'session' });
    expect(service.requests).toHaveLength(1);
  });
});

it.each([
  ['feed', { limit: 1 }],
  ['person', { personId: 'per_1' }],
  ['person', { ids: ['per_1', 'per_2'] }],
])(
  'an answer that crosses with the word that nobody waits for it: %s %j is kept as well, and again',
  async (name, given) => {
    const { service, release, session } = await slowSession({ flags: '--confirm never' });
    release();
    const bought = 'ids' in given ? 2 : 1;
    for (const id of ['one', 'two']) {
      session.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })}\n`,
      );
      while (!session.lines.some((line) => line.includes(`"id":"${id}"`))) await nextTurn();
      session.write(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${id}"}}\n`,
      );
      expect(service.requests).toHaveLength(bought);
    }
    const { text } = await session.call(name, given);
    expect(text).toContain('"source":"session"');
    expect(service.requests).toHaveLength(bought);
    await session.call(name, given);
    expect(service.requests).toHaveLength(2 * bought);
  },
);

it('a caller that goes away before the person has answered leaves the question to the same call that waits with it', async () => {
  const { opened: open, open: questioned } = gate();
  const person = () => {
    questioned();
    return session.asked.length === 1 ? new Promise<never>(() => {}) : ('accept' as const);
  };
  const session = await mcpSession(sandboxed(), { person });
  const back = new AbortController();
  const given = { personId: 'per_sample1' };
  const first = session.client.callTool(
    { name: 'person', arguments: given },
    { signal: back.signal },
  );
  await open;
  const second = session.call('person', given);
  await session.client.listTools();
  expect(session.asked).toHaveLength(1);
  back.abort();
  await expect(first).rejects.toThrow();
  expect((await second).value).toMatchObject({ billed: 'yes' });
  expect([session.asked.length, session.service.bill().length]).toEqual([2, 1]);
});

it('a person who says no to one of two calls that ask the same at the same time has said so to both', async () => {
  const [questioned, answered] = [gate(), gate()];
  const person = async () => {
    questioned.open();
    await answered.opened;
    return 'decline' as const;
  };
  const session = await mcpSession(sandboxed(), { person });
  const first = session.call('person', { personId: 'per_sample1' });
  await questioned.opened;
  const second = session.call('person', { personId: 'per_sample1' });
  await session.client.listTools();
  answered.open();
  expect((await Promise.all([first, second])).map(({ isError }) => isError)).toEqual([true, true]);
  expect([session.asked.length, session.service.bill()]).toEqual([1, []]);
});

it('the budget tool leaves no file open, however often it is asked', async () => {
  const session = await mcpSession(await sandboxed(), {
    flags: '--budget 5/month --confirm never',
  });
  await session.call('person', { personId: 'per_sample1' });
  const open = () =>
    readdirSync('/proc/self/fd')
      // Some are closed by the time that they are looked at.
      .map((name) => attempt(() => readlinkSync(`/proc/self/fd/${name}`)))
      .filter((path) => path?.startsWith(session.home));
  await session.call('budget');
  const before = open();
  for (let asked = 0; asked < 20; asked += 1) await session.call('budget');
  expect(open()).toEqual(before);
  session.leave();
  await session.ended;
  await booksAreClosed();
  expect(open()).toEqual([]);
});

/** How a session ends: calls under way finish, the ledger is whole, the exit code is that of every command. */

describe('a call that is under way', () => {
  it.each<[end: string, code: number, said: readonly string[]]>([
    ['stdin ends', 0, []],
    ['SIGTERM', 143, ['notice', 'error']],
    ['SIGINT', 130, ['notice', 'error']],
  ])(
    'is answered and written down when there is %s, and the exit code is %i',
    async (end, code, said) => {
      const { asked, release, session } = await slowSession({ flags: '--confirm never' });
      const reply = session.call('person', { personId: 'per_1' });
      await asked;
      if (end === 'SIGTERM' || end === 'SIGINT') session.signal(end);
      else session.leave();
      release();
      expect((await reply).value).toMatchObject({ billed: 'yes', result: { person_id: 'per_1' } });
      const ended = await session.ended;
      const told = Object.assign({}, ...saidBy(ended));
      expect([ended.code, Object.keys(told), await callsOf(session)]).toEqual([
        code,
        said,
        [['per_1', 'billed']],
      ]);
      if (code === 0) return;
      expect(told.notice).toContain('stopping: waiting for 1 call under way');
      expect(told.error).toMatchObject({ message: 'mcp was stopped', billed: 'yes' });
    },
  );
});

describe('a call that is not sent yet', () => {
  it.each<[string, (session: McpSession, back: AbortController) => void]>([
    ['stdin ends', (session) => session.leave()],
    ['the server is stopped', (session) => session.signal('SIGINT')],
    ['its caller takes it back', (_session, back) => back.abort()],
  ])('is not bought once %s, though its turn comes', async (_how, end) => {
    const { service, asked, release, session } = await slowSession({
      flags: '--confirm never --concurrency 1',
    });
    const first = session.call('person', { personId: 'per_1' });
    await asked;
    const back = new AbortController();
    const given = { name: 'person', arguments: { personId: 'per_2' } };
    const second = session.client.callTool(given, { signal: back.signal }).then(
      ({ isError }) => isError,
      () => true,
    );
    // The server has read the call before this one.
    await session.call('budget');
    end(session, back);
    release();
    expect([(await first).isError, await second]).toEqual([false, true]);
    session.leave();
    await session.ended;
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
    expect(service.requests).toHaveLength(1);
  });

  it('is not bought where the question is still open', async () => {
    const { opened: open, open: questioned } = gate();
    const person = () => {
      questioned();
      return new Promise<never>(() => {});
    };
    const session = await mcpSession(sandboxed(), { person });
    const reply = session.call('person', { personId: 'per_sample1' });
    await open;
    session.leave();
    expect((await reply).error.message).toContain('the person could not be asked');
    expect((await session.ended).code).toBe(0);
    expect([session.service.bill(), await callsOf(session)]).toEqual([[], []]);
  });
});

describe('stdout', () => {
  it('carries messages alone, also with --verbose, and stderr the rest', async () => {
    const session = await mcpSession(await sandboxed(), { flags: '--verbose' });
    await session.call('health');
    session.leave();
    const { stdout, stderr, code } = await session.ended;
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split('\n'))
      expect(asRecord(JSON.parse(line)).jsonrpc).toBe('2.0');
    expect(stderr).toContain('/health');
  });

  it('may be closed by a client that dies', async () => {
    const { asked, release, session } = await slowSession({ flags: '--confirm never' });
    session.call('person', { personId: 'per_1' }).catch(() => {});
    await asked;
    session.die();
    release();
    expect((await session.ended).code).toBe(0);
    expect(await callsOf(session)).toEqual([['per_1', 'billed']]);
  });
});
