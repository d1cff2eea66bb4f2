/** Holds the calls of a book against the service's own log of calls, and tells what the log settles. */
import { dayOf } from '../rows/days.ts';
import { maxSkew } from './calls.ts';
import type { BookedCall, EndByLog } from './reports.ts';

/** A call that the log has, at a moment or on a day. */
export interface LoggedCall {
  /** What the book may call it, the likeliest first. */
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Whether the log must have a call, must lack it, or tells of it; and what becomes of one that it has, or lacks. */
interface Standing {
  readonly is: 'billed' | 'free' | 'open' | 'untold';
  readonly has?: string;
  readonly lacks?: string;
}

const standings: Readonly<Record<string, Standing>> = {
  billed: { is: 'billed' },
  billed_lost: { is: 'billed' },
  lost: { is: 'open', has: 'billed_lost', lacks: 'cleared' },
  settled: { is: 'open', has: 'billed', lacks: 'cleared' },
  not_billed: { is: 'free' },
  // The log that lacked it came too early.
  cleared: { is: 'free', has: 'billed_lost' },
};

const standingOf = ({ billing, outcome }: BookedCall): Standing =>
  (billing === 'charged' && standings[outcome]) || { is: 'untold' };

/** A row stands for the nearest call that was billed or lost, and for others where there is none. */
const ranks = { billed: 0, open: 1, untold: 4 * maxSkew, free: 8 * maxSkew };

const distance = ({ at }: BookedCall, { from, to }: LoggedCall): number =>
  Math.max(from - at, at - to, 0);

/** A clock may be wrong, but not by another time zone. What differs in case alone is taken for one. */
function paired(calls: readonly BookedCall[], rows: readonly LoggedCall[]) {
  const groups = new Map<string, BookedCall[]>();
  const groupName = (item: string, at: number) =>
    `${item.toLowerCase()} ${dayOf(new Date(at).toISOString())}`;
  for (const call of calls) {
    const name = groupName(call.item, call.at);
    groups.set(name, [...(groups.get(name) ?? []), call]);
  }
  const pairs = new Map<BookedCall, LoggedCall>();
  for (const row of rows.toSorted((one, other) => one.from - other.from)) {
    const rankOf = (call: BookedCall) => ranks[standingOf(call).is] + 2 * distance(call, row);
    const times = [row.from - maxSkew, row.from, row.to + maxSkew];
    const [call] = row.names
      .flatMap((name) => times.flatMap((at) => groups.get(groupName(name, at)) ?? []))
      .filter((one) => !pairs.has(one) && distance(one, row) <= maxSkew)
      .sort((one, other) => rankOf(one) - rankOf(other));
    if (call !== undefined) pairs.set(call, row);
  }
  return pairs;
}

/** Gives what differs, and what the log settles, which is nothing where it is not whole: then it gives why. */
export function compareWithLog(calls: readonly BookedCall[], rows: readonly LoggedCall[]) {
  const pairs = paired(calls, rows);
  const wanted = calls.flatMap((call): readonly EndByLog[] => {
    const after = standingOf(call)[pairs.has(call) ? 'has' : 'lacks'];
    return after === undefined ? [] : [{ ...call, after }];
  });
  const obstacle = wanted.length === 0 ? undefined : obstacleIn(calls, rows, pairs);
  const ends = obstacle === undefined ? wanted : [];
  const becomes = new Map(ends.map(({ id, after }) => [id, wordOf(after)]));
  const differs = (call: BookedCall) =>
    ({ open: true, untold: false, billed: !pairs.has(call), free: pairs.has(call) })[
      standingOf(call).is
    ];
  const ours = calls.filter(differs).map((call) => {
    const { id, item, at, command, outcome } = call;
    const log = pairs.has(call) ? 'billed' : '';
    return { item, at, command, book: wordOf(outcome), log, becomes: becomes.get(id) ?? '' };
  });
  const known = new Set(pairs.values());
  const others = rows.filter((row) => !known.has(row));
  return { ours, others, ends, obstacle, has: (call: BookedCall) => pairs.has(call) };
}

/** As `pdi spend` counts it. */
const wordOf = (outcome: string): string =>
  outcome === 'billed_lost' ? 'billed' : outcome === 'cleared' ? 'not_billed' : outcome;

const latest = (times: readonly number[]): number =>
  times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);

/** By a log that was cut, is of another key, or came too early, a call would be bought twice. */
function obstacleIn(
  calls: readonly BookedCall[],
  rows: readonly LoggedCall[],
  pairs: ReadonlyMap<BookedCall, LoggedCall>,
): string | undefined {
  const billed = calls.filter((call) => standingOf(call).is === 'billed');
  const missing = billed.filter((call) => !pairs.has(call)).length;
  if (missing > 0)
    return `the log lacks ${missing} of the ${billed.length} calls that the book knows as billed`;
  const told = [...pairs.keys()].filter((call) => standingOf(call).is !== 'untold');
  if (told.length === 0) return 'the log has no call that the book knows';
  if (rows.some(({ names }) => names.length === 0)) return 'the log has calls that name no item';
  const lastLost = calls.findLast((call) => standingOf(call).is === 'open');
  // A day tells no more of the end than the calls on it.
  const end = Math.max(latest(rows.map(({ from }) => from)), latest(told.map(({ at }) => at)));
  return end < (lastLost?.at ?? end)
    ? `the log ends at ${new Date(end).toISOString()}, before the last lost call: make one that is billed, and fetch it again`
    : undefined;
}
