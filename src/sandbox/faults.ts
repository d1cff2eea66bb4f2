/** Reads `--fault NAME[:P]` and decides when a fault strikes. */

import type { OperationName } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { nearestFirst } from '../rows/nearest.ts';
import { hashText, streamOf } from './dataset/random.ts';

/** These faults strike before the call is executed, so nothing is changed or billed. */
const before = ['reset', '503', '500'] as const;
/** These faults strike the answer of a call that was executed and possibly billed. */
const after = ['drop-after-billing', 'slow', 'truncate', 'malformed'] as const;
/** Only the health check shows these faults. */
const stores = ['relational-store', 'analytics-store'] as const;
/** Habits of the feed: its pages are of 50 whatever is asked for, or the signals of a day come in another order at each request. */
const habits = ['ignores-limit', 'changing-order'] as const;

export type StoreFault = (typeof stores)[number];
type FeedHabit = (typeof habits)[number];
export type CallFault = (typeof before | typeof after)[number];

export const faultNames = [...after, ...before, ...stores, ...habits] as const;

export interface Fault {
  readonly name: CallFault | StoreFault | FeedHabit;
  /** The share of calls that it strikes, in (0, 1]. */
  readonly probability: number;
}

/** `number` counts the calls of this operation that passed every check, from 1. */
export type FaultRule = (call: {
  operation: OperationName;
  item: string;
  number: number;
}) => CallFault | undefined;

export function parseFault(text: string): Fault {
  const [, given = '', share] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const name = faultNames.find((known) => known === given);
  if (name === undefined) {
    throw new UsageError(`unknown fault: ${JSON.stringify(given)}`, {
      item: text,
      hint: `One of: ${nearestFirst(given, faultNames)}.`,
    });
  }
  const probability =
    share === undefined ? 1 : /^\d*\.?\d+$/.test(share) ? Number(share) : Number.NaN;
  if (!(probability > 0 && probability <= 1)) {
    throw new UsageError(
      `the probability of fault ${name} must be above 0 and at most 1, not ${JSON.stringify(share)}`,
      {
        item: text,
        hint: `Write NAME or NAME:P, such as ${name}:0.1.`,
      },
    );
  }
  return { name, probability };
}

const isCallFault = (name: Fault['name']): name is CallFault =>
  [...stores, ...habits].every((other) => other !== name);

export function planFaults(
  seed: number,
  faults: readonly Fault[],
  rule: FaultRule = () => undefined,
) {
  // Each fault has its own seeded generator, so that adding one does not change the others.
  const dice = faults.map(({ name, probability }) => {
    const random = streamOf(seed, 'fault', hashText(name));
    return { name, strikes: () => random() < probability };
  });
  const calls = new Map<OperationName, number>();
  return {
    strike(operation: OperationName, item: string): CallFault | undefined {
      const number = (calls.get(operation) ?? 0) + 1;
      calls.set(operation, number);
      // Every fault draws at every call, even if an earlier one strikes.
      const struck = dice.flatMap(({ name, strikes }) =>
        isCallFault(name) && strikes() ? [name] : [],
      );
      return rule({ operation, item, number }) ?? struck[0];
    },
    isOn: (fault: StoreFault | FeedHabit): boolean =>
      dice.filter(({ name }) => name === fault).some((die) => die.strikes()),
  };
}
