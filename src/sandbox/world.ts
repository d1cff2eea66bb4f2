/** Holds everything that changes while the sandbox runs: lists, the bill, counts of requests. */
import type { OperationName } from '../contract/operations.ts';
import type { ListKind, StoredList } from './dataset/lists.ts';
import { type Dataset, inventDataset } from './dataset.ts';
import { type FaultPlan, planFaults } from './faults.ts';
import type { SandboxSettings } from './options.ts';
import { SignalOrder } from './signal-order.ts';

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

export interface World {
  readonly dataset: Dataset;
  readonly order: SignalOrder;
  readonly faults: FaultPlan;
  readonly lists: Readonly<Record<ListKind, Map<string, StoredList>>>;
  readonly bill: BillEntry[];
  readonly requests: Map<OperationName, number>;
  readonly now: () => number;
}

function openLists(dataset: Dataset): World['lists'] {
  const lists: World['lists'] = { companies: new Map(), people: new Map(), investors: new Map() };
  for (const list of dataset.lists) lists[list.kind].set(list.id, list);
  return lists;
}

/** Worlds with the same data may share it. */
export function createWorld(settings: SandboxSettings, data?: Pick<World, 'dataset' | 'order'>): World {
  const dataset = data?.dataset ?? inventDataset(settings);
  return {
    dataset,
    lists: openLists(dataset),
    order: data?.order ?? new SignalOrder(dataset),
    faults: planFaults(settings.seed, settings.faults, settings.faultRule),
    bill: [],
    requests: new Map(),
    now: settings.now,
  };
}
