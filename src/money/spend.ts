/** Counts the calls of the spend ledger, for `pdi spend`. */
import { dayOf, monthOf } from '../rows/days.ts';
import type { Period } from './ledger-file.ts';
import type { CallState, LedgerCall } from './ledger-reading.ts';

/** Days and months are those of UTC. */
const spendKeys = ['day', 'month', 'command', 'profile'] as const;
export type SpendKey = (typeof spendKeys)[number];

export const spendCounts = ['billed', 'lost', 'settled', 'unpriced', 'not_billed'] as const satisfies readonly CallState[];
export type SpendCounts = Readonly<Record<CallState, number>>;

type SpendRow = Readonly<Partial<Record<SpendKey, string>>> & SpendCounts;

export interface SpendQuestion extends Period {
  readonly by: readonly SpendKey[];
  readonly profile?: string | undefined;
  /** The sandbox's calls cost nothing, so they are counted by themselves or not at all. */
  readonly sandbox: boolean;
}

export function summarise(calls: Iterable<LedgerCall>, { since = '', until = '9999', by, profile, sandbox }: SpendQuestion): SpendRow[] {
  const groups = new Map<string, Group>();
  // Calls come in order, so most belong where the one before them does.
  let group: Group | undefined;
  // Every time of that day comes before it.
  const end = `${until}~`;
  for (const call of calls) {
    if (call.at < since || call.at > end || call.sandbox !== sandbox || (profile ?? call.profile) !== call.profile) continue;
    if (group === undefined || !belongs(call, by, group)) {
      const keys = by.map((key) => readKey[key](call));
      const name = keys.join('\n');
      group = groups.get(name) ?? { keys, counts: { ...noCalls } };
      groups.set(name, group);
    }
    group.counts[call.outcome] += 1;
  }
  const inOrder = [...groups.values()].sort((left, right) => compare(left.keys, right.keys));
  return inOrder.map(({ keys, counts }) => ({ ...Object.fromEntries(by.map((key, index) => [key, keys[index]])), ...counts }));
}

interface Group {
  readonly keys: readonly string[];
  readonly counts: Record<CallState, number>;
}

const belongs = (call: LedgerCall, by: readonly SpendKey[], { keys }: Group): boolean =>
  by.every((key, index) => readKey[key](call) === keys[index]);

export function totalOf(rows: readonly SpendCounts[]): SpendCounts {
  const total = { ...noCalls };
  for (const row of rows) for (const name of spendCounts) total[name] += row[name];
  return total;
}

const noCalls = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 } as const satisfies SpendCounts;

const readKey: Readonly<Record<SpendKey, (call: LedgerCall) => string>> = {
  day: ({ at }) => dayOf(at),
  month: ({ at }) => monthOf(at),
  command: ({ command }) => command,
  profile: ({ profile }) => profile,
};

function compare(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((key, place) => key !== right[place]);
  return index === -1 ? 0 : (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
}
