/** Decides the shape of the output before any row is known. */
import type { Column } from '../contract/columns.ts';
import type { CardName, PictureName } from '../contract/endpoint.ts';
import { nearest } from '../contract/nearest.ts';
import { UsageError } from '../errors.ts';
import type { OwnTable } from '../rows/input-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { cleanLine } from './clean.ts';
import { columnReader } from './read.ts';

export interface Layout {
  readonly columns: readonly Column[];
  readonly chosen: boolean;
  /** Columns keep their dotted names, also in a format with nested fields. */
  readonly flat?: boolean;
  readonly command?: string;
  readonly one: boolean;
  readonly job: boolean;
  readonly own?: OwnTable;
  /** Gives the row of the input, which JSON adds to a record as `pdi_input`. */
  readonly inputOf?: (row: ResultRow) => unknown;
  readonly titleOf?: (name: string) => string;
  readonly card?: CardName;
  readonly picture?: PictureName;
}

const namesIn = (fields: string): readonly string[] => [
  ...new Set(
    fields
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Returns the parents of columns (`company` and `company.hq` for `company.hq.city`), so that `--fields` can choose them. */
const containersOf = (columns: readonly Column[]): readonly Column[] => {
  const paths = columns.map(({ name }) => name.split('.'));
  const names = new Set(paths.flatMap((steps) => steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('.'))));
  return [...names].map((name) => ({ name, kind: 'json', inTable: false }));
};

interface ColumnChoice {
  readonly all: readonly Column[];
  readonly fields: string | undefined;
  readonly onRequest?: readonly Column[];
  readonly columnAt?: ((path: string) => Column | undefined) | undefined;
}

/** Chooses columns by their names, or by any path into the record. @throws UsageError that names every unknown name and those near it */
export function chooseColumns({ all, fields, onRequest = [], columnAt }: ColumnChoice): Pick<Layout, 'columns' | 'chosen'> {
  if (fields === undefined) return { columns: all, chosen: false };
  const byName = new Map([...containersOf(all), ...all, ...onRequest].map((column) => [column.name, column]));
  const known = [...all, ...onRequest].map(({ name }) => name);
  const names = namesIn(fields);
  if (names.length === 0) throw new UsageError('--fields names no field', { item: '--fields', hint: hintFor([], known) });
  const columns = names.map((name) => byName.get(name) ?? columnAt?.(name) ?? name);
  const unknown = columns.filter((column) => typeof column === 'string');
  if (unknown.length > 0) {
    const quoted = unknown.map((name) => `"${cleanLine(name)}"`).join(', ');
    throw new UsageError(`--fields: no field is called ${quoted}`, { item: '--fields', hint: hintFor(unknown, [...byName.keys()]) });
  }
  return { columns: columns.filter((column) => typeof column !== 'string'), chosen: true };
}

const fewNames = 12;

export function hintFor(unknown: readonly string[], known: readonly string[]): string {
  if (known.length === 0) return 'this command has no fields to choose from';
  if (known.length <= fewNames || unknown.length === 0) return `valid names: ${known.join(', ')}`;
  return `the nearest names are ${unknown.map((name) => nearest(name, known).join(', ')).join('; ')}; --help of the command lists all`;
}

/** A join already shows the input, so it needs no input column. */
export const showsInput = ({ job, own }: Layout): boolean => job && own === undefined;

/** A column of a csv or workbook. `record` is what the columns of the row are read from. */
export interface FileColumn extends Pick<Column, 'name' | 'kind' | 'dateTime'> {
  readonly title: string;
  readonly read: (record: unknown, row: ResultRow) => unknown;
}

/** Gives the columns that a csv or workbook has behind those of the input. A value that does not fit its column is left out. */
export function fileColumns(layout: Layout): readonly FileColumn[] {
  const { columns, job, titleOf = (name: string) => name } = layout;
  const own = (name: string, kind: Column['kind'], title: string, read: (row: ResultRow) => string): FileColumn => ({
    ...{ name, kind, title },
    read: (_record, row) => read(row),
  });
  const results = columns.map((column): FileColumn => {
    const read = columnReader(column);
    const { name, header = titleOf(name) } = column;
    return { ...column, title: header, read: (record, { unfit }) => (unfit?.has(name) === true ? undefined : read(record)) };
  });
  return [
    ...(showsInput(layout) ? [own('input', 'id', 'input', ({ input }) => input ?? '')] : []),
    ...results,
    ...(job ? [own('pdi_status', 'text', titleOf('pdi_status'), ({ status }) => status)] : []),
    ...(job ? [own('pdi_error', 'text', titleOf('pdi_error'), ({ error }) => error ?? '')] : []),
  ];
}

export const titleWord = (command: string): string => command.split(' ').at(-1) ?? '';

/** No name stands twice in a join: a title that the input has becomes `COMMAND_NAME`, or `COMMAND_NAME_2` where that is taken too. */
export function titlesBeside({ header }: Pick<OwnTable, 'header'>, command: string): (name: string) => string {
  const taken = new Set(header.map((name) => name.trim()));
  const titles = new Map<string, string>();
  return (name) => {
    const given = titles.get(name);
    if (given !== undefined) return given;
    let title = taken.has(name) ? `${command}_${name}` : name;
    for (let number = 2; taken.has(title); number += 1) title = `${command}_${name}_${number}`;
    taken.add(title);
    titles.set(name, title);
    return title;
  };
}

/** Gives each title of a join the name that `titlesBeside` had for it. The input's columns come first. */
export function namesBehind(titles: readonly string[], command: string): readonly string[] {
  const places = new Map(titles.map((title, at) => [title.trim(), at]));
  const names = [...titles];
  for (const [name, first] of places) {
    let last = first;
    let title = `${command}_${name}`;
    for (let number = 2; (places.get(title) ?? 0) > last; number += 1) {
      last = places.get(title) ?? last;
      title = `${command}_${name}_${number}`;
    }
    if (last > first) names[last] = name;
  }
  return names;
}

/** JSON and `--fields` need unique names, so the second of two is called `name_2`. */
export function uniqueNames(header: readonly string[]): readonly string[] {
  const taken = new Set(header);
  const seen = new Set<string>();
  return header.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    let number = 2;
    while (taken.has(`${name}_${number}`)) number += 1;
    taken.add(`${name}_${number}`);
    return `${name}_${number}`;
  });
}
