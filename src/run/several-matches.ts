/** Some lookups find several records for a row. Tables show the first, and say that there are more. */

import type { Column } from '../contract/columns.ts';
import { pluralize } from '../errors.ts';
import { isJsonFormat } from '../output/formats.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Show } from './plan.ts';
import type { RunCost } from './run-cost.ts';
import type { Say } from './tools.ts';

export const matchesColumn: Column = { name: 'pdi_matches', kind: 'count', inTable: true, place: { rank: Number.MAX_SAFE_INTEGER } };

/** Counts the rows that found several records while it passes all rows on. */
export class SeveralMatches {
  private rows = 0;

  async *counting(rows: ResultRows): ResultRows {
    for await (const together of rows) {
      if (!(together instanceof Error))
        for (const { record } of together) if (Array.isArray(record?.value) && record.value.length > 1) this.rows += 1;
      yield together;
    }
  }

  /** `again` says what it takes to ask for the records once more; nothing where they need not be asked for. */
  tell({ format, explode }: Pick<Show, 'format' | 'explode'>, { notice }: Pick<Say, 'notice'>, again?: Pick<RunCost, 'foundBy'>): void {
    const { rows } = this;
    const showsAll = isJsonFormat(format) && explode === undefined;
    if (rows === 0 || showsAll) return;
    const several = `${pluralize(rows, 'row')} found several records, of which ${format} shows the first (see pdi_matches)`;
    const price =
      again?.foundBy === 'any run' ? 'costs nothing, the answers are kept' : `makes up to ${pluralize(rows, 'call')} that may be billed`;
    const asking = again === undefined ? '' : `: asking again for ${rows === 1 ? 'that row' : 'those rows'} ${price}`;
    notice(`${several}; -o json or ndjson${explode === undefined ? '' : ' without --explode'} shows all${asking}`);
  }
}
