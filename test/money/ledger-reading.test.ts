import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { openLedger, type SentCall } from '../../src/money/ledger.ts';
import { ledgerPath } from '../../src/money/ledger-file.ts';
import { chargedInVersion1, outcomeText, parseLedgerLine, type SentLine, sentText } from '../../src/money/ledger-lines.ts';
import { parseUsualLine } from '../../src/money/ledger-quick.ts';
import { readLedger } from '../../src/money/ledger-reading.ts';
import { failureOf, newFolder } from './places.ts';

const call: SentCall = {
  profile: 'default',
  command: 'person',
  operation: 'GET /people/{personId}',
  baseUrl: 'https://api.example.test/api/v1',
  item: 'per_1',
  billing: 'charged',
  sandbox: false,
};
const page = { ...call, operation: 'GET /investor-interest', item: 'page:0' };

/** A ledger in a folder, and a clock that is set by hand. */
async function book(directory = newFolder(), at = '2026-11-30T23:59:59.000Z') {
  const time = { now: at };
  const ledger = await openLedger({ directory, clock: () => new Date(time.now) });
  return { directory, ledger, time };
}

const outcomes = (directory: string, period = {}) => [...readLedger(directory, period)].map(({ item, outcome }) => [item, outcome]);

describe('the months of a ledger', () => {
  test('a call stands in the month in which it was sent, with its outcome', async () => {
    const { directory, ledger, time } = await book();
    const { id: november } = await ledger.sent(call);
    time.now = '2026-12-01T00:00:01.000Z';
    const { id: december } = await ledger.sent({ ...call, item: 'per_2' });
    await ledger.outcome(november, 'billed');
    await ledger.outcome(december, 'not_billed');
    expect(outcomes(directory, { until: '2026-11-30' })).toEqual([['per_1', 'billed']]);
    expect(outcomes(directory, { since: '2026-12-01' })).toEqual([['per_2', 'not_billed']]);
    expect(outcomes(directory)).toEqual([
      ['per_1', 'billed'],
      ['per_2', 'not_billed'],
    ]);
  });

  test('a clock that is set back over midnight loses nothing', async () => {
    const { directory, ledger, time } = await book(newFolder(), '2026-12-01T00:00:01.000Z');
    const { id: first } = await ledger.sent(call);
    time.now = '2026-11-30T23:59:59.000Z';
    await ledger.outcome((await ledger.sent({ ...call, item: 'per_2' })).id, 'billed');
    await ledger.outcome(first, 'billed');
    expect(outcomes(directory, { until: '2026-11-30' })).toEqual([['per_2', 'billed']]);
    expect(outcomes(directory)).toHaveLength(2);
  });

  test('months outside are not even read', async () => {
    const { directory, ledger } = await book();
    await ledger.outcome((await ledger.sent(call)).id, 'billed');
    for (const month of ['2026-10', '2026-12']) writeFileSync(ledgerPath(directory, month), '{"id":"x","v":9}\n');
    expect(outcomes(directory, { since: '2026-11-01', until: '2026-11-30' })).toEqual([['per_1', 'billed']]);
    expect(await failureOf(() => outcomes(directory))).toMatchObject({ code: 'internal' });
  });
});

describe('a ledger of before', () => {
  const line = (id: string, operation: string, more = {}) =>
    `${JSON.stringify({ id, event: 'sent', at: '2026-01-02T03:04:05.000Z', profile: 'default', command: 'c', operation, base_url: 'https://a.test', item: id, ...more })}\n`;

  test('is counted: what was unknown is lost or unpriced', () => {
    const directory = newFolder();
    const [person, network] = ['GET /people/{personId}', 'GET /people/network'];
    const ends = ['a', 'b'].map((id) => `{"id":"${id}","event":"unknown","at":"2026-01-02T03:04:05.000Z"}\n`);
    const text = [line('a', person), line('b', network), line('killed', person), ...ends].join('');
    writeFileSync(join(directory, 'ledger.ndjson'), text);
    expect(outcomes(directory, { since: '2027-01-01' })).toEqual([
      ['b', 'unpriced'],
      ['a', 'lost'],
      ['killed', 'lost'],
    ]);
  });

  test('tells the sandbox by its profile and place', () => {
    const directory = newFolder();
    const sandbox = { profile: 'sandbox', base_url: 'http://127.0.0.1:4000' };
    const text = [line('a', 'GET /', sandbox), line('b', 'GET /', { profile: 'sandbox' }), line('c', 'GET /')].join('');
    writeFileSync(join(directory, 'ledger.ndjson'), text);
    expect([...readLedger(directory)].map((read) => read.sandbox)).toEqual([true, false, false]);
  });

  test('knew as charged what is charged', () => {
    const charged = Object.values(operations).filter(({ billing }) => billing === 'charged');
    expect(charged.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...chargedInVersion1].sort());
  });
});

describe('a lost call', () => {
  test('is settled by a later answer to the same call, and by nothing else', async () => {
    const { directory, ledger } = await book();
    await ledger.outcome((await ledger.sent(call)).id, 'billed');
    await ledger.outcome((await ledger.sent(call)).id, 'lost');
    expect(outcomes(directory).at(-1)).toEqual(['per_1', 'lost']);
    await ledger.outcome((await ledger.sent(call)).id, 'not_billed');
    for (const other of [{ item: 'per_2' }, { profile: 'work' }, { operation: 'GET /x' }, { baseUrl: 'https://b.test' }]) {
      await ledger.outcome((await ledger.sent({ ...call, ...other })).id, 'billed');
    }
    expect(outcomes(directory).at(-1)).toEqual(['per_1', 'lost']);
    const { ledger: another } = await book(directory, '2026-12-24T00:00:00.000Z');
    await another.outcome((await another.sent(call)).id, 'unpriced');
    expect(outcomes(directory).at(-1)).toEqual(['per_1', 'settled']);
  });

  test('is settled also where it was killed, however long ago', async () => {
    const { directory, ledger } = await book();
    await ledger.sent(call);
    await ledger.sent({ ...call, item: 'per_2' });
    // More than one piece of the file lies in between.
    for (let count = 0; count < 2000; count += 1) await ledger.outcome((await ledger.sent({ ...call, item: 'per_3' })).id, 'billed');
    for (const item of ['per_1', 'per_4', 'per_4']) await ledger.sent({ ...call, item });
    for (const item of ['per_1', 'per_4']) await ledger.outcome((await ledger.sent({ ...call, item })).id, 'billed');
    const open = outcomes(directory).filter(([, outcome]) => outcome !== 'billed');
    expect(open).toEqual([
      ['per_1', 'settled'],
      ['per_2', 'lost'],
      ['per_1', 'settled'],
      ['per_4', 'settled'],
      ['per_4', 'settled'],
    ]);
  });

  test('is not settled by a call that was sent before it', async () => {
    const { directory, ledger } = await book();
    const [{ id: first }, { id: second }] = [await ledger.sent(call), await ledger.sent(call)];
    await ledger.outcome(second, 'lost');
    await ledger.outcome(first, 'billed');
    expect(outcomes(directory)).toEqual([
      ['per_1', 'billed'],
      ['per_1', 'lost'],
    ]);
  });

  test('of a page is settled in its own run only: later its number stands for other records', async () => {
    const { directory, ledger } = await book();
    await ledger.outcome((await ledger.sent(page)).id, 'lost');
    const { ledger: later } = await book(directory);
    await later.outcome((await later.sent(page)).id, 'billed');
    expect(outcomes(directory).at(-1)).toEqual(['page:0', 'lost']);
    await ledger.outcome((await ledger.sent(page)).id, 'billed');
    expect(outcomes(directory).at(-1)).toEqual(['page:0', 'settled']);
  });

  test('without an outcome is unpriced where no price is stated', async () => {
    const { directory, ledger } = await book();
    await ledger.sent({ ...call, billing: 'unstated' });
    expect(outcomes(directory)).toEqual([['per_1', 'unpriced']]);
  });
});

test('the quick way knows the usual lines, and no part of one', () => {
  const sent = { ...call, id: 'a.1', at: '2026-11-30T23:59:59.000Z', item: 'per_1' };
  const others = [sentText({ ...sent, item: undefined, sandbox: true }), sentText({ ...sent, owner: '0123456789abcdef' })];
  for (const line of [sentText(sent), ...others, outcomeText('a.1', 'lost', sent.at)]) {
    expect(parseUsualLine(line)).toEqual(parseLedgerLine(line));
    for (let cut = 0; cut < line.length; cut += 1) {
      expect(parseUsualLine(line.slice(0, cut))).toBeUndefined();
      if (cut > 0) expect(parseUsualLine(line.slice(0, cut) + line)).toBeUndefined();
    }
  }
});

test('any text comes back from a line', () => {
  const text = fc.string({ unit: 'binary' });
  const line: fc.Arbitrary<SentLine> = fc.record({
    id: text,
    at: text,
    profile: text,
    command: text,
    operation: text,
    baseUrl: text,
    item: fc.option(text, { nil: undefined }),
    billing: fc.constantFrom('charged', 'unstated'),
    sandbox: fc.boolean(),
  });
  fc.assert(
    fc.property(line, (sent) => {
      const line = sentText(sent);
      expect(parseLedgerLine(line)).toEqual(sent);
      expect(parseUsualLine(line) ?? sent).toEqual(sent);
    }),
  );
});

test('a newer ledger is refused by name and version', async () => {
  const { directory, ledger } = await book();
  await ledger.outcome((await ledger.sent(call)).id, 'billed');
  const path = ledgerPath(directory, '2026-11-30');
  appendFileSync(path, '{"pdi_ledger":"of another form","v":3}\n');
  const failure = await failureOf(() => outcomes(directory));
  expect(failure).toMatchObject({ code: 'internal', details: { item: path } });
  expect(failure.message).toContain(`${path} was written by a newer pdi: version 3 `);
});
