/** A formatter turns records into text. It does not know where the text goes. */
import type { Column } from '../contract/columns.ts';
import type { PdiError } from '../errors.ts';
import type { OwnTable } from '../rows/input-row.ts';
import type { ResultRow } from '../rows/result-row.ts';

/** A string is written as UTF-8, bytes are written as they are. */
export type Output = string | Uint8Array;

/** Each function returns what to write now. `end` is called once, also after an early stop; then `complaint` and `remark` are known. */
export interface Formatter {
  rows(rows: readonly ResultRow[]): Output;
  end(): Output;
  /** It says why rows have another form than asked for. They are written anyway, because they may have been paid for. */
  complaint?(): PdiError | undefined;
  remark?(): string | undefined;
}

export interface FormatOptions {
  readonly width: number;
  readonly color: boolean;
  /** The text of `--delimiter`. Without it, the delimiter is a comma or that of the CSV input. */
  readonly delimiter?: string;
  readonly header: boolean;
  /** Without it, lines end as those of the CSV input do, or with CRLF. */
  readonly lineEnd?: OwnTable['lineEnd'];
  /** A byte-order mark at the start makes Excel read CSV as UTF-8. */
  readonly bom: boolean;
  readonly formulaGuard: boolean;
  readonly textIds?: boolean;
  /** Text for a terminal must not contain control sequences. */
  readonly terminal?: boolean;
  readonly query?: string;
  readonly explode?: string;
  /** Lists that a workbook shows as sheets of their own, a row an element (`--explode A,B`). */
  readonly lists?: readonly Column[];
}
