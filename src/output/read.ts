/** Reading a record by a column's dotted path. */
import { isObject } from '../json/parse.ts';
import type { ResultRow } from '../rows/result-row.ts';

/** One step of a path: a field's name, and the index that it is in an array, if it is one. */
interface Step {
  readonly name: string;
  readonly index: number | undefined;
  /** Whether objects have such a field though nobody sent it. */
  readonly inherited: boolean;
}

/** The field of an object, or the item of an array; only what the service sent, nothing inherited. */
function taken(container: unknown, { name, index, inherited }: Step): unknown {
  if (Array.isArray(container)) return index === undefined ? undefined : container[index];
  if (!isObject(container) || (inherited && !Object.hasOwn(container, name))) return undefined;
  return container[name];
}

const stepOf = (name: string): Step => ({
  name,
  index: /^\d+$/.test(name) ? Number(name) : undefined,
  inherited: name in Object.prototype,
});

const stepsOf = (path: string): readonly Step[] => path.split('.').map(stepOf);

const walk = (record: unknown, steps: readonly Step[]): unknown => {
  let value = record;
  for (const step of steps) value = taken(value, step);
  return value;
};

/** Gives what stands at `path` (`company.hq.city`, `matches.0.person_id`) in a record; undefined where the path ends early. */
export function readerOf(path: string): (record: unknown) => unknown {
  const steps = stepsOf(path);
  return (record) => walk(record, steps);
}

/** The same for a record that is shown by itself; whoever reads row after row keeps a reader. */
export const valueAt = (record: unknown, path: string): unknown => readerOf(path)(record);

/** One of the records that answer a row, with their number: a lookup may find several. */
export const amongMatches = (record: unknown, all: readonly unknown[]): unknown =>
  isObject(record) ? { ...record, pdi_matches: all.length } : record;

/** What a row's columns are read from: of several records, the first. */
export function columnsFrom({ record, shown }: ResultRow): unknown {
  if (shown !== undefined || record === undefined) return shown;
  const { value } = record;
  return Array.isArray(value) ? amongMatches(value[0], value) : value;
}
