/** Reading a record by a column's dotted path. */
import { isObject } from '../json.ts';
import type { Row } from '../row.ts';

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

/** Readers of many paths, for records with many columns: what several of them lie in is looked for once a record. */
export interface Readers {
  /** What the paths lie in, in one record. */
  readonly open: (record: unknown) => readonly unknown[];
  /** For each path, what reads it from there. */
  readonly readers: readonly ((opened: readonly unknown[]) => unknown)[];
}

/** The readers of these paths. */
export function readersOf(paths: readonly string[]): Readers {
  const holders = [...new Set(paths.map(holderOf))];
  const holderSteps = holders.map((path) => (path === '' ? [] : stepsOf(path)));
  const readers = paths.map((path) => {
    const [holder, step] = [holders.indexOf(holderOf(path)), stepOf(path.slice(path.lastIndexOf('.') + 1))];
    return (opened: readonly unknown[]) => taken(opened[holder], step);
  });
  const open = (record: unknown): readonly unknown[] => {
    // Not mapped, so that the engine sees one kind of array all the time.
    const opened: unknown[] = [];
    for (const steps of holderSteps) opened.push(walk(record, steps));
    return opened;
  };
  return { open, readers };
}

/** The path to what a path's last field is in; empty where that is the record itself. */
const holderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** The same for a record that is shown by itself; whoever reads row after row keeps a reader. */
export const valueAt = (record: unknown, path: string): unknown => readerOf(path)(record);

/** The record that a row's columns are read from. */
export const recordOf = ({ record, shown }: Row): unknown => shown ?? record;
