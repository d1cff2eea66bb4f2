/** Finds the operation that records came from, by their fields. */
import * as z from 'zod/mini';
import { type Column, recordSchema, topFields } from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { type OperationName, operations } from './operations.ts';

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);
const operationNames: readonly OperationName[] = Object.keys(operations).filter(isOperation);

/** Gives the operations whose documented answers explain all records and most of their fields; several fit only if they fit alike. */
export function operationsOfRecords(records: readonly Readonly<Record<string, unknown>>[]): readonly OperationName[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return best(names, (endpoint) => {
    const schema = recordSchema(endpoint);
    return records.every((record) => z.safeParse(schema, record).success) ? topFields(schema) : [];
  })
    .filter(({ hits }) => hits * 2 >= names.size)
    .map(({ name }) => name);
}

/** Gives the operations that have the most of these column names. Only jobs have rows with a status. */
export function operationsOfNames(names: readonly string[], isJob: boolean): readonly OperationName[] {
  return best(new Set(names), ({ askedBy, columns, members }) =>
    isJob && askedBy === undefined ? [] : [...[...columns, ...(members?.columns ?? [])].map(({ name }) => name), ...tops(columns)],
  ).map(({ name }) => name);
}

/** A dotted column is told by the field above it, which JSON shows. */
const tops = (columns: readonly Column[]): readonly string[] => columns.map(({ name }) => name.split('.', 1)[0] ?? name);

interface Fit {
  readonly name: OperationName;
  readonly hits: number;
  readonly missing: number;
}

function best(names: ReadonlySet<string>, explained: (endpoint: Endpoint) => readonly string[]): readonly Fit[] {
  const fits = operationNames.map((name): Fit => {
    const known = [...new Set(explained(operations[name]))];
    const hits = known.filter((field) => names.has(field)).length;
    return { name, hits, missing: known.length - hits };
  });
  const most = Math.max(...fits.map(({ hits }) => hits));
  const best = fits.filter(({ hits }) => hits === most);
  // The three columns of a resolve are also some of a profile's forty, but here they are all that it has.
  const whole = best.filter(({ missing }) => missing === 0);
  return most === 0 ? [] : whole.length > 0 ? whole : best;
}
