/** `pdi diff` compares two files of one kind of record: a row a changed field, and one for each record that came or went. */
import {
  type Column,
  columnAt,
  isFigure,
  recordSchema,
  topFields,
  topOf,
} from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { operationsOfNames } from '../contract/recognise.ts';
import { attempt, beginningOf, listed, pluralize, UsageError } from '../errors.ts';
import {
  type ExactNumber,
  isNested,
  isNumber,
  isNumberText,
  isObject,
  isSameValue,
  type JsonObject,
  nearestDouble,
  parseJson,
} from '../json/exact.ts';
import { nestedText } from '../output/display.ts';
import { chooseColumns, namesBehind, titleWord } from '../output/layout.ts';
import { columnReader, columnsFrom, itemColumn, tellsRow } from '../output/read.ts';
import { deliver, endOf } from '../road/delivery.ts';
import type { Show } from '../road/plan.ts';
import type { Say, Tools } from '../road/tools.ts';
import { localSeconds, parseIsoTime } from '../rows/iso-time.ts';
import { ApiRecord, type ResultRow, rowsOf } from '../rows/row.ts';
import { openRows, untilStop } from './convert.ts';
import type { RecordOrigin } from './from-json.ts';

const column = (name: string, kind: Column['kind'] = 'text'): Column => ({
  name,
  kind,
  inTable: true,
});

export const diffColumns: readonly Column[] = [
  column('id', 'id'),
  column('name'),
  column('change'),
  column('field'),
  column('old'),
  column('new'),
  column('delta', 'number'),
];

/** @throws UsageError for a file that cannot be read as records, and for two that cannot be compared */
export async function runDiff(
  show: Show,
  tools: Tools,
  paths: readonly [old: string, fresh: string],
  origin: RecordOrigin,
): Promise<void> {
  const sides = await openBoth(show, tools, paths, origin);
  const fields = comparedFields(sides, show.fields, tools.say);
  const delivered = await deliver(
    { ...show, fields: undefined },
    tools,
    { shape: { columns: diffColumns, records: 'changes' }, inputFiles: paths, allOrNothing: true },
    () => untilStop(tools, changesBetween(sides, fields, tools.say)),
  );
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

/** Records of one operation. Of the two sides of a comparison, the old one is read more than once. */
export interface RecordSide {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What a field is called there: in a join, a result may have another title. */
  readonly titles: ReadonlyMap<string, string>;
  /** Lists of objects are texts, which are cut where a cell ends. */
  readonly isWorkbook: boolean;
  /** Figures are doubles. */
  readonly isRounded: boolean;
  rows(): AsyncIterable<readonly ResultRow[]>;
}

export type Compared = readonly [old: RecordSide, fresh: RecordSide];

type Opened = Awaited<ReturnType<typeof openRows>>;

async function openBoth(
  show: Show,
  tools: Tools,
  [old, fresh]: readonly [string, string],
  origin: RecordOrigin,
): Promise<Compared> {
  const { io, stop } = tools;
  const reading = { ...show, fields: undefined, explode: undefined, where: undefined };
  const open = async (path: string, otherwise?: OperationName): Promise<Opened> => {
    const opened = await openRows(
      { ...reading, query: undefined, format: 'parquet' },
      { io, stop, say: { notice: () => undefined } },
      { ...origin, otherwise, path, mayBeParquet: true },
    );
    tools.atEnd(async () => opened.close());
    if (opened.columns.some(({ name }) => name === itemColumn.name)) throw isExploded(opened.name);
    return opened;
  };
  const first = await open(old);
  if (!first.regular)
    throw new UsageError(`${first.name} can be read once, and the old records are read twice`, {
      item: old,
      hint: 'write them to a file first; the new ones may come from a pipe',
    });
  const kinds = kindsOf(first);
  const second = await open(fresh, first.columns.length === 0 ? undefined : kinds[0]);
  const kind = second.operation ?? kindsOf(second).find((one) => kinds.includes(one));
  if (kind === undefined || !kinds.includes(kind))
    throw areOfTwoKinds([first, second], origin, kinds);
  const before = first.operation === kind ? first : await open(old, kind);
  const side = (opened: Opened, again: () => Promise<Opened>): RecordSide => {
    let ready: Opened | undefined = opened;
    const { name, isWorkbook, isParquet } = opened;
    return {
      name,
      endpoint: operations[kind],
      titles: titlesIn(opened, operations[kind], titleWord(origin.commands[kind].words)),
      isWorkbook,
      isRounded: isWorkbook || isParquet,
      async *rows() {
        const { rows, close } = ready ?? (await again());
        ready = undefined;
        yield* rows;
        close();
        if (stop.aborted) throw tools.interrupted();
      },
    };
  };
  return [side(before, () => open(old, kind)), side(second, () => open(fresh, kind))];
}

const isExploded = (name: string): UsageError =>
  new UsageError(`${name} has a row an element of a list (--explode), not a row a record`, {
    item: name,
    hint: 'write it without --explode',
  });

/** Some files are of several operations alike. One without records may be of any. */
function kindsOf({ operation, columns }: Opened): readonly OperationName[] {
  const names = columns.map(({ name }) => name);
  if (operation !== undefined) return [operation];
  return names.length === 0
    ? operationNames
    : operationsOfNames(names, names.includes('pdi_status'));
}

function areOfTwoKinds(
  both: readonly Opened[],
  { commands }: RecordOrigin,
  [known]: readonly OperationName[],
): UsageError {
  const [old, fresh] = both.map(({ name, operation }) =>
    operation === undefined
      ? `${name} holds no records that pdi knows`
      : `${name} is of \`pdi ${commands[operation].words}\``,
  );
  return new UsageError(known === undefined ? `${old}` : `${old}, ${fresh}`, {
    hint: 'give two files of one command, or name it with --from COMMAND',
  });
}

/** Records of json may lack fields that have no value, but where most of them are missing, `--fields` left them out. */
function titlesIn(opened: Opened, endpoint: Endpoint, word: string): RecordSide['titles'] {
  const { columns } = opened;
  const records = ('sample' in opened ? opened.sample : []).flatMap(
    ({ record }): readonly JsonObject[] => [record?.value].flat().filter(isObject).slice(0, 1),
  );
  const fields = topFields(recordSchema(endpoint));
  const has = (path: string): boolean => records.some((record) => isIn(record, path));
  const isWhole = !('sample' in opened) || fields.filter(has).length > fields.length * wholeShare;
  const names = columns
    .filter(({ name, paths = [] }) => isWhole || [name, ...paths].some(has))
    .map(({ name }) => name);
  const known = new Set(['pdi_status', ...endpoint.columns.map(({ name }) => name)]);
  const results = namesBehind(names, word, (name) => known.has(name));
  return new Map(results.map((name, at) => [name, names[at] ?? name]));
}

const wholeShare = 0.7;

/** What is null has all that could be below it. */
function isIn(value: unknown, path: string): boolean {
  if (value === null || Array.isArray(value)) return true;
  if (!isObject(value)) return false;
  const [step = '', ...below] = path.split('.');
  return (
    Object.hasOwn(value, path) || (Object.hasOwn(value, step) && isIn(value[step], below.join('.')))
  );
}

/** Of a list, its own id and that of a member tell a record. */
function idsIn({ columns, members }: Endpoint): readonly Column[] {
  const ids = (members?.columns ?? columns).filter(({ kind }) => kind === 'id');
  return members === undefined ? ids.slice(0, 1) : ids;
}

/** The fields of the records and own columns that both sides have. @throws UsageError for a side without ids, and for `--fields` that one of them lacks */
function comparedFields(sides: Compared, chosen: string | undefined, { notice }: Say) {
  const [{ endpoint }] = sides;
  const documented = (endpoint.members ?? endpoint).columns;
  const ids = idsIn(endpoint);
  const full = sides.filter(({ titles }) => titles.size > 0);
  const lacks = ({ titles }: RecordSide, name: string) => !titles.has(name);
  for (const side of full)
    for (const { name } of ids) if (lacks(side, name)) throw noField(side, name, 'tells records');
  const names = new Set(full.flatMap(({ titles }) => [...titles.keys()]));
  const own = [...names].filter((name) => !documented.some((one) => one.name === name));
  const all = [...documented, ...own.map((name) => column(name))];
  if (chosen !== undefined) {
    const { columns } = chooseColumns(chosen, all, (path) =>
      columnAt(recordSchema(endpoint), path),
    );
    for (const { name } of columns)
      for (const side of full)
        if (lacks(side, name) && (side.isWorkbook || lacks(side, topOf(name))))
          throw noField(side, name, 'is to be compared');
    return columns;
  }
  const left = new Set(
    [...ids, ...documented.flatMap(({ beside = [] }) => beside)].map(({ name }) => name),
  );
  const compared = all.filter(
    ({ name, onlyInTable }) =>
      names.has(name) &&
      !left.has(name) &&
      onlyInTable !== true &&
      endpoint.fleeting?.includes(name) !== true &&
      !/^input$|(?:^|_)pdi_/.test(name),
  );
  const only = compared.filter(({ name }) => full.some((side) => lacks(side, name)));
  for (const side of full) {
    const others = only.filter(({ name }) => !lacks(side, name)).map(({ name }) => name);
    if (others.length > 0) notice(`only ${side.name} has ${listed(others)}: not compared`);
  }
  return compared.filter((one) => !only.includes(one));
}

const noField = ({ name: file }: RecordSide, field: string, why: string): UsageError =>
  new UsageError(`${file} has no column ${field}, which ${why}`, {
    item: file,
    hint: 'write the file with that column',
  });

/** A record as it is read: its name and texts only where they are asked for. */
interface Read {
  readonly key: string;
  readonly isRecord: boolean;
  name(): string;
  texts(): readonly string[];
}

type ReadOnce = () => AsyncGenerator<Read>;

function readingOf(side: RecordSide, fields: readonly Column[], textOf: TextOf): ReadOnce {
  const { titles, endpoint } = side;
  const readerOf = (column: Column) => {
    const title = titles.get(column.name) ?? column.name;
    const read = columnReader(title === column.name ? column : { name: title });
    return (record: unknown, row: ResultRow) => textOf(read(record, row), column);
  };
  const columns = (endpoint.members ?? endpoint).columns;
  const told =
    columns.find(({ onlyInTable }) => onlyInTable) ??
    columns.find((one) => one.kind !== 'id' && tellsRow(one));
  const [ids, readers] = [idsIn(endpoint).map(readerOf), fields.map(readerOf)];
  const [status, input, name] = [column('pdi_status'), column('input'), told ?? column('')].map(
    readerOf,
  );
  return async function* () {
    for await (const rows of side.rows())
      for (const row of rows) {
        const record = columnsFrom(row);
        const known = status?.(record, row) || row.status;
        if (known === 'not_found' || known === 'invalid') continue;
        const parts = ids.map((read) => read(record, row));
        const isRecord = known === 'ok' && parts.every((part) => part !== '');
        yield {
          key: parts.join('\n') || row.input || input?.(record, row) || '',
          isRecord,
          name: () => name?.(record, row) ?? '',
          texts: () => readers.map((read) => read(record, row)),
        };
      }
  };
}

/** Which records of a side are compared: of those with one id, the first. */
class Records {
  readonly seen = new Set<string>();
  readonly unanswered = new Set<string>();
  private readonly twice = new Set<string>();
  private lacking = 0;

  takes({ key, isRecord }: Read): boolean {
    if (!isRecord) {
      this.lacking += 1;
      this.unanswered.add(key);
    } else if (this.seen.has(key)) this.twice.add(key);
    else {
      this.seen.add(key);
      return true;
    }
    return false;
  }

  tell(name: string, notice: Say['notice']): void {
    const [first = ''] = this.twice;
    if (this.twice.size > 0)
      notice(
        `${name} has ${pluralize(this.twice.size, 'record')} more than once, such as ${shownId(first)}: the first of each is compared`,
      );
    if (this.lacking > 0)
      notice(
        `${name} has ${pluralize(this.lacking, 'row')} without a record: what became of it is not known, and not compared`,
      );
  }
}

const shownId = (key: string): string => key.slice(key.lastIndexOf('\n') + 1);

/** A record that came, or some of whose texts changed: the new ones, by the place of their field. */
interface Change {
  readonly key: string;
  readonly name: string;
  readonly texts: ReadonlyMap<number, string>;
  rows: readonly JsonObject[];
}

/** So many characters of new texts wait for the old ones, which are read again for them. */
const maxWaiting = 32_000_000;

/** The old side is kept as hashes alone. Changed and new records come in the order of the new side, then those that are gone. */
export async function* changesBetween(
  [old, fresh]: Compared,
  fields: readonly Column[],
  { notice }: Pick<Say, 'notice'>,
): AsyncGenerator<readonly ResultRow[]> {
  const textOf = textsOf([old, fresh]);
  const [before, after] = [readingOf(old, fields, textOf), readingOf(fresh, fields, textOf)];
  const [first, second] = [new Records(), new Records()];
  const hashes = new Map<string, string>();
  const hashesOf = ({ texts }: Read) =>
    texts().map((text, at) => hashOf(comparable(text, fields[at])));
  for await (const one of before())
    if (first.takes(one)) hashes.set(one.key, hashesOf(one).join(''));
  first.tell(old.name, notice);
  let waiting: Change[] = [];
  let characters = 0;
  for await (const one of after()) {
    if (!second.takes(one)) continue;
    const { key } = one;
    const known = hashes.get(key);
    hashes.delete(key);
    if (known === undefined) {
      if (!first.unanswered.has(key)) waiting.push(cameOrWent(one, 'added'));
      continue;
    }
    const texts = one.texts();
    const changed = texts.flatMap((text, at) =>
      known.startsWith(hashOf(comparable(text, fields[at])), at * hashLength)
        ? []
        : [[at, text] as const],
    );
    if (changed.length === 0) continue;
    waiting.push({ key, name: one.name(), texts: new Map(changed), rows: [] });
    characters += changed.reduce((sum, [, text]) => sum + text.length, 0);
    if (characters < maxWaiting) continue;
    yield rowsOf(await settled(waiting, before, fields, new Set()));
    [waiting, characters] = [[], 0];
  }
  second.tell(fresh.name, notice);
  const gone = new Set([...hashes.keys()].filter((key) => !second.unanswered.has(key)));
  yield rowsOf(await settled(waiting, before, fields, gone));
}

const cameOrWent = (one: Read, change: 'added' | 'removed'): Change => {
  const name = one.name();
  const none = { field: null, old: null, new: null, delta: null };
  return {
    ...one,
    name,
    texts: new Map(),
    rows: [{ id: shownId(one.key), name, change, ...none }],
  };
};

/** Reads the old side once more for the texts that changed, and for what is `gone`. */
async function settled(
  waiting: readonly Change[],
  before: ReadOnce,
  fields: readonly Column[],
  gone: Set<string>,
): Promise<readonly ApiRecord[]> {
  const open = new Map(waiting.flatMap((one) => (one.texts.size > 0 ? [[one.key, one]] : [])));
  const left: Change[] = [];
  for await (const one of open.size + gone.size > 0 ? before() : []) {
    const { key, isRecord } = one;
    if (!isRecord) continue;
    if (gone.delete(key)) left.push(cameOrWent(one, 'removed'));
    const change = open.get(key);
    if (change === undefined) continue;
    open.delete(key);
    const texts = one.texts();
    const { name } = change;
    change.rows = [...change.texts].map(([at, text]) => {
      const { name: field = '', kind = 'text' } = fields[at] ?? {};
      const was = texts[at] ?? '';
      const delta = isFigure(kind) ? difference(was, text) : null;
      return {
        id: shownId(key),
        name,
        change: 'changed',
        field,
        old: was || null,
        new: text || null,
        delta,
      };
    });
  }
  return [...waiting, ...left].flatMap(({ rows }) => rows.map((row) => new ApiRecord(row)));
}

const decimals = (text: string): number => /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;

/** Digits that a double does not hold are counted all the same. */
function difference(old: string, fresh: string): unknown {
  if (!isNumberText(old) || !isNumberText(fresh)) return null;
  if ([old, fresh].every((text) => /^-?\d+$/.test(text)))
    return parseJson(String(BigInt(fresh) - BigInt(old)));
  const places = Math.min(Math.max(decimals(old), decimals(fresh)), 100);
  return Number((Number(fresh) - Number(old)).toFixed(places));
}

/** In a list, order means nothing. Where an item holds what stands between items, csv does not tell. */
const comparable = (text: string, { kind, element }: Partial<Column> = {}): string =>
  kind === 'list' || element !== undefined
    ? [...new Set(text.split('; '))].sort().join('; ')
    : text;

type TextOf = (value: unknown, column: Column) => string;

/** What a cell of a workbook holds, and what XML cannot. */
const maxCell = 32_767;
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** The text of a value is the same, from whichever of the formats that the sides have. */
function textsOf(sides: Compared): TextOf {
  const isRounded = sides.some((side) => side.isRounded);
  const plain = sides.some(({ isWorkbook }) => isWorkbook)
    ? (text: string) => {
        const shown = text.replace(unfit, '');
        return shown.length > maxCell ? `${beginningOf(shown, maxCell - 1)}…` : shown;
      }
    : (text: string) => text.replaceAll('\0', '');
  return (value, column) => {
    const { kind } = column;
    const isJson = kind === 'json' && typeof value === 'string' && /^[[{]/.test(value);
    const read = isJson ? (attempt(() => parseJson(value)) ?? value) : value;
    if (read === undefined || read === null) return '';
    if (isNumber(read)) return numberText(read, isRounded && isFigure(kind) && kind !== 'count');
    if (isNested(read)) return plain(nestedText(read, column));
    return kind === 'date' ? timeText(String(read)) : plain(String(read));
  };
}

function numberText(value: number | ExactNumber, isRounded: boolean): string {
  const source = String(value);
  const isHeld = isRounded || typeof value === 'number' || isSameValue(source);
  return isHeld ? String(nearestDouble(value) ?? source) : source;
}

/** In UTC and whole seconds; a midnight is its day. */
function timeText(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? undefined : parseIsoTime(text);
  if (time === undefined) return text;
  const seconds = localSeconds(time) - (time.offset ?? 0);
  const shown = new Date(seconds * 1000).toISOString();
  return shown.slice(0, 19).replace('T', ' ').replace(' 00:00:00', '');
}

const hashLength = 4;

/** 64 bits for each field of each record, because those of cryptography take ten times as long for texts this short. */
function hashOf(text: string): string {
  let [one, two] = [0x9e3779b9, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return String.fromCharCode(one & 0xffff, one >>> 16, two & 0xffff, two >>> 16);
}
