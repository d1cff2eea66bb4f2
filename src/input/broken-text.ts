/** Marks the rows of a pipe from the first bytes on that are no text: they are not sent, and the mistake is told after them. */
import type { UsageError } from '../errors.ts';
import type { InputRow, OwnTable } from '../rows/input-row.ts';

/** It is told of bytes that are not in the encoding, and of their line. Without it, the mistake ends the input. */
export type OnBrokenText = (mistake: UsageError, line: number) => void;

const replacement = '\uFFFD';

export class BrokenText {
  private first: { readonly mistake: UsageError; readonly line: number } | undefined;

  readonly note: OnBrokenText = (mistake, line) => {
    this.first ??= { mistake, line };
  };

  /** @throws UsageError the mistake, where it is the cause of `error` or is in the header itself */
  refuse({ error, own }: { readonly error?: unknown; readonly own?: OwnTable | undefined }): void {
    if (this.first !== undefined && (error !== undefined || own?.rawHeader.includes(replacement) === true)) throw this.first.mistake;
  }

  /**
   * A stop may cut a character or a quoted cell apart, which is no mistake of the input, and what comes after it is no row.
   * @throws UsageError the mistake, after the last row
   */
  async *marked(batches: AsyncIterable<readonly InputRow[]>, stopped: () => boolean): AsyncGenerator<readonly InputRow[]> {
    try {
      for await (const rows of batches) {
        if (this.first !== undefined && stopped()) return;
        yield this.first === undefined ? rows : rows.map((row) => this.markedRow(row));
      }
      if (this.first !== undefined) throw this.first.mistake;
    } catch (error) {
      if (!stopped()) throw this.first?.mistake ?? error;
    }
  }

  private markedRow(row: InputRow): InputRow {
    if (this.first === undefined) return row;
    const { mistake, line } = this.first;
    const lastLine = row.line + (row.own?.raw.split('\n').length ?? 1) - 1;
    const { next: _, ...alone } = row;
    return lastLine >= line ? { ...alone, unread: `not sent: ${mistake.message}` } : row;
  }
}
