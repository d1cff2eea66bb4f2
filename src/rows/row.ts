import { type PdiError, UsageError } from '../errors.ts';
import {
  isNumber,
  isObject,
  jsonText,
  type ReadJson,
  readJson,
  unmended,
  wasMended,
} from '../json/exact.ts';

export type InputKind = 'lines' | 'csv' | 'tsv' | 'ndjson' | 'json' | 'xlsx';

export interface FileForm {
  readonly inputFormat?: InputKind | undefined;
  readonly sheet?: string | undefined;
  readonly encoding?: string | undefined;
  readonly column?: string | undefined;
  /** The line of the header, from 1; what is above is left out. */
  readonly headerRow?: number | undefined;
  /** Columns that each row needs, the identifier's first. */
  readonly named?: readonly string[] | undefined;
}

/** The answer is joined to a row of CSV or TSV without changing a byte. */
export interface OwnCells {
  /** With its quotes, but without a line end or cells past the header. */
  readonly raw: string;
  readonly cells: readonly string[];
}

export interface OwnTable {
  readonly header: readonly string[];
  /** Without a BOM or a line end. */
  readonly rawHeader: string;
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
  /** In a workbook no text is a formula, so it must not become one in CSV. */
  readonly isOfWorkbook?: true;
  readonly quotesBehindBlanks?: boolean;
  /** Where the identifier stands. */
  readonly read?: readonly number[];
}

export interface InputRow {
  /** Where the row starts, from 1; of arguments, their position. */
  readonly line: number;
  /** In its line, from 1, in a format whose lines may hold several rows. */
  readonly column?: number;
  /** Trimmed, and undefined where it is absent or empty. */
  readonly text: string | undefined;
  /** What the output calls the row, where that is not its text: it has none, or was resolved to it. */
  readonly label?: string;
  /** Why the row is not sent, even where it has a text. */
  readonly invalid?: string | undefined;
  /** An earlier step of a pipe found nothing, or the run ended before this row: then it is not `invalid`. */
  readonly status?: 'not_found' | 'skipped' | 'failed';
  readonly failure?: PdiError | undefined;
  readonly own?: OwnCells | undefined;
  readonly inputValue?: unknown;
  /** An earlier step of a pipe had no identifier either. */
  readonly wasBlank?: true;
  /** The column of the identifier, which tells an investor's website from a name. */
  readonly field?: string | undefined;
  readonly linkInText?: true | undefined;
  /** The same row with the identifier of the next column that is filled, if several were named. */
  readonly next?: InputRow | undefined;
  /** Of the further columns that each row needs. */
  readonly others?: readonly (Pick<InputRow, 'text' | 'invalid'> | undefined)[];
}

export const rowStatuses = ['ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped'] as const;
export type RowStatus = (typeof rowStatuses)[number];

export interface Outcome {
  readonly status: RowStatus;
  /** A resolve without match has a record and `not_found`. */
  readonly record?: ApiRecord | undefined;
  readonly error?: string | undefined;
  readonly failure?: PdiError | undefined;
  /** It is missing for an answer of the service in this run. */
  readonly source?: 'book' | 'journal' | undefined;
  /** ISO 8601 in UTC, for answers that may be kept. */
  readonly fetchedAt?: string | undefined;
  readonly aboutAnother?: string | undefined;
  /** An earlier row of this run asked the same, so that this one made no call. */
  readonly repeated?: true | undefined;
}

export const asRepeated = (outcome: Outcome): Outcome => ({ ...outcome, repeated: true });

/** A row of a job names what was asked for; a row of a list is a record alone. */
export interface ResultRow
  extends Outcome,
    Pick<InputRow, 'own' | 'field' | 'inputValue' | 'linkInText'> {
  readonly input?: string;
  /** The identifier of the first column that is filled, where the row was asked about by its next. */
  readonly readAs?: string | undefined;
  readonly shown?: unknown;
  /** It is the whole answer, and no list of records. */
  readonly isAlone?: true;
}

/** Rows that are ready at the same time are written together; where something ended them early, a failure comes last. */
export type ResultRows = AsyncIterable<readonly ResultRow[] | PdiError>;

/** The fields are copied by name, because a spread takes a third of the time of a job of a million rows. */
export const resultRow = (
  { text = '', label = text, own, field, inputValue, linkInText }: Omit<InputRow, 'line'>,
  { status, record, error, failure, source, fetchedAt, aboutAnother, repeated }: Outcome,
): ResultRow => ({
  status,
  record,
  error,
  failure,
  source,
  fetchedAt,
  aboutAnother,
  repeated,
  input: label,
  own,
  field,
  inputValue: inputValue,
  linkInText,
});

export class ApiRecord {
  /** `sent` is the record's JSON where that was one line; a record of a text alone reads its value anew each time. */
  constructor(
    private readonly read: unknown,
    private readonly sent?: string,
  ) {}

  get value(): unknown {
    return this.read === undefined && this.sent !== undefined
      ? readJson(this.sent).value
      : this.read;
  }

  get text(): string {
    return this.sent ?? jsonText(this.value);
  }

  /** With its halves of characters, so that who reads it again can tell of them. */
  get asSent(): string {
    return wasMended(this.value) ? jsonText(unmended(this.value)) : this.text;
  }

  /** The same record in less memory, where its text is at hand. */
  get asText(): ApiRecord {
    return this.sent === undefined ? this : new ApiRecord(undefined, this.sent);
  }
}

export const rowsOf = (
  records: readonly ApiRecord[],
  { source, fetchedAt }: Pick<Outcome, 'source' | 'fetchedAt'> = {},
): readonly ResultRow[] => records.map((record) => ({ record, status: 'ok', source, fetchedAt }));

export function readRecord(text: string): ApiRecord {
  const { value, whole } = readJson(text);
  return new ApiRecord(value, whole);
}

export const recordsOf = ({ value, parts }: ReadJson): readonly ApiRecord[] =>
  Array.isArray(value) ? value.map((one: unknown, at) => new ApiRecord(one, parts?.[at])) : [];

export function identityIn(record: unknown, field: string): string | undefined {
  const value = isObject(record) ? record[field] : undefined;
  return typeof value === 'string' || isNumber(value) ? String(value) : undefined;
}

export const noIdentifier = 'no id';

export const noMatchBefore = { invalid: 'no match in the input', status: 'not_found' } as const;

/** An earlier `pdi` passes on rows without a record (contract, section Output). */
export function carriedOver(
  status: unknown,
  error: unknown,
): Pick<InputRow, 'invalid' | 'status' | 'wasBlank'> | undefined {
  const earlier = rowStatuses.find((known) => known === status);
  if (earlier === undefined || earlier === 'ok') return undefined;
  if (earlier === 'not_found') return noMatchBefore;
  const invalid =
    error === noIdentifier
      ? noIdentifier
      : `no record: ${earlier}${typeof error === 'string' && error !== '' ? `, ${error}` : ''}`;
  return { invalid, ...(error === noIdentifier && { wasBlank: true }) };
}

export interface Input {
  readonly kind: InputKind;
  readonly own?: OwnTable;
  readonly batches: AsyncGenerator<readonly InputRow[]>;
  readonly name: string;
  close(): void;
}

export async function* oneByOne(
  batches: AsyncIterable<readonly InputRow[]>,
): AsyncGenerator<InputRow> {
  for await (const batch of batches) yield* batch;
}

export async function* firstOf<T>(
  batches: AsyncIterable<readonly T[]>,
  count: number,
): AsyncGenerator<readonly T[]> {
  let left = count;
  for await (const batch of batches) {
    yield batch.length > left ? batch.slice(0, left) : batch;
    left -= batch.length;
    if (left <= 0) return;
  }
}

export async function* startingWith<T>(
  first: readonly T[],
  rest: AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The results for the items before a broken one; then it throws what `work` threw, or the items. */
export function* untilBroken<T, R>(
  items: Iterable<T>,
  work: (item: T) => R | undefined,
): Generator<readonly R[]> {
  const done: R[] = [];
  try {
    for (const item of items) {
      const result = work(item);
      if (result !== undefined) done.push(result);
    }
  } finally {
    if (done.length > 0) yield done;
  }
}

export async function* mapped<T, R>(
  batches: AsyncIterable<readonly T[]>,
  work: (item: T) => R | undefined,
): AsyncGenerator<readonly R[]> {
  for await (const batch of batches) yield* untilBroken(batch, work);
}

export class NoRows extends UsageError {
  constructor(name: string) {
    super(`${name} has no rows`, { item: name, hint: 'Give at least one identifier.' });
  }
}
