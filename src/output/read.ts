/** Reads the columns of a row, each by its dotted path into the record, and makes a row of each element of a list (`--explode LIST`). */
import { type Column, type FieldKind, isTakenBy } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { elementAt, isListStep, isObject, type JsonObject } from '../json/exact.ts';
import { ApiRecord, type ResultRow } from '../rows/row.ts';
import { cleanLine } from './clean.ts';
import { hintFor, type Layout } from './layout.ts';

/** Inherited properties such as `constructor` are ignored, because the service did not send them. */
function taken(container: unknown, step: string): unknown {
  if (Array.isArray(container)) return isListStep(step) ? elementAt(container, step) : undefined;
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

/** Reads `path` (`company.hq.city`, `matches.0.person_id`), or undefined if it ends early. */
function readerOf(path: string): Reader {
  const steps = path.split('.');
  if (steps.length === 1) return (record) => taken(record, path);
  return wholeOr(path, (record) => steps.reduce(taken, record));
}

/** Reads a column of a row. `record` is what `columnsFrom` gives for the row: it is told once a row, because to parse it may take long. */
export type ColumnReader = (record: unknown, row: ResultRow) => unknown;

/** The time of an answer, and what was given for it, are its row's: a record has them only in a file that pdi wrote. */
export function columnReader(column: Pick<Column, 'name' | 'paths'>): ColumnReader {
  const read = pathsReader(column);
  if (column.name === 'pdi_fetched_at')
    return (record, row) => (row.record && row.fetchedAt) ?? read(record);
  return column.name === 'pdi_input'
    ? (record, { inputValue }) => inputValue ?? read(record)
    : read;
}

/** Reads also from a flat object that has the name as a key; of several paths, the first that is filled counts. */
function pathsReader({ name, paths = [name] }: Pick<Column, 'name' | 'paths'>): Reader {
  const readers = paths.map(readerOf);
  const isFilled = (value: unknown): boolean =>
    value !== undefined && value !== null && value !== '';
  const [only = readerOf(name)] = readers;
  const read: Reader =
    readers.length === 1 ? only : (record) => readers.map((one) => one(record)).find(isFilled);
  return paths[0] === name ? read : wholeOr(name, read);
}

export const valueAt = (record: unknown, path: string): unknown => readerOf(path)(record);

export const amongMatches = (record: unknown, all: readonly unknown[]): unknown =>
  isObject(record) ? { ...record, pdi_matches: all.length } : record;

/** Returns what the columns of a row are read from; of several records, this is the first. */
export function columnsFrom({ record, shown }: ResultRow): unknown {
  if (shown !== undefined || record === undefined) return shown;
  const { value } = record;
  if (Array.isArray(value)) return amongMatches(value[0], value);
  // What has no fields is a field itself.
  return isObject(value) ? value : { value };
}

/** A job puts them at the end of each row. */
export const statusNames = ['pdi_status', 'pdi_error'] as const;

export interface FileColumn extends Column {
  readonly title: string;
  readonly read: ColumnReader;
}

/** A value of another type than its column's is left out. */
export function typedReader(column: Column): ColumnReader {
  const read = columnReader(column);
  return (record, row) => {
    const value = read(record, row);
    return isTakenBy(column.kind, value) ? value : undefined;
  };
}

/** Beside the record: the columns of the input, or what was asked for, and what became of it. */
export function columnsBeside({ job, own, titleOf = String }: Layout) {
  const column = (title: string, kind: FieldKind, read: ColumnReader): FileColumn => {
    return { name: title, title, kind, inTable: true, read };
  };
  const input = job ? [column('input', 'id', (_record, { input }) => input)] : [];
  const status = column(titleOf('pdi_status'), 'text', (_record, { status }) => status);
  const error = column(titleOf('pdi_error'), 'text', (_record, { error }) => error);
  return {
    before:
      own?.header.map((name, at) =>
        column(name, 'text', (_record, row) => row.own?.cells[at] ?? ''),
      ) ?? input,
    after: job ? [status, error] : [],
  };
}

/** The columns of the record in a csv or workbook. */
export function fileColumns({
  columns,
  isOfCells,
  titleOf = String,
}: Layout): readonly FileColumn[] {
  const readerOf = isOfCells === true ? columnReader : typedReader;
  return columns.map((column) => {
    const { name, header: title = titleOf(name) } = column;
    return { ...column, title, read: readerOf(column) };
  });
}

/** In a table the elements stand behind the two columns that tell the record, because a narrow terminal drops the last columns. */
const rank = 1.5;

export const itemColumn: Column = { name: 'pdi_item', kind: 'count', inTable: true, rank };

/** Finds several lists, each with the columns of a table of its own: what tells the record, whatever `--fields` chose, and the element. @throws UsageError */
export function listTables(
  columns: readonly Column[],
  lists: readonly string[],
): readonly Column[] {
  const id = columns.find(({ kind }) => kind === 'id');
  const identity = columns.filter((column) => column === id || namesRecord(column));
  return lists.flatMap((list) => {
    explodedColumns(columns, list);
    const found = columns.filter(({ name }) => name === list);
    return found.map(({ element = [], ...column }) => ({
      ...column,
      element: [...identity, itemColumn, ...element],
    }));
  });
}

/** Of the record itself, or of what it is about. */
const namesRecord = ({ name }: Column): boolean =>
  /^(?:\w+\.)?(?:full_name|investor_name|company_name|name)$/.test(name);

/** Says whose row it is. */
export const tellsRow = (column: Column): boolean =>
  column.kind === 'id' || column.name === itemColumn.name || namesRecord(column);

/** Puts the columns of an element in the place of its list. Without columns no list is known. @throws UsageError for an unknown list */
export function explodedColumns(columns: readonly Column[], list: string): readonly Column[] {
  if (columns.some(({ name }) => name === itemColumn.name)) {
    throw new UsageError('--explode: these rows are elements already', {
      item: '--explode',
      hint: 'explode one list a run',
    });
  }
  const lists = columns.filter(({ element }) => element !== undefined).map(({ name }) => name);
  if (columns.length > 0 && !lists.includes(list)) {
    const hint =
      lists.length === 0
        ? 'its records hold no list to explode; the members of a list are rows anyway'
        : hintFor([list], lists);
    throw new UsageError(`--explode: no list is called "${cleanLine(list)}"`, {
      item: '--explode',
      hint,
    });
  }
  return columns.flatMap((column) => {
    const { name, element = [] } = column;
    return name === list
      ? [itemColumn, ...element.map((one): Column => ({ ...one, rank }))]
      : [column];
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
export function withValueAt(fields: JsonObject, path: string, value: unknown): JsonObject {
  const [name = '', ...below] = path.split('.');
  if (below.length === 0) return { ...fields, [path]: value };
  const inner = fields[name];
  const whole = Object.hasOwn(fields, path) ? { ...fields, [path]: value } : fields;
  return isObject(inner) ? { ...whole, [name]: withValueAt(inner, below.join('.'), value) } : whole;
}

export function* elementRows(
  row: ResultRow,
  list: string,
  keepsEmpty: boolean,
): Generator<ResultRow> {
  const { record, shown } = row;
  const value = columnsFrom({ status: row.status, record });
  const elements = valueAt(value, list);
  const rowOf = (element: unknown, item: number | null): ResultRow => {
    const exploded = (fields: JsonObject): JsonObject => ({
      ...withValueAt(fields, list, element),
      [itemColumn.name]: item,
    });
    return {
      ...row,
      ...(isObject(value) && { record: new ApiRecord(exploded(value)) }),
      ...(isObject(shown) && { shown: exploded(shown) }),
    };
  };
  let item = 0;
  if (Array.isArray(elements)) for (const element of elements) yield rowOf(element, ++item);
  // What the service sends in place of a list is shown as it came.
  if (item === 0 && keepsEmpty)
    yield rowOf(Array.isArray(elements) ? null : (elements ?? null), null);
}

const elementsAtOnce = 1000;

/** One record may hold a list of hundreds of thousands, and cells take far more memory than their text. */
export function* elementPages(
  rows: readonly ResultRow[],
  list: string,
): Generator<readonly ResultRow[]> {
  let page: ResultRow[] = [];
  for (const row of rows) {
    for (const element of elementRows(row, list, true)) {
      if (page.push(element) < elementsAtOnce) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}
