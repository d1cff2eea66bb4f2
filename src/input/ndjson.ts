/** Reads NDJSON: each line is one record or one bare identifier. */
import { UsageError } from '../errors.ts';
import { isNumber, isObject, parseJson } from '../json/parse.ts';
import type { InputRow } from '../rows/input-row.ts';
import { isBlank } from './bare.ts';
import { type ColumnWish, columnsNamed, listed } from './column.ts';
import { type LineBlock, linesInBlock } from './lines.ts';

/** A broken line spoils only its row. @throws UsageError where the first line is other JSON, or the first record has no wanted field */
export async function* ndjsonRows(blocks: AsyncIterable<LineBlock>, wish: ColumnWish, name: string): AsyncGenerator<readonly InputRow[]> {
  const fields = soughtFields(wish);
  let untouched = true;
  let unproven = wish.column === undefined;
  for await (const block of blocks) {
    const rows: InputRow[] = [];
    for (const { line, text } of linesInBlock(block)) {
      const written = text.trim();
      if (written === '') continue;
      if (untouched && /^(?:\[.*|\{)$/s.test(written)) throw notOneALine(name, line);
      untouched = false;
      const found = readLine(written, fields);
      if (unproven && found.keys) throw noField(name, line, found.keys, wish);
      if (found.proven) unproven = false;
      rows.push(found.text === undefined ? withoutText(rowOf(line, found), found, written) : rowOf(line, found));
    }
    if (rows.length > 0) yield rows;
  }
}

interface SoughtFields {
  /** They are read in this order. */
  readonly names: readonly string[];
  /** A record with a field of this name has only this one. */
  readonly whole?: string;
  /** They were named, so a row keeps all of them that it fills. */
  readonly named: boolean;
  readonly words: string;
}

function soughtFields({ column, candidates }: ColumnWish): SoughtFields {
  if (column === undefined) return { names: candidates, named: false, words: candidates.join(', ') };
  return { names: columnsNamed(column), whole: column, named: true, words: column };
}

/** A record without an identifier is shown as it was read, up to this length. */
const maxLabelLength = 200;

const withoutText = (row: InputRow, { label, foundNothing }: FoundIdentifier, written: string): InputRow => ({
  ...row,
  label: label ?? written.slice(0, maxLabelLength),
  ...(foundNothing === true && { foundNothing }),
});

interface FoundIdentifier {
  readonly text?: string;
  readonly field?: string | undefined;
  readonly invalid?: string;
  readonly label?: string;
  readonly foundNothing?: true;
  readonly next?: FoundIdentifier;
  /** The record has a wanted field, which may be empty. */
  readonly proven?: true;
  /** It is set where the record has none of the wanted fields. */
  readonly keys?: readonly string[];
}

/** Each case is written out, so that absent fields stay absent without cost on a million lines. */
function rowOf(line: number, { text, field, invalid, next }: FoundIdentifier): InputRow {
  if (next !== undefined)
    return { line, text, ...(field !== undefined && { field }), ...(invalid !== undefined && { invalid }), next: rowOf(line, next) };
  if (invalid !== undefined) return field === undefined ? { line, text, invalid } : { line, text, field, invalid };
  return field === undefined ? { line, text } : { line, text, field };
}

function readLine(written: string, fields: SoughtFields): FoundIdentifier {
  let value: unknown;
  try {
    value = parseJson(written);
  } catch {
    return { invalid: 'not JSON' };
  }
  if (isObject(value)) return readRecord(value, fields);
  // A bare number is its own identifier, as written.
  if (typeof value === 'number') return { text: written, proven: true };
  return readScalar(value) ?? { proven: true };
}

type FieldsOfRecord = Readonly<Record<string, unknown>>;

function readRecord(record: FieldsOfRecord, { names: parts, whole, named, words }: SoughtFields): FoundIdentifier {
  const names = whole !== undefined && Object.hasOwn(record, whole) ? [whole] : parts;
  const found = identifierIn(record, names, named);
  if (found) return found;
  const status = record.pdi_status;
  if (typeof status === 'string') {
    const { input } = record;
    const nothing = status === 'not_found' ? ({ foundNothing: true } as const) : {};
    return { invalid: carriedOver(status, record.pdi_error), ...(typeof input === 'string' && { label: input }), ...nothing };
  }
  if (Array.isArray(record.matches) && record.matches.length === 0) {
    return { invalid: 'no match in the input', proven: true, foundNothing: true, ...labelOf(record.query) };
  }
  const known = names.find((field) => Object.hasOwn(record, rootOf(field)) || Object.hasOwn(record, field));
  if (known !== undefined) return { field: known, proven: true };
  return { invalid: `no field ${words}`, keys: Object.keys(record) };
}

/** It is undefined where all these fields are absent or blank. */
function identifierIn(record: FieldsOfRecord, names: readonly string[], all: boolean): FoundIdentifier | undefined {
  for (const name of names) {
    const found = readScalar(valueAt(record, name), name);
    if (found === undefined) continue;
    const next = all ? identifierIn(record, names.slice(names.indexOf(name) + 1), all) : undefined;
    return next === undefined ? found : { ...found, next };
  }
  return undefined;
}

/** A resolve group without match is labelled with what it asked for. */
function labelOf(query: unknown): { readonly label?: string } {
  const asked = isObject(query) ? Object.values(query).find((value) => typeof value === 'string' || typeof value === 'number') : undefined;
  return asked === undefined ? {} : { label: String(asked) };
}

/** An earlier `pdi … -o ndjson` passes on rows without a record (contract, section Output). */
const carriedOver = (status: string, error: unknown): string =>
  `no record in the input: ${status}${typeof error === 'string' && error !== '' ? `, ${error}` : ''}`;

/** It is undefined for null, absent and empty, and invalid for anything but a string or a number. */
function readScalar(value: unknown, field?: string): FoundIdentifier | undefined {
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  if (text !== undefined && isBlank(text)) return undefined;
  if (text !== undefined) return { text, field, proven: true };
  const where = field === undefined ? 'the line' : `field ${field}`;
  return { invalid: `${where} holds ${shapeOf(value)}, not an identifier`, field, proven: true };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return isNumber(value) ? String(value) : undefined;
}

const shapeOf = (value: unknown): string => (Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : String(value));

const rootOf = (field: string): string => field.split('.', 1)[0] ?? field;

/** A key that is spelled with dots wins over a path; numbers in a path count into arrays. */
function valueAt(record: FieldsOfRecord, field: string): unknown {
  if (Object.hasOwn(record, field)) return record[field];
  let value: unknown = record;
  for (const step of field.split('.')) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

const notOneALine = (name: string, line: number): UsageError =>
  new UsageError(`${name}, line ${line}: JSON, but not one object a line`, {
    item: name,
    hint: "Turn it into NDJSON: jq -c '.[]' FILE for an array, jq -c . FILE for objects over several lines.",
  });

const noField = (name: string, line: number, keys: readonly string[], { candidates }: ColumnWish): UsageError =>
  new UsageError(`${name}, line ${line}: none of the fields ${candidates.join(', ')}; the record has: ${listed(keys)}`, {
    item: name,
    hint: 'Name the field that holds the identifier with --column, dotted where it is nested.',
  });
