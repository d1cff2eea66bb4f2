/** `--explode LIST` gives a row for each element of a list, in every format with rows. */
import type { Column } from '../contract/columns.ts';
import type { RecordFields } from '../contract/recognise.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { ApiRecord, type ResultRow } from '../rows/row.ts';
import { cleanLine } from './clean.ts';
import { hintFor } from './layout.ts';
import { columnsFrom, valueAt } from './read.ts';

/** In a table the elements stand behind the two columns that tell the record, because a narrow terminal drops the last columns. */
const rank = 1.5;

/** The number of the element in its list, from 1; empty where there is no element. */
export const itemColumn: Column = { name: 'pdi_item', kind: 'count', inTable: true, rank };

/** Finds the columns of several lists, for formats that give each a table of its own. @throws UsageError for an unknown list */
export const listColumns = (columns: readonly Column[], lists: readonly string[]): readonly Column[] =>
  lists.flatMap((list) => {
    explodedColumns(columns, list);
    return columns.filter(({ name }) => name === list);
  });

/** Puts the columns of an element in the place of its list. Without columns no list is known. @throws UsageError for an unknown list */
export function explodedColumns(columns: readonly Column[], list: string): readonly Column[] {
  if (columns.some(({ name }) => name === itemColumn.name)) {
    throw new UsageError('--explode: these rows are elements already', { item: '--explode', hint: 'explode one list a run' });
  }
  const lists = columns.filter(({ element }) => element !== undefined).map(({ name }) => name);
  if (columns.length > 0 && !lists.includes(list)) {
    const hint = lists.length === 0 ? 'its records hold no list to explode; the members of a list are rows anyway' : hintFor([list], lists);
    throw new UsageError(`--explode: no list is called "${cleanLine(list)}"`, { item: '--explode', hint });
  }
  return columns.flatMap((column) => {
    const { name, element = [] } = column;
    return name === list ? [itemColumn, ...element.map((one): Column => ({ ...one, rank }))] : [column];
  });
}

type ColumnAt = (path: string) => Column | undefined;

/** `experience.title` is the title of the element, which the contract knows as `experience.0.title`. */
export const columnOfElement =
  (columnAt: ColumnAt, list: string): ColumnAt =>
  (path) => {
    const below = path.startsWith(`${list}.`) ? path.slice(list.length) : undefined;
    const column = columnAt(below === undefined ? path : `${list}.0${below}`);
    return column && { ...column, name: path };
  };

/** Puts `value` at a path, and at the key of that name which a CSV and `--fields` give. An object that is not there stays away. */
export function withValueAt(fields: RecordFields, path: string, value: unknown): RecordFields {
  const [name = '', ...below] = path.split('.');
  if (below.length === 0) return { ...fields, [path]: value };
  const inner = fields[name];
  const whole = Object.hasOwn(fields, path) ? { ...fields, [path]: value } : fields;
  return isObject(inner) ? { ...whole, [name]: withValueAt(inner, below.join('.'), value) } : whole;
}

/** Gives a row for each element, and one for a row without any if `keepsEmpty`. */
export function elementRows(row: ResultRow, list: string, keepsEmpty: boolean): readonly ResultRow[] {
  const { record, shown } = row;
  const value = columnsFrom({ status: row.status, record });
  const elements = valueAt(value, list);
  const rowOf = (element: unknown, item: number | null): ResultRow => {
    const exploded = (fields: RecordFields): RecordFields => ({ ...withValueAt(fields, list, element), [itemColumn.name]: item });
    return {
      ...row,
      ...(isObject(value) && { record: new ApiRecord(exploded(value)) }),
      ...(isObject(shown) && { shown: exploded(shown) }),
    };
  };
  if (Array.isArray(elements) && elements.length > 0) return elements.map((element: unknown, at) => rowOf(element, at + 1));
  return keepsEmpty ? [rowOf(null, null)] : [];
}
