/** `--where EXPRESSION` keeps the records for which a JMESPath expression is true, whatever the format. */
import { type PdiError, pluralize } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import type { ResultRow } from '../rows/result-row.ts';
import { JmespathExpression } from './jmespath-expression.ts';
import { isFalse } from './jmespath-tree.ts';
import { columnsFrom } from './read.ts';

/** Gives the record, the first of several matches, or what ndjson writes in its place, with status and input of the row. */
function filtered({ status, error, input, record, given }: ResultRow): unknown {
  const job = { pdi_status: status, pdi_error: error ?? null, ...(given !== undefined && { pdi_input: given }) };
  if (record === undefined) return { input: input ?? null, ...job };
  const value = columnsFrom({ status, record });
  return isObject(value) ? { ...job, ...value } : value;
}

export class RowFilter {
  private readonly expression: JmespathExpression;
  private read = 0;
  private kept = 0;

  constructor(text: string) {
    this.expression = new JmespathExpression(text, {
      flag: '--where',
      example: "'signal_score >= `8`'",
      otherwise: 'the expression does not fit some records, which are kept',
      mayRound: true,
    });
  }

  keptOf(rows: readonly ResultRow[]): readonly ResultRow[] {
    return rows.filter((row) => this.keeps(row));
  }

  private keeps(row: ResultRow): boolean {
    const result = this.expression.search(filtered(row));
    const keeps = result === undefined || !isFalse(result.found);
    this.read += 1;
    if (keeps) this.kept += 1;
    return keeps;
  }

  get complaint(): PdiError | undefined {
    return this.expression.complaint;
  }

  get remark(): string {
    return `--where kept ${this.kept} of ${pluralize(this.read, 'record')}`;
  }
}
