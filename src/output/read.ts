/** Reading a record by a column's dotted path. */
import { isObject } from '../json.ts';
import { KnownMembers } from '../members.ts';
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

/** The same for a record that is shown by itself; whoever reads row after row keeps a reader. */
export const valueAt = (record: unknown, path: string): unknown => readerOf(path)(record);

/** What becomes of a value, told its place in the list. */
type Show<T> = (value: unknown, place: number) => T;

/**
 * Puts what stands at each of many different paths in a record into a list, as `show` has it: the first path's at place `first`,
 * the others' behind it. Where nothing stands, the list stays as it is.
 */
export function readerOfAll<T>(paths: readonly string[], first: number, show: Show<T>): (record: unknown, list: T[]) => void {
  const branches = branchesOf(paths.map((path, index) => ({ names: path.split('.'), place: first + index })));
  return (record, list) => gather(record, branches, list, show);
}

/** What is wanted of a member: its value, at a place in the list; something in it; or both. */
interface Branch {
  readonly place: number | undefined;
  readonly inner: Branches | undefined;
}

interface Branches {
  readonly members: KnownMembers<Branch>;
  /** Those whose names may be the index of an item of an array. */
  readonly items: readonly { readonly index: number; readonly branch: Branch }[];
}

/** What is left of a path, and its place in the list. */
interface Rest {
  readonly names: readonly string[];
  readonly place: number;
}

function branchesOf(rests: readonly Rest[]): Branches {
  const groups = new Map<string, Rest[]>();
  for (const { names, place } of rests) {
    const [name = '', ...others] = names;
    groups.set(name, [...(groups.get(name) ?? []), { names: others, place }]);
  }
  const branches = new Map(Array.from(groups, ([name, group]) => [name, branchOf(group)]));
  const items = Array.from(branches).flatMap(([name, branch]) => {
    const { index } = stepOf(name);
    return index === undefined ? [] : [{ index, branch }];
  });
  return { members: new KnownMembers(branches), items };
}

function branchOf(group: readonly Rest[]): Branch {
  const inner = group.filter(({ names }) => names.length > 0);
  return {
    place: group.find(({ names }) => names.length === 0)?.place,
    inner: inner.length > 0 ? branchesOf(inner) : undefined,
  };
}

function gather<T>(container: unknown, { members, items }: Branches, list: T[], show: Show<T>): void {
  if (Array.isArray(container)) {
    for (const { index, branch } of items) put(container[index], branch, list, show);
    return;
  }
  if (!isObject(container)) return;
  let place = 0;
  // What is there, not what is wanted: most records lack most columns, and the engine reads a member that it has just named at once.
  for (const name in container) {
    const branch = members.at(place, name);
    place += 1;
    if (branch !== undefined) put(container[name], branch, list, show);
  }
}

function put<T>(value: unknown, { place, inner }: Branch, list: T[], show: Show<T>): void {
  if (place !== undefined) list[place] = show(value, place);
  if (inner !== undefined) gather(value, inner, list, show);
}

/** The record that a row's columns are read from. */
export const recordOf = ({ record, shown }: Row): unknown => shown ?? record;
