/** What the records of a command are: their columns, and how a person sees them. A formatter follows from that, and from what the user chose. */
import { type Column, columnAt, isAtOrBelow, lastRank, recordSchema } from '../contract/columns.ts';
import type { Endpoint, Members } from '../contract/endpoint.ts';
import { nameKey } from '../contract/identifier.ts';
import type { MisfitFinder } from '../contract/misfits.ts';
import { listed, UsageError } from '../errors.ts';
import { partOf } from '../input/separated.ts';
import { widthOf } from '../io.ts';
import { isObject } from '../json/exact.ts';
import {
  createFormatter,
  hasOwnColumns,
  isJsonFormat,
  isTabSeparated,
  type OutputFormat,
  refuseForeignName,
  refuseIdleExplode,
  refuseIdleTableFlags,
} from '../output/formats.ts';
import {
  chooseColumns,
  type Formatter,
  fieldNamesIn,
  type Layout,
  titlesBeside,
  titleWord,
  uniqueNames,
} from '../output/layout.ts';
import type { RowFilter } from '../output/query.ts';
import { columnOfElement, explodedColumns, listTables, statusNames } from '../output/read.ts';
import { ApiRecord, type OwnTable, type ResultRow } from '../rows/row.ts';
import type { Show } from './plan.ts';
import type { Say, Tools } from './tools.ts';

/** Some lookups find several records for a row. Tables show the first, and say that there are more. */
export const matchesColumn: Column = {
  name: 'pdi_matches',
  kind: 'count',
  inTable: true,
  rank: lastRank,
};

/** Where `--column` names several columns, each record says whose identifier it answers. */
export const matchedByColumn: Column = {
  name: 'pdi_matched_by',
  kind: 'text',
  inTable: true,
  rank: lastRank,
};

const fetchedAtColumn: Column = {
  name: 'pdi_fetched_at',
  kind: 'date',
  dateTime: 'utc',
  inTable: true,
};

/** What was given for a row (`--with-input`), as far as it is neither the input nor own columns. */
export const inputColumn: Column = { name: 'pdi_input', kind: 'json', inTable: false };

export const originColumns: readonly Column[] = [
  { name: 'pdi_source', kind: 'text', inTable: true },
  fetchedAtColumn,
];

/** What earlier commands wrote into the own rows. */
export interface Earlier {
  /** The result in each of their columns, by its place, and whether an earlier run of this command wrote it. */
  readonly columns: ReadonlyMap<number, { readonly name: string; readonly isOfThis: boolean }>;
  /** These columns of the answers are the identifier that was read, which stays. */
  readonly repeated: readonly string[];
}

export interface RecordShape {
  /** What they are, where no operation says so. */
  readonly records?: string | undefined;
  /** The records are of this operation: it has a card or a picture of them, and columns that `--fields` may name. */
  readonly endpoint?: Endpoint | undefined;
  readonly columns: readonly Column[];
  readonly columnAt?: (path: string) => Column | undefined;
  /** Records of a file may hold parts of what the operation sends. */
  readonly misfitsOf?: MisfitFinder | undefined;
  readonly flat?: boolean | undefined;
  readonly isOfCells?: boolean | undefined;
  readonly isSingle?: boolean | undefined;
  readonly job?: boolean | undefined;
  readonly own?: OwnTable | undefined;
  readonly earlier?: Earlier | undefined;
  /** The command that answered the own rows, if it is not this one. */
  readonly titledBy?: string | undefined;
  /** Cells come from a csv that was guarded already, or was not to be, so they are written as they are. */
  readonly copied?: Pick<OwnTable, 'lineEnd'>;
  /** The records come from a file, which is read as a list even if it holds one record. */
  readonly isFile?: boolean;
  /** Rows of the file have what was given for them, which json shows beside each record. */
  readonly hasInput?: boolean;
}

function columnFinder({ columnAt: at, endpoint }: RecordShape): RecordShape['columnAt'] {
  if (at === undefined && endpoint?.isMade === true)
    return (name) => ({ name, kind: 'json', inTable: true });
  return at ?? (endpoint && ((path) => columnAt(recordSchema(endpoint), path)));
}

const columnsOnRequest = ({ endpoint, isFile }: RecordShape): readonly Column[] =>
  endpoint?.stored === true && isFile !== true ? originColumns : [];

/** A narrower terminal is treated as this wide, because no readable text would fit. */
const minWidth = 20;

/** `one` means a single record, though its rows may be the elements of a list. */
export interface Formatting {
  readonly formatter: Formatter;
  readonly filter: RowFilter | undefined;
  /** Gives a row its values of pdi's own columns; undefined where none of them is shown. */
  readonly completed: ((row: ResultRow) => ResultRow) | undefined;
  readonly isSingle: boolean;
}

/** `goesOn`: the file has its beginning already. @throws UsageError for flags that contradict each other, the format or the fields */
export async function formatting(
  show: Show,
  { io, say }: Tools,
  shape: RecordShape,
  goesOn = false,
): Promise<Formatting> {
  const { command, format, isForTerminal } = show;
  const { job = false, own } = shape;
  refuseForeignName(show.out, format);
  refuseIdleTableFlags(show, format);
  refuseIdleExplode(show.explode, format);
  const filter = show.where === undefined ? undefined : await filterOf(show.where, say, shape);
  const listed = filter === undefined ? shape : { ...shape, isSingle: false };
  const names = fieldNamesIn(show.explode ?? '');
  const lists = names.length > 1 ? severalLists(names, format, listed.columns) : undefined;
  // One list may be named twice, or with blanks and a comma behind it.
  const list = lists === undefined ? (names[0] ?? show.explode) : undefined;
  const known = list === undefined ? listed : exploded(listed, list);
  const { card, picture } = (list === undefined && shape.endpoint) || {};
  const choice = chosenColumns(show, known);
  const joined =
    own !== undefined && hasOwnColumns(format) ? joinOf(own, shape, choice.columns) : undefined;
  const layout: Layout = {
    ...show,
    ...choice,
    columns: joined?.columns ?? choice.columns,
    records: shape.records ?? shape.endpoint?.records ?? command,
    flat: shape.flat === true,
    isOfCells: shape.isOfCells,
    isSingle: known.isSingle === true,
    job,
    ...inputReader(show, shape),
    ...(joined !== undefined && {
      own: joined.own,
      repeated: joined.repeated,
      titleOf: titlesBeside(joined.own, titleWord(shape.titledBy ?? command)),
    }),
    ...(card !== undefined && filter === undefined && isForTerminal && { card }),
    ...(picture !== undefined && !job && wantsPictures(show) && { picture }),
    width: Math.max(minWidth, widthOf(isForTerminal ? io.stdout : {})),
    isRead: isForTerminal && !say.isJson(),
    explode: list,
    lists,
    header: show.header && !goesOn,
    delimiter: delimiterOf(show, own),
    bom: show.bom && !goesOn,
    formulaGuard: show.formulaGuard && shape.copied === undefined,
    ...shape.copied,
  };
  const formatter = await createFormatter(format, layout);
  if (show.query !== undefined && show.explode === undefined)
    await checkQuery(show.query, format, layout, listed, say);
  const completed = ownValues(show, shape);
  const cut = joined?.cut;
  const both =
    completed === undefined || cut === undefined
      ? (completed ?? cut)
      : (row: ResultRow) => cut(completed(row));
  return { formatter, filter, completed: both, isSingle: listed.isSingle === true };
}

/** What an earlier run wrote is replaced: columns of these names, and all of the same command, whose cells would stand beside a new status. */
function joinOf(own: OwnTable, { earlier, job }: RecordShape, results: readonly Column[]) {
  const { columns: written = new Map<number, never>(), repeated = [] } = earlier ?? {};
  const columns = results.filter(({ name }) => !repeated.includes(name));
  const names = new Set(
    [...results.map(({ name }) => name), ...(job === true ? statusNames : [])].map(nameKey),
  );
  const isReplaced = (at: number): boolean => {
    const column = written.get(at);
    return (
      column !== undefined &&
      own.read?.includes(at) !== true &&
      (column.isOfThis || names.has(column.name))
    );
  };
  const places = [...own.header.keys()].filter((at) => !isReplaced(at));
  if (places.length === own.header.length) return { own, columns, repeated };
  const part = partOf(own, places);
  const cut = (row: ResultRow): ResultRow =>
    row.own === undefined ? row : { ...row, own: part.cut(row.own) };
  return { own: part.own, columns, repeated, cut };
}

/** A csv keeps the separator of its input, but tabs are for a file whose name asks for them. */
function delimiterOf({ delimiter, out }: Show, own: OwnTable | undefined): string | undefined {
  if (delimiter !== undefined) return delimiter;
  if (isTabSeparated(out)) return '\t';
  return own?.delimiter === '\t' ? ',' : undefined;
}

/** `--fields` may name either column of the origin. Records of a file have theirs. */
function ownValues({ fields = '' }: Show, shape: RecordShape): Formatting['completed'] {
  if (shape.isFile === true) return undefined;
  const named = fieldNamesIn(fields);
  const columns = columnsOnRequest(shape).filter(({ name }) => named.includes(name));
  const isMatched = shape.columns.includes(matchedByColumn);
  if (columns.length === 0 && !isMatched) return undefined;
  const [showsSource, showsTime] = originColumns.map((column) => columns.includes(column));
  return (row) => {
    const { record, status, source = 'service', fetchedAt = null, field = null } = row;
    const origin = {
      ...(showsSource && { pdi_source: source }),
      ...(showsTime && { pdi_fetched_at: fetchedAt }),
    };
    if (record === undefined)
      return fetchedAt !== null && columns.length > 0 ? { ...row, shown: origin } : row;
    const own = { ...origin, ...(isMatched && { pdi_matched_by: status === 'ok' ? field : null }) };
    const { value } = record;
    const added = (value: unknown): unknown => (isObject(value) ? { ...value, ...own } : value);
    return {
      ...row,
      record: new ApiRecord(Array.isArray(value) ? value.map(added) : added(value)),
    };
  };
}

const isUndescribed = ({ columns, endpoint }: RecordShape): boolean =>
  columns.length === 0 || endpoint?.isMade === true;

async function filterOf(
  expression: string,
  { notice }: Say,
  shape: RecordShape,
): Promise<RowFilter> {
  const { isSingle, isFile } = shape;
  if (isSingle === true && isFile !== true) {
    const hint = 'leave it out; --fields and --query choose from one record';
    throw new UsageError('--where keeps records of a list, and this command gives one record', {
      item: '--where',
      hint,
    });
  }
  const [{ RowFilter, refuseMistakes, undocumentedFields }, { refuseNeverTrue }] =
    await Promise.all([import('../output/query.ts'), import('../output/query-types.ts')]);
  const filter = new RowFilter(expression);
  if (isUndescribed(shape)) return filter;
  const unknown = undocumentedFields('--where', expression, fieldsOf(shape), 'record');
  for (const remark of refuseNeverTrue(expression, {
    flag: '--where',
    columnAt: typedColumns(shape),
    root: 'record',
  }))
    notice(remark);
  // A file may have columns of the user's own, and costs nothing.
  if (isFile === true) return filter;
  refuseMistakes(unknown, expression, fieldsOf(shape));
  if (unknown.length > 0)
    notice(`--where names ${listed(unknown)}, which the API does not document for this command`);
  return filter;
}

/** A query sees the document of json, or each record of ndjson; with `--fields` it sees those alone. */
async function checkQuery(
  query: string,
  format: OutputFormat,
  { isSingle, chosen, columns }: Layout,
  shape: RecordShape,
  say: Say,
): Promise<void> {
  // The answer to a row may itself be a list, and nothing tells the fields of a file of any kind.
  const isUnknown = isUndescribed(shape) || shape.columns.includes(matchesColumn);
  if (isUnknown || shape.flat === true || !isJsonFormat(format)) return;
  const [{ undocumentedFields }, { refuseNeverTrue }] = await Promise.all([
    import('../output/query.ts'),
    import('../output/query-types.ts'),
  ]);
  const all = fieldsOf(shape);
  const names = columns.map(({ name }) => name);
  const fields = chosen
    ? { ...all, names, has: (path: string) => names.includes(path) || all.has(path) }
    : all;
  const root = format === 'json' && !isSingle ? 'records' : 'record';
  undocumentedFields('--query', query, fields, root);
  for (const remark of refuseNeverTrue(query, {
    flag: '--query',
    columnAt: typedColumns(shape),
    root,
  }))
    say.notice(remark);
}

/** In json, the types of a file's own fields are not known; cells are texts. */
function typedColumns(shape: RecordShape): (path: string) => Column | undefined {
  const at = columnFinder(shape);
  const own = shape.isFile === true && shape.isOfCells !== true ? [] : shape.columns;
  return (path) => at?.(path) ?? own.find(({ name }) => name === path);
}

/** A filter sees the whole record, of which the columns are a part, and the status of a row. */
function fieldsOf(shape: RecordShape) {
  const { endpoint } = shape;
  const columns = shape.columns.filter(isInRecord);
  const at = columnFinder(shape);
  const names = [
    ...columns.map(({ name }) => name),
    'input',
    'pdi_status',
    'pdi_error',
    'pdi_input',
  ];
  return {
    names,
    parts: new Set(
      [...names, ...pathsOf([...columns, ...(endpoint?.columns ?? []).filter(isInRecord)])].flatMap(
        (path) => path.split('.'),
      ),
    ),
    openLists: endpoint?.openLists ?? [],
    has: (path: string) =>
      names.some((name) => isAtOrBelow(name, path)) ||
      /^pdi_input\./.test(path) ||
      at?.(path) !== undefined,
  };
}

const isInRecord = ({ onlyInTable }: Column): boolean => onlyInTable !== true;

const pathsOf = (columns: readonly Column[]): readonly string[] =>
  columns.flatMap(({ name, paths = [], element = [] }) => [name, ...paths, ...pathsOf(element)]);

/** Several lists are sheets of a workbook. @throws UsageError for another format, and for an unknown list */
function severalLists(
  names: readonly string[],
  format: OutputFormat,
  columns: readonly Column[],
): readonly Column[] {
  if (format === 'xlsx') return listTables(columns, names);
  const hint =
    'explode one list a run; another list of the same answers costs nothing, and -o xlsx gives each a sheet';
  throw new UsageError(`--explode ${names.join(',')}: ${format} shows the elements of one list`, {
    item: '--explode',
    hint,
  });
}

/** Elements of a list are rows, so one record is no longer one row, and counts of rows are no counts of records. */
export function exploded(shape: RecordShape, list: string): RecordShape {
  const at = columnFinder(shape);
  const columns = explodedColumns(shape.columns, list);
  return {
    ...shape,
    columns,
    ...(at !== undefined && { columnAt: columnOfElement(at, list) }),
    isSingle: false,
  };
}

/** Columns that sum up others are for tables, and for whoever names them. */
function chosenColumns(
  { fields, format }: Show,
  shape: RecordShape,
): Pick<Layout, 'columns' | 'chosen'> {
  const { columns } = shape;
  const more = columnsOnRequest(shape);
  const usual = format === 'table' ? columns : columns.filter(isInRecord);
  const fetched = hasOwnColumns(format) && more.includes(fetchedAtColumn) ? [fetchedAtColumn] : [];
  const all = [...usual, ...fetched];
  const onRequest = [...more, ...columns.filter((column) => !all.includes(column))];
  return chooseColumns(fields, all, columnFinder(shape), onRequest);
}

/** Pictures appear only on a terminal, if the user chose no fields and no output. `--out -` therefore gives no pictures. */
export const wantsPictures = ({ isForTerminal, fields, out, quiet }: Show): boolean =>
  isForTerminal && fields === undefined && out === undefined && !quiet;

/** Gives undefined if the record is written as it is. `--where`, and `--fields` of members, make rows of members in any format. */
export function membersAsRows(
  { format, explode, where, fields }: Show,
  { members, columns }: Endpoint,
): Members | undefined {
  if (members === undefined || !isJsonFormat(format) || (explode ?? where) !== undefined)
    return members;
  const chosen = fieldNamesIn(fields ?? '');
  const isIn = (of: readonly Column[], name: string) => of.some((column) => column.name === name);
  return chosen.some((name) => isIn(members.columns, name) && !isIn(columns, name))
    ? members
    : undefined;
}

/** A row without a list, such as that of a failed call, stays one row, as does one that is a member already. */
export function membersOf(row: ResultRow, field: string): readonly ResultRow[] {
  const list = row.record?.value;
  // Each list has an id, and its members have none of that name.
  if (!isObject(list) || !(field in list || 'id' in list)) return [row];
  const { id, name } = list;
  const told = list[field] ?? [];
  // In place of members that are no array stands a row without one.
  const members = Array.isArray(told) ? told.filter(isObject) : [{}];
  return members.map((member): ResultRow => {
    return { ...row, record: new ApiRecord({ list_id: id, list_name: name, ...member }) };
  });
}

function inputReader(
  { withInput, format }: Show,
  { job, own, hasInput }: RecordShape,
): Pick<Layout, 'inputOf'> {
  if (hasInput === true && isJsonFormat(format)) return { inputOf: ({ inputValue }) => inputValue };
  if (!withInput) return {};
  const item = '--with-input';
  if (job !== true)
    throw new UsageError('--with-input goes with commands that read identifiers', {
      item,
      hint: 'leave it out: no row has an input here',
    });
  if (!isJsonFormat(format)) {
    const hint = 'a CSV input comes back with its own columns in csv and xlsx, without it';
    throw new UsageError('--with-input goes with -o json or ndjson', { item, hint });
  }
  const names = uniqueNames(own?.header ?? []);
  const cellsOf = ({ own: cells }: ResultRow) =>
    Object.fromEntries(names.map((name, at) => [name, cells?.cells[at] ?? '']));
  return {
    inputOf: own === undefined ? ({ inputValue, input }) => inputValue ?? input : cellsOf,
  };
}
