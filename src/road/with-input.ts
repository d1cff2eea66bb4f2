/** `--with-input`: a record of json or ndjson carries the row of the input that it answers. */
import { UsageError } from '../errors.ts';
import { isJsonFormat } from '../output/formats.ts';
import { type Layout, uniqueNames } from '../output/layout.ts';
import type { OwnTable } from '../rows/input-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Show } from './plan.ts';

/** Gives nothing unless it is asked for. @throws UsageError if there is no input, or if the format has its columns anyway */
export function inputReader(
  { withInput, format }: Pick<Show, 'withInput' | 'format'>,
  { job, own }: { readonly job: boolean; readonly own?: OwnTable | undefined },
): Pick<Layout, 'inputOf'> {
  if (!withInput) return {};
  const item = '--with-input';
  if (!job)
    throw new UsageError('--with-input goes with commands that read identifiers', { item, hint: 'leave it out: no row has an input here' });
  if (!isJsonFormat(format)) {
    const hint = 'a CSV input comes back with its own columns in csv and xlsx, without it';
    throw new UsageError('--with-input goes with -o json or ndjson', { item, hint });
  }
  const names = uniqueNames(own?.header ?? []);
  const cellsOf = ({ own: cells }: ResultRow) => Object.fromEntries(names.map((name, at) => [name, cells?.cells[at] ?? '']));
  return { inputOf: own === undefined ? ({ given, input }) => given ?? input : cellsOf };
}
