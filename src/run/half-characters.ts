/** Counts the rows in which half a character was replaced, so that one notice says it. */
import { pluralize } from '../errors.ts';
import { wasMended } from '../json/half-characters.ts';
import type { ResultRows } from '../rows/result-row.ts';

export class HalfCharacters {
  private rows = 0;

  async *counting(rows: ResultRows): ResultRows {
    for await (const batch of rows) {
      if (!(batch instanceof Error)) this.rows += batch.filter(({ record, given }) => wasMended(record?.value) || wasMended(given)).length;
      yield batch;
    }
  }

  get remark(): string | undefined {
    if (this.rows === 0) return undefined;
    return `${pluralize(this.rows, 'row')} ${this.rows === 1 ? 'holds' : 'hold'} half a character (a lone surrogate), written as U+FFFD`;
  }
}
