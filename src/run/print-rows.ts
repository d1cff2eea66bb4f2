/** Rows of the tool's own (settings, spending) in the format asked for. */

import type { Column } from '../contract/columns.ts';
import { ApiRecord } from '../rows/record.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import { openOutput } from './open-output.ts';

export async function printRows(context: Context, columns: readonly Column[], records: readonly object[], one = false): Promise<void> {
  const output = await openOutput(context, { columns, one, job: false });
  const rows = async function* (): AsyncGenerator<readonly ResultRow[]> {
    yield records.map((record): ResultRow => ({ record: new ApiRecord(record), status: 'ok' }));
  };
  const { failure } = await output.deliver(rows());
  if (failure !== undefined) throw failure;
}

/** Columns of text that tables show, by name. */
export const textColumns = (...names: readonly string[]): readonly Column[] => names.map((name) => ({ name, kind: 'text', inTable: true }));
