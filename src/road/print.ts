/** Prints output that is not an API answer: rows such as settings and spending, or one text such as a script or a plan. */

import type { Column } from '../contract/columns.ts';
import { openSink } from '../output/sinks/open-sink.ts';
import { ApiRecord } from '../rows/record.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { deliver } from './delivery.ts';
import type { Show } from './plan.ts';
import type { Tools } from './tools.ts';

export async function printRows(
  show: Show,
  tools: Tools,
  columns: readonly Column[],
  records: readonly object[],
  one = false,
): Promise<void> {
  const rows = async function* (): ResultRows {
    yield records.map((record): ResultRow => ({ record: new ApiRecord(record), status: 'ok' }));
  };
  const { failure } = await deliver(show, tools, { shape: { columns, one, job: false } }, rows);
  if (failure !== undefined) throw failure;
}

export const textColumns = (...names: readonly string[]): readonly Column[] => names.map((name) => ({ name, kind: 'text', inTable: true }));

interface TextTarget {
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Writes `text` to the file `out`, or to standard output without one. */
export async function printText(text: string, { io, stop }: Pick<Tools, 'io' | 'stop'>, { out, force }: TextTarget = {}): Promise<void> {
  const sink = await openSink({ stdout: io.stdout, file: out, force: force === true, stop });
  await sink.write(text);
  await sink.commit();
}
