/** Finds the lists inside an object, whose records somebody meant where the object itself is none. Pure. */
import { isObject } from '../json/parse.ts';

export interface InnerList {
  /** It is the dotted name of the list. */
  readonly name: string;
  /** It is a filter of jq that gives the elements one by one. */
  readonly filter: string;
  readonly elements: readonly unknown[];
}

/** Deeper lists than this are parts of a record. */
const maxDepth = 4;

/** Gives the list whose elements are wanted, else the first list of records, else the first list. */
export function innerList(record: unknown, isWanted: (element: unknown) => boolean): InnerList | undefined {
  const lists = listsIn(record, '', '', maxDepth);
  return lists.find(({ elements }) => elements.some(isWanted)) ?? lists.find(({ elements }) => elements.every(isObject)) ?? lists[0];
}

function listsIn(value: unknown, name: string, filter: string, depth: number): readonly InnerList[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) {
    if (value.length === 0 || name === '') return [];
    return [{ name, filter: `${filter}[]`, elements: value }, ...together(value, name, `${filter}[]`, depth)];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    listsIn(
      inner,
      name === '' ? key : `${name}.${key}`,
      filter + (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `${filter === '' ? '.' : ''}[${JSON.stringify(key)}]`),
      depth - 1,
    ),
  );
}

/** Lists of one name in the records of a list are one. */
function together(records: readonly unknown[], name: string, filter: string, depth: number): readonly InnerList[] {
  const found = new Map<string, InnerList>();
  for (const list of records.filter(isObject).flatMap((record) => listsIn(record, '', '', depth - 1))) {
    const earlier = found.get(list.filter)?.elements ?? [];
    found.set(list.filter, { name: `${name}.${list.name}`, filter: filter + list.filter, elements: [...earlier, ...list.elements] });
  }
  return [...found.values()];
}
