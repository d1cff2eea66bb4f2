import { describe, expect, test } from 'vitest';
import { type LedgerCall, summarise } from '../../src/money/spend.ts';

const made = (at: string, command: string, profile: string, outcome: LedgerCall['outcome']): LedgerCall => ({
  id: `${at}${command}`,
  at,
  profile,
  command,
  operation: 'GET /',
  baseUrl: 'https://api.example.test',
  outcome,
});

const calls = [
  made('2026-02-01T00:00:00.000Z', 'person', 'work', 'billed'),
  made('2026-01-31T23:59:59.999Z', 'feed', 'work', 'unknown'),
  made('2026-02-01T12:00:00.000Z', 'feed', 'home', 'not_billed'),
  made('2026-02-02T00:00:00.000Z', 'person', 'home', 'billed'),
];

describe('a spend report', () => {
  test.each([
    [
      {},
      [
        { day: '2026-01-31', billed: 0, unknown: 1, not_billed: 0 },
        { day: '2026-02-01', billed: 1, unknown: 0, not_billed: 1 },
        { day: '2026-02-02', billed: 1, unknown: 0, not_billed: 0 },
      ],
    ],
    [
      { by: 'command' } as const,
      [
        { command: 'feed', billed: 0, unknown: 1, not_billed: 1 },
        { command: 'person', billed: 2, unknown: 0, not_billed: 0 },
      ],
    ],
    [
      { by: 'profile', since: '2026-02-01' } as const,
      [
        { profile: 'home', billed: 1, unknown: 0, not_billed: 1 },
        { profile: 'work', billed: 1, unknown: 0, not_billed: 0 },
      ],
    ],
    [{ since: '2026-02-03' }, []],
  ])('counts %j', async (options, rows) => {
    expect(await summarise(calls, options)).toEqual(rows);
  });
});
