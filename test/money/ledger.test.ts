import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Write, writeToDisk } from '../../src/files/private.ts';
import { type Ledger, type LedgerOptions, openLedger, type SentCall } from '../../src/money/ledger.ts';
import { ledgerPath as pathOf } from '../../src/money/ledger-file.ts';
import { type LedgerCall, readLedger } from '../../src/money/ledger-reading.ts';
import { summarise } from '../../src/money/spend.ts';
import { bundle, ended, start } from './child.ts';
import { clock, diskWithRoom, failureOf, newFolder } from './places.ts';

const call: SentCall = {
  profile: 'default',
  command: 'person',
  operation: 'GET /people/{personId}',
  baseUrl: 'https://user:word@api.example.test/api/v1',
  item: 'per_1',
  billing: 'charged',
  sandbox: false,
};

const ledgerPath = (directory: string): string => pathOf(directory, clock().toISOString());

const open = (directory: string, more: Partial<LedgerOptions> = {}): Promise<Ledger> => openLedger({ directory, clock, ...more });

async function read(directory: string): Promise<{ calls: LedgerCall[]; skipped: number }> {
  const reading = readLedger(directory);
  const calls: LedgerCall[] = [];
  for (const call of reading) calls.push(call);
  return { calls, skipped: reading.skippedLines };
}

describe('the ledger', () => {
  test('holds a line before the call and one after it', async () => {
    const directory = newFolder();
    const ledger = await open(directory);
    const { id } = await ledger.sent(call);
    expect(readFileSync(ledgerPath(directory), 'utf8').trimEnd().split('\n')).toHaveLength(1);
    await ledger.outcome(id, 'billed');
    const lines = readFileSync(ledgerPath(directory), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      {
        id,
        event: 'sent',
        at: '2026-01-02T03:04:05.000Z',
        profile: 'default',
        command: 'person',
        operation: 'GET /people/{personId}',
        base_url: 'https://api.example.test',
        item: 'per_1',
        billing: 'charged',
        v: 2,
      },
      { id, event: 'billed', at: '2026-01-02T03:04:05.000Z', v: 2 },
    ]);
  });

  test('is private, also where it was not', async () => {
    const directory = join(newFolder(), 'state', 'pdi');
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    writeFileSync(ledgerPath(directory), '', { mode: 0o644 });
    chmodSync(ledgerPath(directory), 0o644);
    await open(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(ledgerPath(directory)).mode & 0o777).toBe(0o600);
  });

  test.each([
    [{ item: 'per_9' }, 'per_9'],
    [{ item: 'page:3' }, 'page:3'],
    [{ item: undefined }, undefined],
    [{ item: 'jane@example.test' }, expect.stringMatching(/^sha256:[0-9a-f]{16}$/)],
    [{ item: 'Jane Doe' }, expect.stringMatching(/^sha256:/)],
    [{ item: 'x'.repeat(5000) }, expect.stringMatching(/^sha256:/)],
    [{ query: 'Doe' }, expect.stringMatching(/^sha256:/)],
  ])('keeps identifiers and hashes the rest: %j', async (asked, kept) => {
    const directory = newFolder();
    await (await open(directory)).sent({ ...call, item: undefined, ...asked });
    expect((await read(directory)).calls[0]?.item).toEqual(kept);
    expect(readFileSync(ledgerPath(directory), 'utf8')).not.toMatch(/[Dd]oe|jane/);
  });

  test('keeps every line far below the size that is one piece everywhere', async () => {
    const directory = newFolder();
    await (await open(directory)).sent({ ...call, profile: '\u0001'.repeat(9000), command: 'c'.repeat(9000), operation: 'o'.repeat(9000) });
    expect(statSync(ledgerPath(directory)).size).toBeLessThan(4096);
  });

  test('counts a call without outcome as lost, and takes the first outcome', async () => {
    const directory = newFolder();
    const ledger = await open(directory);
    await ledger.sent({ ...call, item: 'per_killed' });
    const { id } = await ledger.sent(call);
    await ledger.outcome(id, 'not_billed');
    await ledger.outcome(id, 'billed');
    const { calls, skipped } = await read(directory);
    expect(calls.map(({ item, outcome }) => [item, outcome])).toEqual([
      ['per_1', 'not_billed'],
      ['per_killed', 'lost'],
    ]);
    expect(skipped).toBe(1);
  });

  test('skips and counts lines that are not its own, and reads every other one', async () => {
    const directory = newFolder();
    const ledger = await open(directory);
    const { id } = await ledger.sent(call);
    appendFileSync(ledgerPath(directory), 'nonsense\n[]\n{"id":"x","event":"billed"}\n{"id":"y","event":"sent"}\n\n');
    await ledger.outcome(id, 'billed');
    const { calls, skipped } = await read(directory);
    expect([calls.map(({ outcome }) => outcome), skipped]).toEqual([['billed'], 4]);
  });

  test('no ledger is an empty one', async () => {
    expect(await read(newFolder())).toEqual({ calls: [], skipped: 0 });
  });
});

describe('a ledger that cannot be written', () => {
  test('stops before anything is bought', async () => {
    const directory = newFolder();
    const blocked = join(directory, 'file');
    writeFileSync(blocked, '');
    expect((await failureOf(() => open(join(blocked, 'pdi')))).message).toMatch(
      /^cannot open the spend ledger .*a part of the path is not a folder$/,
    );
    mkdirSync(ledgerPath(directory));
    expect(await failureOf(() => open(directory))).toMatchObject({ code: 'internal' });
  });

  test('on a full disk says that the call was not sent', async () => {
    const failure = await failureOf(async () => (await open(newFolder(), diskWithRoom(0))).sent(call));
    expect(failure).toMatchObject({ code: 'internal', details: { billed: 'no', hint: expect.stringContaining('this call was not sent') } });
    expect(failure.message).toMatch(/ledger-2026-01\.ndjson: no space left on the disk$/);
  });

  test('loses no line to half a line, whoever left it', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (room) => {
        const directory = newFolder();
        const full = await open(directory, diskWithRoom(room));
        const other = await open(directory);
        const { id: before } = await other.sent({ ...call, item: 'per_before' });
        await expect(full.sent(call)).rejects.toThrow('no space left');
        await other.outcome(before, 'billed');
        await expect(full.sent(call)).rejects.toThrow('no space left');
        await other.outcome((await other.sent({ ...call, item: 'per_after' })).id, 'billed');
        expect(await read(directory)).toMatchObject({
          calls: [
            { item: 'per_before', outcome: 'billed' },
            { item: 'per_after', outcome: 'billed' },
          ],
          skipped: 1,
        });
      }),
      { numRuns: 30 },
    ));

  test('in the midst of several calls refuses just those whose lines are not whole', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2500 }), async (room) => {
        const directory = newFolder();
        const ledger = await open(directory, diskWithRoom(room));
        const items = ['per_1', 'per_2', 'per_3', 'per_4', 'per_5'];
        const sent = await Promise.allSettled(items.map((item) => ledger.sent({ ...call, item })));
        const { calls, skipped } = await read(directory);
        const whole = items.filter((_item, at) => sent[at]?.status === 'fulfilled');
        expect(calls.slice(0, whole.length).map(({ item }) => item)).toEqual(whole);
        // Of the next line, a part is there at most, or all but its line feed.
        expect(calls.length - whole.length + skipped).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    ));

  test('gives every line after half a line of its own a line of its own, once there is room again', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 2 }), async (torn, before) => {
        const directory = newFolder();
        const disk = diskWithRoom(10_000);
        const ledger = await open(directory, disk);
        for (let calls = 0; calls < before; calls += 1) await ledger.outcome((await ledger.sent(call)).id, 'billed');
        const { size } = statSync(ledgerPath(directory));
        disk.free(torn - (10_000 - size));
        await expect(ledger.sent(call)).rejects.toThrow('no space left');
        disk.free(10_000);
        await ledger.outcome((await ledger.sent(call)).id, 'billed');
        const text = readFileSync(ledgerPath(directory));
        // As other programs read it, such as jq: the half line is one of its own.
        const whole = [text.subarray(0, size), text.subarray(size + torn + 1)].map((part) => part.toString().trimEnd());
        const lines = whole.flatMap((part) => (part === '' ? [] : part.split('\n'))).map((line) => JSON.parse(line).event);
        expect([text[size + torn], lines]).toEqual([
          0x0a,
          Array(before + 1)
            .fill(['sent', 'billed'])
            .flat(),
        ]);
      }),
      { numRuns: 10 },
    ));
});

describe('several writers at once', () => {
  test('the calls of one moment are one write', async () => {
    const writes: number[] = [];
    const write: Write = (fileDescriptor, bytes, length, position) => {
      writes.push(length);
      return writeToDisk(fileDescriptor, bytes, length, position);
    };
    const directory = newFolder();
    const ledger = await open(directory, { write });
    const sent = await Promise.all(Array.from({ length: 20 }, () => ledger.sent(call)));
    await Promise.all(sent.map(({ id }) => ledger.outcome(id, 'billed')));
    expect([writes.length, (await read(directory)).calls.length]).toEqual([2, 20]);
  });

  test('two handles of one process lose no line', async () => {
    const directory = newFolder();
    const [left, right] = [await open(directory), await open(directory)];
    const pairs = Array.from({ length: 500 }, () => Promise.all([left.sent(call), right.sent(call)]));
    for (const [one, two] of await Promise.all(pairs)) {
      await right.outcome(two.id, 'billed');
      await left.outcome(one.id, 'billed');
    }
    const { calls, skipped } = await read(directory);
    expect([calls.length, calls.filter(({ outcome }) => outcome === 'billed').length, skipped]).toEqual([1000, 1000, 0]);
  });

  test('four processes lose no line and leave no empty one', async () => {
    const directory = newFolder();
    const writer = await bundle('ledger-writer', newFolder());
    const writers = ['a', 'b', 'c', 'd'].map((profile) => start(writer, directory, profile, '2000'));
    expect(await Promise.all(writers.map(ended))).toEqual([0, 0, 0, 0]);
    const reading = readLedger(directory);
    const rows = summarise(reading, { by: ['profile'], sandbox: false });
    const counts = { billed: 1000, lost: 0, settled: 0, unpriced: 0, not_billed: 1000 };
    expect(rows).toEqual(['a', 'b', 'c', 'd'].map((profile) => ({ profile, ...counts })));
    expect(reading.skippedLines).toBe(0);
    expect(readFileSync(pathOf(directory, new Date().toISOString()), 'utf8')).not.toContain('\n\n');
  }, 20_000);
});
