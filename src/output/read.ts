/** Reading a record by a column's dotted path. */
import { ExactNumber } from '../contract/fields.ts';
import type { Row } from '../row.ts';

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

/** The field `name` of an object (or item of an array, by its index); only what the service sent, nothing inherited. */
function ownField(container: unknown, name: string): unknown {
  if (!isContainer(container)) return undefined;
  if (Array.isArray(container) && !/^\d+$/.test(name)) return undefined;
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

/** Gives what stands at `path` (`company.hq.city`, `matches.0.person_id`) in a record; undefined where the path ends early. */
export function readerOf(path: string): (record: unknown) => unknown {
  const parts = path.split('.');
  return (record) => {
    let value = record;
    for (const part of parts) value = ownField(value, part);
    return value;
  };
}

/** Paths are column names, a few dozen, read once a row: each is taken apart once. */
const readers = new Map<string, (record: unknown) => unknown>();

/** What stands at `path` in a record, as `readerOf` reads it. */
export function valueAt(record: unknown, path: string): unknown {
  let reader = readers.get(path);
  if (reader === undefined) {
    reader = readerOf(path);
    readers.set(path, reader);
  }
  return reader(record);
}

/** The record that a row's columns are read from. */
export const recordOf = ({ record, shown }: Row): unknown => shown ?? record;
