/** Lookups that may find several records for a row: tables show the first, and say that there are more. */

import type { Column } from '../contract/columns.ts';
import { pluralize } from '../errors.ts';
import { isJsonFormat } from '../output/formats.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Context } from './context.ts';

/** How many records a row found, beside the first of them. */
export const matchesColumn: Column = { name: 'pdi_matches', kind: 'count', inTable: true, place: { rank: Number.MAX_SAFE_INTEGER } };

/** Passes rows on, and counts those that found several records. */
export class SeveralMatches {
  private rows = 0;

  async *counting(rows: ResultRows): ResultRows {
    for await (const together of rows) {
      if (!(together instanceof Error))
        for (const { record } of together) if (Array.isArray(record?.value) && record.value.length > 1) this.rows += 1;
      yield together;
    }
  }

  /** Says how to see the records that a table leaves out, and what that may cost. */
  tell(context: Context): void {
    const { rows } = this;
    const format = context.format();
    if (rows === 0 || isJsonFormat(format)) return;
    const several = `${pluralize(rows, 'row')} found several records, of which ${format} shows the first (see pdi_matches)`;
    context.notice(
      `${several}; -o json or ndjson shows all: asking again for ${rows === 1 ? 'that row' : 'those rows'} makes up to ${pluralize(rows, 'call')} that may be billed`,
    );
  }
}
