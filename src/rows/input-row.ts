/** One row of bulk input, and an opened input: what a job reads, whatever the file's format was. */
import { UsageError } from '../errors.ts';

export type InputKind = 'lines' | 'csv' | 'tsv' | 'ndjson';

/** A row of CSV or TSV as the user wrote it, so that the answer can be joined to it without changing a byte. */
export interface OwnCells {
  /** The row's text as in the file, quotes and all, without its line end and without cells past the header. */
  readonly raw: string;
  /** No more than the header has. */
  readonly cells: readonly string[];
}

/** The file's own table, where the input is CSV or TSV: what a join needs to write it again. */
export interface OwnTable {
  readonly header: readonly string[];
  /** The header row as in the file, without BOM and line end. */
  readonly rawHeader: string;
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
}

export interface InputRow {
  /** 1-based line of the file where the row starts; for arguments, their position. */
  readonly line: number;
  /** The identifier as written, trimmed; undefined where it is absent or empty. */
  readonly text: string | undefined;
  /** What stands for the row in the output where it has no identifier, such as the question of a resolve without match. */
  readonly label?: string;
  /** Why the row itself is broken (cell count, not JSON …); such a row is never sent, even where it has a text. */
  readonly invalid?: string;
  /** CSV and TSV only. */
  readonly own?: OwnCells;
  /** Set where an earlier step of a pipe found nothing: the row is `not_found` rather than `invalid`. */
  readonly foundNothing?: true;
  /** The column or field that the identifier was read from: tells an investor's website from a name. */
  readonly field?: string;
}

export interface Input {
  readonly kind: InputKind;
  /** CSV and TSV only. */
  readonly own?: OwnTable;
  /** The rows, read as they are asked for, once, in groups as they come off the disk. */
  readonly batches: AsyncIterable<readonly InputRow[]>;
  /** For messages: the path, `standard input` or `arguments`. */
  readonly name: string;
  /** Lets go of the file or the stream; rows that were not read are lost. */
  close(): void;
}

/** The rows of `batches`, one by one, where there are too few for their cost to count. */
export async function* oneByOne(batches: AsyncIterable<readonly InputRow[]>): AsyncGenerator<InputRow> {
  for await (const batch of batches) yield* batch;
}

/** An input in which there is nothing to do: of a file that was named, a mistake. */
export class NoRows extends UsageError {
  constructor(name: string) {
    super(`${name} has no rows`, { item: name, hint: 'Give at least one identifier.' });
  }
}
