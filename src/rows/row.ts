/** A row on its way from an input, or from the service, to an output. A job has one result for each row of its input. */
import { type PdiError, UsageError } from '../errors.ts';
import { isNumber, isObject, jsonText, type ReadJson, readJson } from '../json/exact.ts';

export type InputKind = 'lines' | 'csv' | 'tsv' | 'ndjson' | 'json' | 'xlsx';

/** What the user says about a file of input. */
export interface FileForm {
  readonly inputFormat?: InputKind | undefined;
  readonly sheet?: string | undefined;
  /** It is `--encoding`, as the WHATWG names it. */
  readonly encoding?: string | undefined;
  readonly column?: string | undefined;
  /** It is the line of the header, as `--header-row` says it. What is above is left out. */
  readonly headerRow?: number | undefined;
}

/** A row of CSV or TSV keeps the user's text, so that the answer can be joined to it without changing a byte. */
export interface OwnCells {
  /** It has its quotes, but no line end and no cells past the header. */
  readonly raw: string;
  readonly cells: readonly string[];
}

/** A join writes the file's own table again. */
export interface OwnTable {
  readonly header: readonly string[];
  /** It has no BOM and no line end. */
  readonly rawHeader: string;
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
  /** In a workbook no text is a formula, so it must not become one in CSV. */
  readonly isOfWorkbook?: true;
}

export interface InputRow {
  /** It is the line, from 1, where the row starts; for arguments it is their position. */
  readonly line: number;
  /** It is the character, from 1, where the row starts, in a format whose lines may hold several rows. */
  readonly column?: number;
  /** It is trimmed, and undefined where it is absent or empty. */
  readonly text: string | undefined;
  /** It stands for a row without an identifier in the output, such as the question of a resolve without match. */
  readonly label?: string;
  /** It says why the row is not sent, even where it has a text. */
  readonly invalid?: string | undefined;
  /** An earlier step of a pipe found nothing, or the run ended before this row: then it is not `invalid`. */
  readonly status?: 'not_found' | 'skipped';
  readonly own?: OwnCells | undefined;
  /** It is the JSON value that the row was read from, if that is to be kept. */
  readonly given?: unknown;
  /** An earlier step of a pipe had no identifier either. */
  readonly wasBlank?: true;
  /** The identifier was read from this column or field, which tells an investor's website from a name. */
  readonly field?: string | undefined;
  /** The identifier is a link that was read out of a text. */
  readonly linkInText?: true | undefined;
  /** It is the same row with the identifier of the next column that is filled, if several were named. */
  readonly next?: InputRow | undefined;
}

/** These are the words of the contract's `pdi_status` column, in the order of summaries. */
export const rowStatuses = ['ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped'] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** A journal keeps this for each row of the input, and identical rows share it. */
export interface Outcome {
  readonly status: RowStatus;
  /** A resolve without match has a record and `not_found`. */
  readonly record?: ApiRecord | undefined;
  readonly error?: string | undefined;
  readonly failure?: PdiError | undefined;
  /** It is missing for an answer of the service in this run. */
  readonly source?: 'book' | 'journal' | undefined;
  /** It is the time of the service's answer, ISO 8601 in UTC, for answers that may be kept. */
  readonly fetchedAt?: string | undefined;
  /** The record is about this other id, not about the one that was asked for. */
  readonly aboutAnother?: string | undefined;
}

/** A row of a job names what was asked for; a row of a list is a record alone. */
export interface ResultRow extends Outcome, Pick<InputRow, 'own' | 'field' | 'given' | 'linkInText'> {
  readonly input?: string;
  /** It is the identifier of the first column that is filled, where the row was asked about by its next. */
  readonly readAs?: string | undefined;
  readonly shown?: unknown;
  /** Columns of the record that stay empty, because the service sent a value of another type. */
  readonly unfit?: ReadonlySet<string> | undefined;
}

/** Rows that are ready at the same time are written together. Where something ended them early, a failure comes last. */
export type ResultRows = AsyncIterable<readonly ResultRow[] | PdiError>;

/** The fields are copied by name, because a spread takes a third of the time of a job of a million rows. */
export const resultRow = (
  { text, label = '', own, field, given, linkInText }: Omit<InputRow, 'line'>,
  { status, record, error, failure, source, fetchedAt, aboutAnother }: Outcome,
): ResultRow => ({
  status,
  record,
  error,
  failure,
  source,
  fetchedAt,
  aboutAnother,
  input: text ?? label,
  own,
  field,
  given,
  linkInText,
});

/** A record of the service keeps its value and its own text on the way to the output. */
export class ApiRecord {
  /** `sent` is the record's JSON as it was sent, where that is one line; a record of a text alone reads its value anew each time. */
  constructor(
    private readonly read: unknown,
    private readonly sent?: string,
  ) {}

  get value(): unknown {
    return this.read === undefined && this.sent !== undefined ? readJson(this.sent).value : this.read;
  }

  get text(): string {
    return this.sent ?? jsonText(this.value);
  }

  /** The same record in less memory, where its text is at hand. */
  get asText(): ApiRecord {
    return this.sent === undefined ? this : new ApiRecord(undefined, this.sent);
  }
}

/** The rows of a list, where each record is one. */
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

/** Gives the text of a record's identity, which a service may send as a number; undefined where it has none. */
export function identityIn(record: unknown, field: string): string | undefined {
  const value = isObject(record) ? record[field] : undefined;
  return typeof value === 'string' || isNumber(value) ? String(value) : undefined;
}

export const noIdentifier = 'the row has no identifier';

/** An earlier step of a pipe found nothing. */
export const noMatchBefore = { invalid: 'no match in the input', status: 'not_found' } as const;

/** An earlier `pdi` passes on rows without a record (contract, section Output). */
export const carriedOver = (status: string, error: unknown): Pick<InputRow, 'invalid' | 'status' | 'wasBlank'> => ({
  invalid: `no record in the input: ${status}${typeof error === 'string' && error !== '' ? `, ${error}` : ''}`,
  ...(status === 'not_found' && { status }),
  ...(error === noIdentifier && { wasBlank: true }),
});

export interface Input {
  readonly kind: InputKind;
  readonly own?: OwnTable;
  /** They can be read once, in groups as they come off the disk. */
  readonly batches: AsyncIterable<readonly InputRow[]>;
  readonly name: string;
  close(): void;
}

export async function* oneByOne(batches: AsyncIterable<readonly InputRow[]>): AsyncGenerator<InputRow> {
  for await (const batch of batches) yield* batch;
}

export async function* firstOf<T>(batches: AsyncIterable<readonly T[]>, count: number): AsyncGenerator<readonly T[]> {
  let left = count;
  for await (const batch of batches) {
    yield batch.length > left ? batch.slice(0, left) : batch;
    left -= batch.length;
    if (left <= 0) return;
  }
}

/** Gives `first`, then the rest; ending early closes the rest. */
export async function* startingWith<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Gives the results for the items before a broken one, and then throws what `work` threw, or the items. An item may have none. */
export function* untilBroken<T, R>(items: Iterable<T>, work: (item: T) => R | undefined): Generator<readonly R[]> {
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

/** Does the work for each item of each batch. */
export async function* mapped<T, R>(batches: AsyncIterable<readonly T[]>, work: (item: T) => R | undefined): AsyncGenerator<readonly R[]> {
  for await (const batch of batches) yield* untilBroken(batch, work);
}

/** An input without rows is a mistake where its file was named. */
export class NoRows extends UsageError {
  constructor(name: string) {
    super(`${name} has no rows`, { item: name, hint: 'Give at least one identifier.' });
  }
}
