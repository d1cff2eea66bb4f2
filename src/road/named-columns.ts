import { type Column, lastRank } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { operationsOfNames } from '../contract/recognise.ts';
import { objectColumn } from '../output/layout.ts';
import { itemColumn } from '../output/read.ts';
import { matchedByColumn, matchesColumn, originColumns } from './shape.ts';

interface NamedColumns {
  readonly columns: readonly Column[];
  readonly operation: OperationName | undefined;
  /** Tells whether a column is the operation's or pdi's. Others are the user's own. */
  readonly isKnown: (column: Pick<Column, 'name'>) => boolean;
}

/** The columns of pdi itself that a record may have. */
export const besideRecords: readonly Column[] = [itemColumn, matchesColumn, matchedByColumn, ...originColumns];

const added: readonly Column[] = [
  { name: 'input', kind: 'text', inTable: true },
  ...besideRecords,
  { name: 'pdi_status', kind: 'text', inTable: true, rank: lastRank },
  { name: 'pdi_error', kind: 'text', inTable: true, rank: lastRank },
];

/** Where a list was exploded, its column is gone, or holds an element. */
const columnsIn = ({ columns, members }: Endpoint): readonly Column[] => [
  ...columns.flatMap(({ element = [] }) => element),
  ...columns,
  ...(members?.columns ?? []),
];

export const knownNames: readonly string[] = [
  ...new Set([...added, ...Object.values(operations).flatMap(columnsIn)].map(({ name }) => name)),
];

/** A job writes a status; what answers no rows writes all columns of its operation. */
export const isWrittenByPdi = (header: readonly string[]): boolean =>
  header.some((name) => /(?:^|_)pdi_status(?:_\d+)?$/.test(name)) ||
  operationNames.some((name) => {
    const columns: readonly Column[] = operations[name].columns;
    return columns.every((column) => column.onlyInTable === true || header.includes(column.name));
  });

/** Operations with the same columns are one here. It is undefined where several differ. */
export function onlyOne(found: readonly OperationName[]): OperationName | undefined {
  const shapes = new Set(found.map((name) => JSON.stringify(operations[name].columns)));
  return shapes.size === 1 ? found[0] : undefined;
}

/** The list of which each row holds an element, where that stands whole under the list's name, as do the lists that were not exploded. */
function explodedWhole(names: readonly string[], columns: readonly Column[]): Column | undefined {
  const item = names.indexOf(itemColumn.name);
  const lists = columns.filter(({ name, element }) => item >= 0 && names.includes(name) && element !== undefined);
  const next = lists.find(({ name }) => name === names[item + 1]);
  const hasFields = columns.some(({ element = [] }) =>
    element.some(({ name }, at) => (at > 0 || element.length > 1) && names.includes(name)),
  );
  const list = hasFields ? undefined : (next ?? (lists.length === 1 ? lists[0] : undefined));
  if (list === undefined) return undefined;
  const [only] = list.element ?? [];
  return only?.name === list.name ? only : { ...objectColumn(list.name, list.element ?? []), inTable: true };
}

/** Names are unique. Without `from`, they tell the operation; if none is told, all but the added ones are text. */
export function namedColumns(
  names: readonly string[],
  { from, isJob }: { readonly from?: OperationName | undefined; readonly isJob: boolean },
): NamedColumns {
  const operation = from ?? onlyOne(operationsOfNames(names, isJob));
  const endpoint = operation && operations[operation];
  const ours: readonly Column[] = [...added, ...(endpoint === undefined ? [] : columnsIn(endpoint))];
  // What a file holds is shown, also where it sums up other columns.
  const byName = new Map(ours.map(({ onlyInTable: _, ...column }) => [column.name, column]));
  const exploded = endpoint && explodedWhole(names, endpoint.columns);
  if (exploded !== undefined) byName.set(exploded.name, exploded);
  const isContainer = (wanted: string) => ours.some((column) => column.name.startsWith(`${wanted}.`));
  const columns = names.map((wanted): Column => {
    const found = byName.get(wanted);
    if (found !== undefined) return found;
    return { ...(isContainer(wanted) ? objectColumn(wanted, endpoint?.columns ?? []) : { name: wanted, kind: 'text' }), inTable: true };
  });
  return { columns, operation, isKnown: (column) => byName.has(column.name) || isContainer(column.name) };
}
