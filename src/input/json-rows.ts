/** Reads rows of JSON: of NDJSON, where each line is a record or a bare identifier, and of one array, where each element is. */
import { isBlankCell } from '../contract/identifier.ts';
import { attempt, beginningOf, listed, pluralize, shellWord, UsageError } from '../errors.ts';
import {
  elementAt,
  isListStep,
  isNumber,
  isObject,
  type JsonObject,
  jsonText,
  parseJson,
} from '../json/exact.ts';
import { carriedOver, type InputKind, type InputRow, noMatchBefore } from '../rows/row.ts';
import {
  candidatesIn,
  columnFlag,
  columnsNamed,
  companyOfPosition,
  endingIn,
  isAlike,
  likelyColumns,
  tellPosition,
} from './column.ts';
import { type ColumnWish, isFieldName } from './header.ts';
import { parsedRecord } from './json-records.ts';
import { type Line, mistakeIn, shownPosition } from './lines.ts';

/** A broken line of NDJSON spoils only its row. @throws UsageError for other broken JSON, a whole table, and a first record without a wanted field */
export function jsonRowReader(
  kind: InputKind,
  wish: ColumnWish,
  name: string,
): (record: Line) => InputRow {
  const { column, candidates, notice, keepsValues, named: [, ...beside] = [] } = wish;
  const names = column === undefined ? candidates : columnsNamed(column);
  let isFirst = true;
  let isProven = column !== undefined;
  const takesByPlace = /\.\d+(?:[.,]|$)/.test(column ?? '');
  let isTold = false;
  return (record) => {
    const { line, text } = record;
    const isBeginning = isFirst;
    isFirst = false;
    const value =
      kind === 'ndjson' ? attempt(() => parseJson(text)) : parsedRecord(record, name, parseJson);
    if (isBeginning && kind === 'ndjson' && isOtherJson(text, value))
      throw mistakeIn(name, 'JSON, but not one object a line', 'Say --input-format json.', {
        line,
      });
    if (value === undefined)
      return { line, text: undefined, invalid: 'not JSON', label: shortened(text) };
    const { row: read, proven = false, lack } = readValue(value, record, names, column);
    const others = beside.map((name) => readValue(value, record, [name], name).row);
    const row = others.length === 0 ? read : { ...read, others };
    if (isBeginning && row.text === undefined && isTable(value, names)) throw noRecords(name);
    if (lack !== undefined && (!isProven || (isBeginning && lack.isInList)))
      throw noField(record, lack, wish, name);
    isProven ||= proven;
    const taken = isTold ? undefined : oneOfSeveral(value, takesByPlace ? row.field : undefined);
    if (isBeginning && column === undefined && row.field === companyOfPosition)
      notice?.(tellPosition(name));
    if (taken !== undefined) notice?.(`${shownPosition(name, record)}: ${taken}`);
    isTold ||= taken !== undefined;
    const labelled =
      row.text === undefined ? { label: shortened(oneLine(value, text)), ...row } : row;
    const placed =
      record.column === undefined ? labelled : Object.assign(labelled, { column: record.column });
    return keepsValues === true ? { ...placed, inputValue: value } : placed;
  };
}

const isOtherJson = (text: string, value: unknown): boolean =>
  text === '{' || (text.startsWith('[') && !isListOfRecords(value));

/** pandas writes a whole table as one value unless it is told otherwise: as objects of columns or of rows, as its parts, or as lists of cells. */
function isTable(value: unknown, names: readonly string[]): boolean {
  if (!isObject(value)) return Array.isArray(value) && value.length > 0 && !isListOfRecords(value);
  if (Array.isArray(value.columns) && Array.isArray(value.data)) return true;
  const parts = Object.values(value).map((part) =>
    isObject(part) ? Object.keys(part).join('\n') : undefined,
  );
  const [keys] = parts;
  if (keys === undefined || parts.some((other) => other !== keys)) return false;
  const rows = keys.split('\n');
  // Where no row has a name, their places are the keys. DynamoDB writes a text as {"S": …}.
  const areNumbered = [Object.keys(value), rows].some((all) =>
    all.every((key) => /^\d*$/.test(key)),
  );
  return (
    areNumbered || (rows.length > 1 && names.some((name) => isObject(fieldIn(value, name).value)))
  );
}

const noRecords = (name: string): UsageError =>
  mistakeIn(
    name,
    'is JSON of a whole table, not a list of records',
    'Write one record a row; in pandas: to_json(FILE, orient="records").',
  );

const oneLine = (value: unknown, written: string): string =>
  written.includes('\n') ? jsonText(value) : written;

const shortened = (written: string): string => beginningOf(written, 200);

/** People know a position by its parts. */
const fieldList = (names: readonly string[]): string =>
  names.filter((name) => name !== companyOfPosition).join(', ');

interface ReadRecord {
  readonly row: InputRow;
  readonly proven?: true;
  readonly lack?: {
    readonly fields: JsonObject;
    readonly list: InnerList | undefined;
    readonly isInList: boolean;
  };
}

/** `whole` is what the user named. A record with a field of this name has only this one. */
function readValue(
  value: unknown,
  { line, text }: Line,
  names: readonly string[],
  whole: string | undefined,
): ReadRecord {
  // A row of `pdi investors -i` is the array of its matches, of which a table shows the first.
  const record = isListOfRecords(value) ? value[0] : value;
  if (isObject(record)) return readRecord(record, line, names, whole);
  if (record === undefined) return { row: { line, text: undefined, ...noMatchBefore } };
  // A bare number is its own identifier, as written.
  const row = typeof value === 'number' ? { line, text } : readScalar(value, line);
  return { row: row ?? { line, text: undefined }, proven: true };
}

/** The identifier in the JSON of a cell. */
export function identifierWithin(
  cell: string,
  path: string,
  line: number,
  field: string,
): InputRow | undefined {
  const value = attempt(() => parseJson(cell));
  if (!isObject(value) && !Array.isArray(value))
    return isBlankCell(cell)
      ? undefined
      : { line, text: undefined, field, invalid: `no JSON for --column ${field}` };
  return readScalar(reached(value, path.split('.'))?.value, line, field);
}

const isListOfRecords = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every(isObject);

function readRecord(
  record: JsonObject,
  line: number,
  parts: readonly string[],
  whole: string | undefined,
): ReadRecord {
  const named = whole !== undefined;
  const candidates = named ? parts : candidatesIn(parts, (name) => Object.hasOwn(record, name));
  const names = named && Object.hasOwn(record, whole) ? [whole] : candidates;
  const found = identifierIn(record, line, names, named);
  if (found !== undefined) return { row: found, proven: true };
  const blank = { line, text: undefined };
  const { input, pdi_status: status, pdi_error: error } = record;
  const earlier = carriedOver(status, error);
  if (earlier !== undefined)
    return { row: { ...blank, ...earlier, ...(typeof input === 'string' && { label: input }) } };
  if (Array.isArray(record.matches) && record.matches.length === 0) {
    const asked = isObject(record.query) ? Object.values(record.query).map(textOf) : [];
    const label = asked.find((text) => text !== undefined);
    return {
      row: { ...blank, ...noMatchBefore, ...(label !== undefined && { label }) },
      proven: true,
    };
  }
  const fields = names.map((name) => fieldIn(record, name).field);
  const begins = (field: string) =>
    Object.keys(record).some((key) => field === key || field.startsWith(`${key}.`));
  const known = fields.find((field) => begins(field) && !passesOverList(record, field));
  if (known !== undefined) return { row: { ...blank, field: known }, proven: true };
  const isWanted = (element: unknown) =>
    isObject(element) && identifierIn(element, line, names, false) !== undefined;
  const list = innerList(record, isWanted);
  return {
    row: {
      ...blank,
      invalid: `no field ${whole ?? fieldList(names)}${list === undefined ? '' : `; ${sizeOf(list.name, list.elements)}`}`,
    },
    lack: { fields: record, list, isInList: list?.elements.some(isWanted) === true },
  };
}

function identifierIn(
  record: JsonObject,
  line: number,
  names: readonly string[],
  all: boolean,
): InputRow | undefined {
  for (const name of names) {
    const { field, value } = fieldIn(record, name);
    const found = readScalar(value, line, field);
    if (found === undefined) continue;
    const next = all
      ? identifierIn(record, line, names.slice(names.indexOf(name) + 1), all)
      : undefined;
    return next === undefined ? found : { ...found, next };
  }
  return undefined;
}

function readScalar(value: unknown, line: number, field?: string): InputRow | undefined {
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  if (text !== undefined) return isBlankCell(text, field) ? undefined : { line, text, field };
  const holder = field === undefined ? 'the line' : `field ${field}`;
  return { line, text, field, invalid: `${holder} holds ${shapeOf(value)}, not an identifier` };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return isNumber(value) ? String(value) : undefined;
}

const shapeOf = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : String(value);

/** `field` is the name as the record spells it. A key that is spelled with dots wins over a path; numbers in a path count into arrays. */
function fieldIn(
  record: JsonObject,
  name: string,
): { readonly field: string; readonly value: unknown } {
  const names = name.split('.');
  const found = reached(record, names);
  if (found !== undefined) return found;
  const only = isFieldName(name) ? endingIn(Object.keys(record), name) : undefined;
  if (only !== undefined) return { field: only, value: record[only] };
  const [first = name, ...deeper] = names;
  return { field: [keyIn(record, first) ?? first, ...deeper].join('.'), value: undefined };
}

/** A path into a list needs the place of an element. */
function passesOverList(record: JsonObject, field: string): boolean {
  const names = field.split('.');
  return names.some(
    (name, at) =>
      !isListStep(name) && Array.isArray(fieldIn(record, names.slice(0, at).join('.')).value),
  );
}

/** Follows the longest keys that lead to a value: on the way there may be one that is spelled with dots too. */
function reached(
  value: unknown,
  names: readonly string[],
): { readonly field: string; readonly value: unknown } | undefined {
  for (let count = names.length; count > 0; count -= 1) {
    const step = stepInto(value, names.slice(0, count).join('.'));
    if (step !== undefined && count === names.length) return step;
    const inner = step && reached(step.value, names.slice(count));
    if (step !== undefined && inner !== undefined)
      return { field: `${step.field}.${inner.field}`, value: inner.value };
  }
  return undefined;
}

function stepInto(
  value: unknown,
  name: string,
): { readonly field: string; readonly value: unknown } | undefined {
  if (Array.isArray(value)) {
    const element = isListStep(name) ? elementAt(value, name) : undefined;
    return element === undefined ? undefined : { field: name, value: element };
  }
  const key = isObject(value) ? keyIn(value, name) : undefined;
  return isObject(value) && key !== undefined ? { field: key, value: value[key] } : undefined;
}

const keyIn = (record: JsonObject, name: string): string | undefined =>
  Object.hasOwn(record, name) ? name : Object.keys(record).find((key) => isAlike(key, name));

const sizeOf = (name: string, elements: readonly unknown[]): string =>
  `${name} holds ${pluralize(elements.length, elements.every(isObject) ? 'record' : 'value')}`;

function oneOfSeveral(value: unknown, field = ''): string | undefined {
  if (isListOfRecords(value))
    return value.length < 2
      ? undefined
      : `a list of ${value.length} records, of which the first is asked for`;
  const list = /^(.+?)\.\d+(?:\.|$)/.exec(field)?.[1];
  if (list === undefined || !isObject(value)) return undefined;
  const { value: elements } = fieldIn(value, list);
  if (!Array.isArray(elements) || elements.length < 2) return undefined;
  return `${sizeOf(list, elements)}, of which --column ${field} takes one`;
}

/** A list without a wanted field may be a part of a record, so that the fields of the record are named as well. */
function noField(
  record: Line,
  { fields, list, isInList }: NonNullable<ReadRecord['lack']>,
  wish: ColumnWish,
  name: string,
): UsageError {
  const { column } = wish;
  const candidates = candidatesIn(wish.candidates, (name) => Object.hasOwn(fields, name));
  const lack =
    column === undefined ? `none of the fields ${fieldList(candidates)}` : `no field ${column}`;
  const size = list === undefined ? '' : `; ${sizeOf(list.name, list.elements)}`;
  const ofList =
    list === undefined
      ? ''
      : `what is in the list: jq -c ${shellWord(list.filter)} FILE | pdi … -i -`;
  if (isInList) return mistakeIn(name, lack + size, `Give ${ofList}`, record);
  const rows = [{ cells: Object.values(fields).map((value) => textOf(value) ?? '') }];
  const { names, likeliest } = likelyColumns({ names: Object.keys(fields), rows }, candidates);
  const otherwise = ofList === '' ? '.' : `; or give ${ofList}`;
  const hint = `Name the field that holds the identifier with ${columnFlag(likeliest)}, dotted where it is nested${otherwise}`;
  const { message } = mistakeIn(
    name,
    `${lack}${size}; the record has: ${listed(names)}`,
    hint,
    record,
  );
  return new UsageError(message, {
    item: name,
    reason: lack,
    hint,
    way: likeliest === undefined ? undefined : { column: likeliest },
  });
}

/** A list inside an object, whose records somebody meant where the object itself is none. */
interface InnerList {
  readonly name: string;
  readonly filter: string;
  readonly elements: unknown[];
}

/** Deeper lists than this are parts of a record. */
const maxDepth = 4;

function innerList(
  record: JsonObject,
  isWanted: (element: unknown) => boolean,
): InnerList | undefined {
  const found = new Map<string, InnerList>();
  collectLists(record, found);
  const lists = [...found.values()];
  return (
    lists.find(({ elements }) => elements.some(isWanted)) ??
    lists.find(({ elements }) => elements.every(isObject)) ??
    lists[0]
  );
}

/** Lists of one name in the records of a list are one. */
function collectLists(
  value: unknown,
  found: Map<string, InnerList>,
  name = '',
  filter = '',
  depth = maxDepth,
): void {
  if (depth === 0) return;
  if (Array.isArray(value) && value.length > 0) {
    const list = found.get(filter) ?? { name, filter: `${filter}[]`, elements: [] };
    for (const element of value) list.elements.push(element);
    found.set(filter, list);
    for (const record of value.filter(isObject))
      collectLists(record, found, name, list.filter, depth - 1);
  }
  for (const [key, inner] of isObject(value) ? Object.entries(value) : []) {
    const step = /^[A-Za-z_]\w*$/.test(key)
      ? `.${key}`
      : `${filter === '' ? '.' : ''}[${JSON.stringify(key)}]`;
    collectLists(inner, found, name === '' ? key : `${name}.${key}`, filter + step, depth - 1);
  }
}
