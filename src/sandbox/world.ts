/** Holds everything that changes while the sandbox runs: lists, credits, the bill, counts of requests. */
import type { OperationName } from '../contract/operations.ts';
import { type Dataset, inventDataset } from './dataset.ts';
import { planFaults } from './faults.ts';
import { openAccounts } from './gate.ts';
import type { SandboxSettings } from './options.ts';

export interface BillEntry {
  readonly at: string;
  readonly operation: OperationName;
  readonly method: string;
  /** The path below the base URL, with the query string. */
  readonly path: string;
  /** The path parameter, else the query string, else empty. */
  readonly item: string;
  /** The last four characters of the key. */
  readonly key: string;
  readonly credits: number;
}

export type World = ReturnType<typeof createWorld>;

/** Worlds with the same data may share it. */
export function createWorld(settings: SandboxSettings, dataset: Dataset = inventDataset(settings)) {
  const bill: BillEntry[] = [];
  return {
    settings,
    dataset,
    lists: new Map(dataset.lists.map((list) => [list.id, list])),
    faults: planFaults(settings.seed, settings.faults, settings.faultRule),
    accounts: openAccounts(settings),
    bill,
    requests: new Map<OperationName, number>(),
  };
}
