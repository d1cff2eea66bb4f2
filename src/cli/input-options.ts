/** These options say where the identifiers of a job come from. */
import { type Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import { encodingName } from '../input/encoding.ts';
import type { RecordKind } from '../input/kind.ts';
import type { InputKind } from '../rows/input-row.ts';

const inputKinds = ['lines', 'csv', 'tsv', 'ndjson', 'json'] as const satisfies readonly InputKind[];
const recordKinds = ['json', 'ndjson', 'csv', 'tsv'] as const satisfies readonly RecordKind[];

/** Each command gets new options, because Commander keeps state in them. */
const inputOption = () =>
  new Option('-i, --input <file>', 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson or json, in gzip too');
export const inputFormatOption = () =>
  new Option('--input-format <format>', 'what the input is, where its name and first bytes do not tell').choices(inputKinds);
export const recordFormatOption = () =>
  new Option('--input-format <format>', 'what FILE is, where its name and first bytes do not tell').choices(recordKinds);
export const encodingOption = () =>
  new Option('--encoding <label>', 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)').argParser(
    encodingName,
  );
export const columnOption = () =>
  new Option('--column <names>', 'column or field that holds the identifier; of several (A,B), the first that is filled');

export const withInputOptions = <A extends unknown[], O extends Record<string, unknown>>(parser: Command<A, O>) =>
  parser.addOption(inputOption()).addOption(inputFormatOption()).addOption(encodingOption()).addOption(columnOption());

export interface InputFlags {
  readonly input?: string | undefined;
  readonly inputFormat?: InputKind | undefined;
  readonly encoding?: string | undefined;
  readonly column?: string | undefined;
}

/** Without an input file, flags that say how to read one are a mistake. @throws UsageError naming the flag */
export function refuseWithoutFile({ column, encoding }: Pick<InputFlags, 'column' | 'encoding'>, files: readonly string[]): void {
  const flag = column !== undefined ? '--column' : '--encoding';
  if (column === undefined && encoding === undefined) return;
  const hint = `name the file with ${files.map((file) => `${file} FILE`).join(' or ')}`;
  throw new UsageError(`${flag} goes with ${files.join(' and ')}`, { item: flag, hint });
}
