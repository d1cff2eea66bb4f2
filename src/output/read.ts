/** Reads the columns of a row, each by its dotted path into the record. */
import type { Column, FieldKind } from '../contract/columns.ts';
import { isObject } from '../json/parse.ts';
import type { ResultRow } from '../rows/row.ts';
import type { Layout } from './layout.ts';

/** Inherited properties such as `constructor` are ignored, because the service did not send them. */
function taken(container: unknown, step: string): unknown {
  if (Array.isArray(container)) return /^\d+$/.test(step) ? container[Number(step)] : undefined;
  return isObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
}

type Reader = (record: unknown) => unknown;

/** `--fields` and a CSV give objects whose keys are whole paths, and such a key wins. */
const wholeOr =
  (key: string, read: Reader): Reader =>
  (record) => {
    const whole = taken(record, key);
    return whole === undefined ? read(record) : whole;
  };

/** Returns a reader of `path` (`company.hq.city`, `matches.0.person_id`); it returns undefined if the path ends early. */
function readerOf(path: string): Reader {
  const steps = path.split('.');
  if (steps.length === 1) return (record) => taken(record, path);
  return wholeOr(path, (record) => steps.reduce(taken, record));
}

/** Returns a reader of a column, also from a flat object that has its name as a key; of several paths, the first that is filled counts. */
export function columnReader({ name, paths = [name] }: Pick<Column, 'name' | 'paths'>): Reader {
  const readers = paths.map(readerOf);
  const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
  const [only = readerOf(name)] = readers;
  const read: Reader = readers.length === 1 ? only : (record) => readers.map((one) => one(record)).find(isFilled);
  return paths[0] === name ? read : wholeOr(name, read);
}

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

/** Reads a column from a row; one that is called `input` shows what was asked for. */
export function rowReader(column: Column): (row: ResultRow) => unknown {
  if (column.name === 'input') return ({ input }) => input;
  const read = columnReader(column);
  return (row) => read(columnsFrom(row));
}

/** Reads a column of a file. The time of an answer is its row's: the record has it only in a file that pdi wrote. */
export function valueReader(column: Pick<Column, 'name' | 'paths'>): (record: unknown, row: ResultRow) => unknown {
  const read = columnReader(column);
  if (column.name !== 'pdi_fetched_at') return read;
  return (record, row) => (row.record && row.fetchedAt) ?? read(record);
}

/** A join already shows the input, so it needs no input column. */
export const showsInput = ({ job, own }: Layout): boolean => job && own === undefined;

/** A column of a csv or workbook. `record` is what the columns of the row are read from. */
export interface FileColumn extends Column {
  readonly title: string;
  readonly read: (record: unknown, row: ResultRow) => unknown;
}

/** Gives the columns that a csv or workbook has behind those of the input. A value that does not fit its column is left out. */
export function fileColumns(layout: Layout): readonly FileColumn[] {
  const { columns, job, titleOf = (name: string) => name } = layout;
  const ofRow = (name: string, kind: FieldKind, read: FileColumn['read']): FileColumn => {
    return { name, kind, title: titleOf(name), inTable: true, read };
  };
  const results = columns.map((column): FileColumn => {
    const read = valueReader(column);
    const { name, header = titleOf(name) } = column;
    return { ...column, title: header, read: (record, row) => (row.unfit?.has(name) === true ? undefined : read(record, row)) };
  });
  return [
    ...(showsInput(layout) ? [ofRow('input', 'id', (_record, { input }) => input)] : []),
    ...results,
    ...(job ? [ofRow('pdi_status', 'text', (_record, { status }) => status)] : []),
    ...(job ? [ofRow('pdi_error', 'text', (_record, { error }) => error)] : []),
  ];
}
