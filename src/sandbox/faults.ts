/** Faults on purpose: what `--fault NAME[:P]` means, and when one strikes. */
import type { OperationName } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { hashText, streamOf } from './dataset/random.ts';

/** Strike a call that passed every check, before it is executed: nothing is changed, nothing is billed. */
const before = ['reset', '503', '500'] as const;
/** Strike the answer of a call that was executed and, where it is charged, billed. */
const after = ['drop-after-billing', 'slow', 'truncate', 'malformed'] as const;
/** Seen by the health check alone. */
const stores = ['relational-store', 'analytics-store'] as const;

export type FaultBefore = (typeof before)[number];
export type FaultAfter = (typeof after)[number];
export type StoreFault = (typeof stores)[number];
export type CallFault = FaultBefore | FaultAfter;
export type FaultName = CallFault | StoreFault;

const callFaults: readonly CallFault[] = [...before, ...after];
export const faultNames: readonly FaultName[] = [...after, ...before, ...stores];

export interface Fault {
  readonly name: FaultName;
  /** In (0, 1]: the share of calls that it strikes. */
  readonly probability: number;
}

/** A call on the point of being executed, as a test's own rule sees it. */
interface FaultCall {
  readonly operation: OperationName;
  /** The path parameter, else the query string, else empty. */
  readonly item: string;
  /** Counts the calls of this operation that got this far, from 1. */
  readonly number: number;
}

export type FaultRule = (call: FaultCall) => CallFault | undefined;

export const isBefore = (fault: CallFault | undefined): fault is FaultBefore => before.some((name) => name === fault);

/** Reads `NAME` or `NAME:P`. Throws UsageError, with the names, for anything else. */
export function parseFault(text: string): Fault {
  const [, given = '', share] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const name = faultNames.find((known) => known === given);
  if (name === undefined) {
    throw new UsageError(`unknown fault: ${JSON.stringify(given)}`, { item: text, hint: `One of: ${faultNames.join(', ')}.` });
  }
  const probability = share === undefined ? 1 : /^\d*\.?\d+$/.test(share) ? Number(share) : Number.NaN;
  if (!(probability > 0 && probability <= 1)) {
    throw new UsageError(`the probability of fault ${name} must be above 0 and at most 1, not ${JSON.stringify(share)}`, {
      item: text,
      hint: `Write NAME or NAME:P, such as ${name}:0.1; NAME is one of: ${faultNames.join(', ')}.`,
    });
  }
  return { name, probability };
}

export interface FaultPlan {
  /** Asked once for each call that passed every check. The rule comes first, then the faults in the order given. */
  strike(operation: OperationName, item: string): CallFault | undefined;
  /** Asked once for each health check and store. */
  isDown(store: StoreFault): boolean;
}

/** One fault's own seeded luck: adding a fault leaves the others' draws alone. */
interface Die {
  readonly name: FaultName;
  strikes(): boolean;
}

const isCallFault = (name: FaultName): name is CallFault => callFaults.some((known) => known === name);

export function planFaults(seed: number, faults: readonly Fault[], rule: FaultRule = () => undefined): FaultPlan {
  const dice = faults.map(({ name, probability }): Die => {
    const random = streamOf(seed, 'fault')(hashText(name));
    return { name, strikes: () => random() < probability };
  });
  const callDice = dice.filter(({ name }) => isCallFault(name));
  const calls = new Map<OperationName, number>();
  return {
    strike(operation, item) {
      const number = (calls.get(operation) ?? 0) + 1;
      calls.set(operation, number);
      // Every fault draws at every call, also where an earlier one strikes.
      const struck = callDice.filter((die) => die.strikes()).map(({ name }) => name);
      return rule({ operation, item, number }) ?? struck.find(isCallFault);
    },
    isDown: (store) => dice.filter(({ name }) => name === store).some((die) => die.strikes()),
  };
}
