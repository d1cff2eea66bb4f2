/** Finds the operation that records came from, by their fields. */
import * as z from 'zod/mini';
import type { Column } from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { type OperationName, operations } from './operations.ts';

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);
const operationNames: readonly OperationName[] = Object.keys(operations).filter(isOperation);

/** Gives the operations whose documented answers explain all records and most of their fields; several fit only if they fit alike. */
export function operationsOfRecords(records: readonly Readonly<Record<string, unknown>>[]): readonly OperationName[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return best(names, (endpoint) => {
    const schema = recordSchema(endpoint);
    return records.every((record) => z.safeParse(schema, record).success) ? tops(endpoint.columns) : [];
  })
    .filter(({ hits }) => hits * 2 >= names.size)
    .map(({ name }) => name);
}

/** Gives the operations that have the most of these column names. Only jobs have rows with a status. */
export function operationsOfNames(names: readonly string[], isJob: boolean): readonly OperationName[] {
  return best(new Set(names), ({ askedBy, columns }) =>
    isJob && askedBy === undefined ? [] : [...columns.map(({ name }) => name), ...tops(columns)],
  ).map(({ name }) => name);
}

/** A dotted column is told by the field above it, which JSON shows. */
const tops = (columns: readonly Column[]): readonly string[] => columns.map(({ name }) => name.split('.', 1)[0] ?? name);

const recordSchema = ({ response, result }: Endpoint): z.core.$ZodType =>
  result === 'list' && response instanceof z.ZodMiniArray ? response.def.element : response;

interface Fit {
  readonly name: OperationName;
  readonly hits: number;
}

function best(names: ReadonlySet<string>, explained: (endpoint: Endpoint) => readonly string[]): readonly Fit[] {
  const fits = operationNames.map((name): Fit => {
    const known = new Set(explained(operations[name]));
    return { name, hits: [...known].filter((field) => names.has(field)).length };
  });
  const most = Math.max(...fits.map(({ hits }) => hits));
  return most === 0 ? [] : fits.filter(({ hits }) => hits === most);
}
