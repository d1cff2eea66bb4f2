/** Decides the shape of the output before any row is known: what a formatter gets, and the columns and their names. */
import type { Column } from '../contract/columns.ts';
import type { CardSection } from '../contract/endpoint.ts';
import { nameKey } from '../contract/identifier.ts';
import { listed, type PdiError, UsageError } from '../errors.ts';
import { nearest } from '../rows/nearest.ts';
import type { OwnTable, ResultRow } from '../rows/row.ts';
import { cleanLine } from './clean.ts';

/** What the user chose of it. */
export interface Look {
  readonly isForTerminal: boolean;
  readonly color: boolean;
  readonly explode: string | undefined;
  readonly query: string | undefined;
  readonly header: boolean;
  readonly delimiter: string | undefined;
  /** A byte-order mark at the start makes Excel read CSV as UTF-8. */
  readonly bom: boolean;
  readonly formulaGuard: boolean;
  readonly textIds: boolean;
}

export interface Layout extends Look {
  readonly width: number;
  /** A person reads what a table says about itself. */
  readonly isRead?: boolean;
  readonly columns: readonly Column[];
  readonly chosen: boolean;
  /** Columns keep their dotted names, also in a format with nested fields. */
  readonly flat?: boolean;
  /** Cells of a table keep what they hold, whatever the type of their column. */
  readonly isOfCells?: boolean | undefined;
  /** What the rows are, as a sheet of them is called. */
  readonly records: string;
  readonly isSingle: boolean;
  readonly job: boolean;
  readonly own?: OwnTable;
  /** These fields of the record stand in the own columns. */
  readonly repeated?: readonly string[];
  readonly inputOf?: (row: ResultRow) => unknown;
  readonly titleOf?: (name: string) => string;
  readonly card?: readonly CardSection[];
  readonly picture?: readonly string[];
  /** Lists that a workbook shows as sheets of their own, a row an element (`--explode A,B`); `element` has all columns of the sheet. */
  readonly lists?: readonly Column[] | undefined;
  /** Without it, lines end as those of the CSV input, or with CRLF. */
  readonly lineEnd?: OwnTable['lineEnd'];
}

/** A string is written as UTF-8, bytes are written as they are. */
export type Output = string | Uint8Array;

/** Each function returns what to write now. `end` is called once, also after an early stop; then `complaint` and `remark` are known. */
export interface Formatter {
  rows(rows: readonly ResultRow[]): Output;
  end(): Output;
  /** It says why rows have another form than asked for. They are written anyway, because they may have been paid for. */
  complaint?(): PdiError | undefined;
  remark?(): string | undefined;
}

export function fieldNamesIn(fields: string): readonly string[] {
  const names = fields.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

export function objectColumn(name: string, columns: readonly Column[]): Column {
  return {
    name,
    kind: 'json',
    fields: columns.filter((column) => column.name.startsWith(`${name}.`)),
    inTable: false,
  };
}

/** `company` and `company.hq` for `company.hq.city`, so that `--fields` can choose them. */
const containersOf = (columns: readonly Column[]): readonly Column[] => {
  const paths = columns.map(({ name }) => name.split('.'));
  const names = new Set(
    paths.flatMap((steps) =>
      steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('.')),
    ),
  );
  return [...names].map((name) => objectColumn(name, columns));
};

const namesWithin = ({ name, element = [] }: Column): readonly string[] =>
  element
    .filter((one) => one.name !== name)
    .map((one) => `${name}.0${one.name.slice(name.length)}`);

/** The only name that ends so: `hq.city` is `company.hq.city`, unless a person has an `hq` too. */
function nameEndingIn(end: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.endsWith(`.${end}`));
  return found.length === 1 ? found[0] : undefined;
}

/** The shortest end of a name that `--fields` takes for it. */
export function shortName(name: string, names: readonly string[]): string {
  const steps = name.split('.');
  const ends = steps
    .slice(1)
    .map((_step, at) => steps.slice(at + 1).join('.'))
    .filter((end) => /^[a-z]\w*(?:\.\w+)*$/i.test(end));
  return ends.findLast((end) => !names.includes(end) && nameEndingIn(end, names) === name) ?? name;
}

/** Chooses columns by their names, by the end of one, or by any path into the record. @throws UsageError that names every unknown name and those near it */
export function chooseColumns(
  fields: string | undefined,
  all: readonly Column[],
  columnAt?: (path: string) => Column | undefined,
  onRequest: readonly Column[] = [],
): Pick<Layout, 'columns' | 'chosen'> {
  if (fields === undefined) return { columns: all, chosen: false };
  const byName = new Map(
    [...containersOf(all), ...all, ...onRequest].map((column) => [column.name, column]),
  );
  const known = [...all, ...onRequest].map(({ name }) => name);
  const names = fieldNamesIn(fields);
  if (names.length === 0)
    throw new UsageError('--fields names no field', { item: '--fields', hint: hintFor([], known) });
  const columns = names.map(
    (name) =>
      byName.get(name) ?? byName.get(nameEndingIn(name, known) ?? '') ?? columnAt?.(name) ?? name,
  );
  const unknown = columns.filter((column) => typeof column === 'string');
  if (unknown.length > 0) {
    const quoted = listed(unknown.map((name) => `"${cleanLine(name)}"`));
    const withinLists =
      columnAt !== undefined && unknown.some((name) => name.includes('.'))
        ? all.flatMap(namesWithin)
        : [];
    const near = hintFor(unknown, [...byName.keys(), ...withinLists]);
    throw new UsageError(`--fields: no field is called ${quoted}`, {
      item: '--fields',
      hint: near,
    });
  }
  return { columns: columns.filter((column) => typeof column !== 'string'), chosen: true };
}

const fewNames = 8;

export function hintFor(unknown: readonly string[], names: readonly string[]): string {
  if (names.length === 0) return 'this command has no fields to choose from';
  if (names.length <= fewNames || unknown.length === 0) return `valid names: ${listed(names)}`;
  return `the nearest names are ${listed([...new Set(unknown.flatMap((name) => nearest(name, names)))])}; --help of the command lists all`;
}

export const titleWord = (command: string): string => command.split(' ').at(-1) ?? '';

/** Gives each name, or the first of `name_2`, `name_3`, … that is not taken. */
function freeNames(taken: Set<string>, keyOf: (name: string) => string): (name: string) => string {
  // A table may have thousands of columns without a name, so it goes on from the last number.
  const numbers = new Map<string, number>();
  return (name) => {
    let free = name;
    let number = numbers.get(name) ?? 2;
    for (; taken.has(keyOf(free)); number += 1) free = `${name}_${number}`;
    numbers.set(name, number);
    taken.add(keyOf(free));
    return free;
  };
}

/** No name stands twice in a join: a title that the input has becomes `COMMAND_NAME`, or `COMMAND_NAME_2` where that is taken too. */
export function titlesBeside(
  { header }: { readonly header: readonly string[] },
  command: string,
): (name: string) => string {
  const taken = new Set(header.map(nameKey));
  const freeName = freeNames(taken, nameKey);
  return (name) => freeName(taken.has(nameKey(name)) ? `${command}_${name}` : name);
}

/** Gives each title of a join the name that `titlesBeside` had for it. The input's columns come first. */
export function namesBehind(
  titles: readonly string[],
  command: string,
  isResult: (name: string) => boolean,
): readonly string[] {
  const before = new Set<string>();
  return titles.map((title) => {
    const name = title.startsWith(`${command}_`) ? title.slice(command.length + 1) : undefined;
    const found =
      name &&
      [name.replace(/_\d+$/, ''), name].find((one) => before.has(nameKey(one)) && isResult(one));
    before.add(nameKey(title));
    return found || title;
  });
}

/** JSON and `--fields` need unique names, so the second of two, as `keyOf` tells them, is called `name_2`. */
export function uniqueNames(
  header: readonly string[],
  keyOf = (name: string): string => name,
): readonly string[] {
  const seen = new Set<string>();
  const freeName = freeNames(new Set(header.map(keyOf)), keyOf);
  return header.map((name) => {
    if (seen.has(keyOf(name))) return freeName(name);
    seen.add(keyOf(name));
    return name;
  });
}
