/** Reads a record by a column's dotted path. */
import type { Column } from '../contract/columns.ts';
import { isObject } from '../json/parse.ts';
import type { ResultRow } from '../rows/result-row.ts';

interface Step {
  readonly name: string;
  readonly index: number | undefined;
  readonly inherited: boolean;
}

/** Inherited properties such as `constructor` are ignored, because the service did not send them. */
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

/** `--fields` and a CSV give objects whose keys are whole paths, and such a key wins. */
const isWhole = (record: unknown, path: string): record is Readonly<Record<string, unknown>> =>
  isObject(record) && record[path] !== undefined && Object.hasOwn(record, path);

/** Returns a reader of `path` (`company.hq.city`, `matches.0.person_id`); it returns undefined if the path ends early. */
export function readerOf(path: string): (record: unknown) => unknown {
  const steps = stepsOf(path);
  if (steps.length === 1) return (record) => walk(record, steps);
  return (record) => (isWhole(record, path) ? record[path] : walk(record, steps));
}

/** Returns a reader of a column, also from a flat object that has its name as a key; of several paths, the first that is filled counts. */
export function columnReader({ name, paths }: Pick<Column, 'name' | 'paths'>): (record: unknown) => unknown {
  const [only = name, ...others] = paths ?? [];
  const read = others.length === 0 ? readerOf(only) : firstFilled([only, ...others].map(readerOf));
  return only === name ? read : (record) => (isWhole(record, name) ? record[name] : read(record));
}

const firstFilled =
  (readers: readonly ((record: unknown) => unknown)[]) =>
  (record: unknown): unknown =>
    readers.map((read) => read(record)).find((value) => value !== undefined && value !== null && value !== '');

export const valueAt = (record: unknown, path: string): unknown => readerOf(path)(record);

/** Adds the number of matches to one record, because a lookup may find several. */
export const amongMatches = (record: unknown, all: readonly unknown[]): unknown =>
  isObject(record) ? { ...record, pdi_matches: all.length } : record;

/** Returns what the columns of a row are read from; of several records, this is the first. */
export function columnsFrom({ record, shown }: ResultRow): unknown {
  if (shown !== undefined || record === undefined) return shown;
  const { value } = record;
  return Array.isArray(value) ? amongMatches(value[0], value) : value;
}
