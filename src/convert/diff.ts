/** `pdi diff` compares two files of one kind of record: a row a changed field, and one for each record that came or went. */
import { setFlagsFromString } from 'node:v8';
import {
  type Column,
  columnAt,
  isFigure,
  recordSchema,
  topFields,
  topOf,
} from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { operationsOfNames } from '../contract/recognise.ts';
import { attempt, listed, UsageError } from '../errors.ts';
import { mistakeIn } from '../input/lines.ts';
import {
  isNested,
  isNumberText,
  isObject,
  isSameValue,
  nearestDouble,
  parseJson,
} from '../json/exact.ts';
import { nestedText } from '../output/display.ts';
import { chooseColumns, namesBehind, titleWord } from '../output/layout.ts';
import { columnReader, columnsFrom, itemColumn, tellsRow } from '../output/read.ts';
import { deliver, endOf, reportColumns } from '../road/delivery.ts';
import { fingerprint } from '../road/distinct-texts.ts';
import type { Show } from '../road/plan.ts';
import { keptRows } from '../road/store.ts';
import type { Say, Tools } from '../road/tools.ts';
import { addDays } from '../rows/days.ts';
import { localSeconds, parseIsoTime } from '../rows/iso-time.ts';
import { ApiRecord, type ResultRow } from '../rows/row.ts';
import { openRows, untilStop } from './convert.ts';
import type { RecordOrigin } from './from-json.ts';

/** A narrow table drops the last: names tell a person what changed. */
const columns: readonly Column[] = [
  { name: 'id', kind: 'id', inTable: true, rank: 1 },
  ...reportColumns({
    name: 'text',
    change: 'text',
    field: 'id',
    old: 'text',
    new: 'text',
    delta: 'number',
  }),
];

/** @throws UsageError for a file that cannot be read as records, and for two that cannot be compared */
export async function runDiff(
  show: Show,
  tools: Tools,
  paths: readonly [old: string, fresh: string],
  origin: RecordOrigin,
): Promise<void> {
  await deliverChanges(show, tools, await openBoth(show, tools, paths, origin), paths);
}

/** Of each question whose answers are kept, the one that was the last on a day, and the last. @throws UsageError for an operation whose answers are not kept */
export async function runDiffSince(
  show: Show,
  tools: Tools,
  name: OperationName,
  day: string,
): Promise<void> {
  const endpoint: Endpoint = operations[name];
  if (endpoint.stored !== true)
    throw new UsageError('the book keeps no answers of that command', {
      hint: 'name person, revenue or investors',
    });
  const next = Date.parse(addDays(day, 1));
  const side = (before: number): Compared => ({
    name: 'the book',
    ...{ endpoint, titles: new Map(), isWorkbook: false, isRounded: false },
    rows: () =>
      keptRows(tools, endpoint, true, (all) => all.filter(({ at }) => at < before).slice(-1)),
  });
  await deliverChanges(show, tools, [side(next), side(Number.POSITIVE_INFINITY)]);
}

async function deliverChanges(
  show: Show,
  tools: Tools,
  sides: Both,
  inputFiles?: readonly string[],
): Promise<void> {
  const fields = comparedFields(sides, show.fields);
  const delivered = await deliver(
    { ...show, fields: undefined },
    tools,
    { shape: { columns, records: 'changes' }, inputFiles, allOrNothing: true },
    () => untilStop(tools, changesBetween(sides, fields, tools.say)),
  );
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

/** Records of one operation, wherever they come from. The old ones are read more than once. */
export interface Compared {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What a field is called there: a result in a join may have another title. It is empty without records. */
  readonly titles: ReadonlyMap<string, string>;
  /** Lists of objects are texts, and a text may be cut. */
  readonly isWorkbook: boolean;
  /** Figures are doubles. */
  readonly isRounded: boolean;
  rows(): AsyncIterable<readonly ResultRow[]>;
}

type Both = readonly [old: Compared, fresh: Compared];
type Opened = Awaited<ReturnType<typeof openRows>>;

async function openBoth(
  show: Show,
  tools: Tools,
  paths: readonly [old: string, fresh: string],
  origin: RecordOrigin,
): Promise<Both> {
  const open = async (path: string) => {
    const source = { ...origin, path, mayBeParquet: true } as const;
    const quiet = { notice: () => undefined };
    const opened = await openRows({ ...show, format: 'parquet' }, tools, source, quiet);
    if (opened.columns.some(({ name }) => name === itemColumn.name))
      throw mistakeIn(opened.name, 'has a row an element of a list', 'Write it without --explode.');
    return opened;
  };
  const first = await open(paths[0]);
  if (!first.regular)
    throw mistakeIn(
      first.name,
      'can be read once, and the old records are read twice',
      'Write them to a file first; the new ones may come from a pipe.',
    );
  const both = [first, await open(paths[1])] as const;
  const [old, fresh] = both.map(({ operation }) => operation);
  // Some files are of several operations alike, and one without records is of any.
  const names = both.flatMap(({ columns }) => columns.map(({ name }) => name));
  const kind = old ?? fresh ?? operationsOfNames(names, names.includes('pdi_status'))[0];
  if (kind === undefined || (fresh ?? kind) !== kind) {
    const [was, is] = [old, fresh].map((one) => (one ? origin.commands[one].words : 'no command'));
    const hint = 'Give two files of one command, or name it with --from COMMAND.';
    throw mistakeIn(both[1].name, `is of ${is}, and ${first.name} of ${was}`, hint);
  }
  const side = (at: 0 | 1): Compared => ({
    ...both[at],
    endpoint: operations[kind],
    titles: titlesIn(both[at], operations[kind], titleWord(origin.commands[kind].words)),
    async *rows() {
      yield* (at === 0 ? await open(paths[0]) : both[at]).rows;
      if (tools.stop.aborted) throw tools.interrupted();
    },
  });
  return [side(0), side(1)];
}

/** Records of json lack fields that have no value. Where most are missing, `--fields` left them out. */
const wholeShare = 0.7;

function titlesIn(
  { columns, ...opened }: Opened,
  endpoint: Endpoint,
  word: string,
): Compared['titles'] {
  const sample = 'sample' in opened && opened.flat !== true ? opened.sample : undefined;
  const records = sample?.flatMap(({ record }) => record?.value).filter(isObject);
  const keys = new Set(records?.flatMap(Object.keys));
  const fields = topFields(recordSchema(endpoint));
  const isWhole =
    sample === undefined ||
    fields.filter((name) => keys.has(name)).length > fields.length * wholeShare;
  const names = columns
    .filter(({ name, paths = [name] }) => isWhole || paths.some((path) => keys.has(topOf(path))))
    .map(({ name }) => name);
  const known = new Set(['pdi_status', ...endpoint.columns.map(({ name }) => name)]);
  const fieldNames = namesBehind(names, word, (name) => known.has(name));
  return new Map(fieldNames.map((name, at) => [name, names[at] ?? name]));
}

const documented = ({ members, ...endpoint }: Endpoint) => (members ?? endpoint).columns;

const text = (name: string): Column => ({ name, kind: 'text', inTable: true });

/** A record begins with its id, and a member of a list with that of the list. */
const idIn = (endpoint: Endpoint): Column =>
  documented(endpoint)
    .filter(({ kind }) => kind === 'id')
    .at(endpoint.members === undefined ? 0 : -1) ?? text('id');

/** The fields, and own columns, that both sides have. @throws UsageError for a side without ids, and for `--fields` that one of them lacks */
function comparedFields(sides: Both, chosen: string | undefined): readonly Column[] {
  const [{ endpoint }] = sides;
  const has = ({ titles, isWorkbook }: Compared, name: string): boolean =>
    titles.size === 0 || titles.has(name) || (!isWorkbook && titles.has(topOf(name)));
  const needed = (fields: readonly Column[]) => {
    for (const side of sides)
      for (const { name } of fields)
        if (!has(side, name))
          throw mistakeIn(side.name, `has no column ${name}`, 'Write the file with that column.');
    return fields;
  };
  const fields = documented(endpoint);
  const names = new Set(sides.flatMap(({ titles }) => [...titles.keys()]));
  const beside = fields.flatMap((one) => one.beside ?? []);
  const left = new Set([...needed([idIn(endpoint)]), ...beside].map(({ name }) => name));
  for (const { name } of fields) names.delete(name);
  const all = [...fields, ...[...names].map(text)];
  if (chosen !== undefined)
    return needed(
      chooseColumns(chosen, all, (path) => columnAt(recordSchema(endpoint), path)).columns,
    );
  return all.filter(
    ({ name, onlyInTable }) =>
      sides.every((side) => has(side, name)) &&
      onlyInTable !== true &&
      !left.has(name) &&
      endpoint.fleeting?.includes(name) !== true &&
      !/^input$|(?:^|_)pdi_/.test(name),
  );
}

/** Reads a side from its beginning. A record that a run did not get has no texts. */
function readingOf(side: Compared, fields: readonly Column[], textOf: TextOf) {
  const { titles, endpoint } = side;
  const told =
    documented(endpoint).find(({ onlyInTable }) => onlyInTable) ??
    documented(endpoint).find((one) => one.kind !== 'id' && tellsRow(one)) ??
    text('list_name');
  const readerOf = (column: Column) => {
    const title = titles.get(column.name) ?? column.name;
    const read = columnReader(title === column.name ? column : { name: title });
    return (record: unknown, row: ResultRow) => textOf(read(record, row), column);
  };
  const ours = [text('pdi_status'), text('input'), idIn(endpoint), told].map(readerOf);
  const readers = fields.map(readerOf);
  return async function* (notice?: Say['notice']) {
    const [seen, twice] = [new Set<string>(), new Set<string>()];
    for await (const rows of side.rows())
      for (const row of rows) {
        const record = columnsFrom(row);
        const [said, input, id, name = ''] = ours.map((read) => read(record, row));
        const texts = () => readers.map((read) => read(record, row));
        const status = said || row.status;
        const key = apart(id || (status === 'ok' ? '' : row.input || input || ''));
        if (!key || status === 'not_found' || status === 'invalid') continue;
        if (seen.has(key)) twice.add(key);
        else yield { key, name: apart(name), texts: status === 'ok' ? texts : undefined };
        seen.add(key);
      }
    if (twice.size > 0)
      notice?.(`${side.name} has more than one row of ${listed([...twice])}: the first counts`);
  };
}

/** So many characters of new texts wait for the old ones, which are read again for them. */
const maxWaiting = 32_000_000;
const rowsAtOnce = 1000;

/** Of the old side, hashes alone are kept. Changes and what is gone come in its order, and then what is new. */
export async function* changesBetween(
  sides: Both,
  fields: readonly Column[],
  { notice }: Pick<Say, 'notice'>,
  room = maxWaiting,
): AsyncGenerator<readonly ResultRow[]> {
  // What a record leaves behind is cleaned up late: the peak of 100,000 profiles is 330 MB without this, and 230 with it.
  setFlagsFromString('--heap-growing-percent=100');
  const textOf = textsOf(sides);
  const before = readingOf(sides[0], fields, textOf);
  const hashAt = (text: string, at: number) => hashOf(comparable(text, fields[at]));
  const hashes = new Map<string, string | undefined>();
  for await (const { key, texts } of before(notice))
    hashes.set(key, texts?.().map(hashAt).join(''));
  const waiting = new Map<
    string,
    { readonly called: string; readonly texts: [number, string][] }
  >();
  const settled = async function* (gone?: typeof hashes): AsyncGenerator<readonly ResultRow[]> {
    let rows: ResultRow[] = [];
    for await (const { key, name, texts } of before()) {
      const { called = '', texts: changes = [] } = waiting.get(key) ?? {};
      const were = changes.length > 0 ? texts?.() : undefined;
      for (const [at, text] of changes)
        rows.push(rowOf(key, called || name, 'changed', fields[at], were?.[at], text));
      if (gone?.has(key) && texts !== undefined) rows.push(rowOf(key, name, 'removed'));
      if (rows.length < rowsAtOnce) continue;
      yield rows;
      rows = [];
    }
    yield rows;
    waiting.clear();
  };
  const added: ResultRow[] = [];
  let size = 0;
  for await (const { key, name, texts } of readingOf(sides[1], fields, textOf)(notice)) {
    const known = hashes.get(key);
    const isNew = !hashes.delete(key);
    if (isNew && texts !== undefined) added.push(rowOf(key, name, 'added'));
    const changes = texts?.().flatMap((text, at) =>
      known?.startsWith(hashAt(text, at), at * hashLength) === false
        ? [[at, apart(text)] satisfies [number, string]]
        : [],
    );
    if (changes === undefined || changes.length === 0) continue;
    waiting.set(key, { called: name, texts: changes });
    size += changes.reduce((sum, [, text]) => sum + text.length, 0);
    if (size <= room) continue;
    yield* settled();
    size = 0;
  }
  if (waiting.size + hashes.size > 0) yield* settled(hashes);
  yield added;
}

function rowOf(
  id: string,
  name: string,
  change: 'added' | 'removed' | 'changed',
  field?: Column,
  old = '',
  fresh = '',
): ResultRow {
  const delta = field !== undefined && isFigure(field.kind) ? difference(old, fresh) : null;
  const texts = { old: old || null, new: fresh || null };
  const told = { id, name: name || null, change, field: field?.name ?? null };
  return { status: 'ok', record: new ApiRecord({ ...told, ...texts, delta }) };
}

/** Of whole numbers exact, of others with as many decimals as they have. What is no number has none. */
function difference(old: string, fresh: string): unknown {
  if (!isNumberText(old) || !isNumberText(fresh)) return null;
  const whole = attempt(() => String(BigInt(fresh) - BigInt(old)));
  const places = Math.max(...[old, fresh].map((text) => text.split('.')[1]?.length ?? 0));
  return whole === undefined
    ? Number((Number(fresh) - Number(old)).toFixed(Math.min(places, 100)))
    : parseJson(whole);
}

/** In a list, order means nothing. Where an item holds what stands between items, csv does not tell. */
const comparable = (text: string, { kind, element }: Partial<Column> = {}): string =>
  kind === 'list' || element !== undefined
    ? [...new Set(text.split('; '))].sort().join('; ')
    : text;

type TextOf = (value: unknown, column: Column) => string;

/** A longer text is cut in a workbook, which has no characters that XML cannot hold either. */
const maxCell = 32_765;
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** A value has one text, from whichever of the formats that the sides have; what is no number is nothing in a column of figures, as in csv. */
function textsOf(sides: Both): TextOf {
  const isRounded = sides.some((side) => side.isRounded);
  const longest = sides.some(({ isWorkbook }) => isWorkbook) ? maxCell : undefined;
  return (value, column) => {
    const { kind, numeric } = column;
    const text = isNested(value) ? nestedText(value, column) : String(value ?? '');
    if (isNumberText(text) && (isFigure(kind) || numeric)) {
      const isHeld = (isRounded && numeric !== true && kind !== 'count') || isSameValue(text);
      return isHeld ? String(nearestDouble(Number(text)) ?? text) : text;
    }
    if (isFigure(kind)) return '';
    return kind === 'date' ? inUtc(text) : text.replace(unfit, '').slice(0, longest);
  };
}

/** In whole seconds; a midnight is its day. */
function inUtc(text: string): string {
  const time = parseIsoTime(text);
  if (time === undefined) return text;
  const seconds = localSeconds(time) - (time.offset ?? 0);
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T00:00:00', '');
}

const hashLength = 4;

function hashOf(text: string): string {
  const [one, two] = fingerprint(text);
  return String.fromCharCode(one & 0xffff, one >>> 16, two & 0xffff, two >>> 16);
}

/** A text that was cut out of a longer one keeps all of it in memory. */
const apart = (text: string): string => Buffer.from(text).toString();
