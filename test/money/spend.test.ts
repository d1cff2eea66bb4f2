import { describe, expect, test } from 'vitest';
import type { LedgerCall } from '../../src/money/ledger-reading.ts';
import { type SpendQuestion, summarise, totalOf } from '../../src/money/spend.ts';

const made = (at: string, command: string, profile: string, outcome: LedgerCall['outcome'], sandbox = false): LedgerCall => ({
  id: `${at}${command}`,
  at,
  profile,
  command,
  operation: 'GET /',
  baseUrl: 'https://api.example.test',
  item: undefined,
  billing: 'charged',
  sandbox,
  outcome,
});

const calls = [
  made('2026-02-01T00:00:00.000Z', 'person', 'work', 'billed'),
  made('2026-01-31T23:59:59.999Z', 'feed', 'work', 'lost'),
  made('2026-02-01T12:00:00.000Z', 'feed', 'home', 'not_billed'),
  made('2026-02-02T00:00:00.000Z', 'person', 'home', 'billed'),
  made('2026-02-02T00:00:00.000Z', 'person', 'home', 'settled', true),
];
const none = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };

describe('a spend report', () => {
  test.each<readonly [Partial<SpendQuestion>, readonly object[]]>([
    [
      {},
      [
        { day: '2026-01-31', ...none, lost: 1 },
        { day: '2026-02-01', ...none, billed: 1, not_billed: 1 },
        { day: '2026-02-02', ...none, billed: 1 },
      ],
    ],
    [
      { by: ['command'] },
      [
        { command: 'feed', ...none, lost: 1, not_billed: 1 },
        { command: 'person', ...none, billed: 2 },
      ],
    ],
    [
      { by: ['profile'], since: '2026-02-01' },
      [
        { profile: 'home', ...none, billed: 1, not_billed: 1 },
        { profile: 'work', ...none, billed: 1 },
      ],
    ],
    [
      { by: ['month', 'command'], until: '2026-02-01' },
      [
        { month: '2026-01', command: 'feed', ...none, lost: 1 },
        { month: '2026-02', command: 'feed', ...none, not_billed: 1 },
        { month: '2026-02', command: 'person', ...none, billed: 1 },
      ],
    ],
    [{ by: ['month'], profile: 'home' }, [{ month: '2026-02', ...none, billed: 1, not_billed: 1 }]],
    [{ by: ['profile'], sandbox: true }, [{ profile: 'home', ...none, settled: 1 }]],
    [{ since: '2026-02-03' }, []],
  ])('counts %j', (question, rows) => {
    expect(summarise(calls, { by: ['day'], sandbox: false, ...question })).toEqual(rows);
  });

  test('has a total', () => {
    expect(totalOf(summarise(calls, { by: ['day'], sandbox: false }))).toEqual({ ...none, billed: 2, lost: 1, not_billed: 1 });
    expect(totalOf([])).toEqual(none);
  });
});
