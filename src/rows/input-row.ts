/** An opened input and its rows look the same for a job, whatever the file's format was. */
import { UsageError } from '../errors.ts';

export type InputKind = 'lines' | 'csv' | 'tsv' | 'ndjson' | 'json' | 'xlsx';

/** What the user says about a file of input. */
export interface FileForm {
  readonly format?: InputKind | undefined;
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
  /** It says why the row is broken. Such a row is never sent, even where it has a text. */
  readonly invalid?: string;
  /** It says why the run ended before this row, which is not sent. */
  readonly unread?: string;
  readonly own?: OwnCells;
  /** It is the JSON value that the row was read from, if that is to be kept. */
  readonly given?: unknown;
  /** An earlier step of a pipe found nothing, so the row is `not_found` and not `invalid`. */
  readonly foundNothing?: true;
  /** An earlier step of a pipe had no identifier either. */
  readonly wasBlank?: true;
  /** The identifier was read from this column or field, which tells an investor's website from a name. */
  readonly field?: string;
  /** The identifier is a link that was read out of a text. */
  readonly linkInText?: true;
  /** It is the same row with the identifier of the next column that is filled, if several were named. */
  readonly next?: InputRow;
}

export const noIdentifier = 'the row has no identifier';

/** An earlier step of a pipe found nothing. */
export const noMatchBefore = { invalid: 'no match in the input', foundNothing: true } as const;

/** An earlier `pdi` passes on rows without a record (contract, section Output). */
export const carriedOver = (status: string, error: unknown): Pick<InputRow, 'invalid' | 'foundNothing' | 'wasBlank'> => ({
  invalid: `no record in the input: ${status}${typeof error === 'string' && error !== '' ? `, ${error}` : ''}`,
  ...(status === 'not_found' && { foundNothing: true }),
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

/** Gives the results for the items before a broken one, and then throws what `work` threw, or the items. */
export function* untilBroken<T, R>(items: Iterable<T>, work: (item: T) => R): Generator<readonly R[]> {
  const done: R[] = [];
  try {
    for (const item of items) done.push(work(item));
  } finally {
    if (done.length > 0) yield done;
  }
}

/** Does the work for each item of each batch. */
export async function* mapped<T, R>(batches: AsyncIterable<readonly T[]>, work: (item: T) => R): AsyncGenerator<readonly R[]> {
  for await (const batch of batches) yield* untilBroken(batch, work);
}

/** An input without rows is a mistake where its file was named. */
export class NoRows extends UsageError {
  constructor(name: string) {
    super(`${name} has no rows`, { item: name, hint: 'Give at least one identifier.' });
  }
}
