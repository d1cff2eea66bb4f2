/** These options say where the identifiers of a job come from. */
import { type Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import { encodingName } from '../input/encoding.ts';
import type { RecordKind } from '../input/kind.ts';
import type { Source } from '../road/input-source.ts';
import type { InputKind } from '../rows/input-row.ts';
import type { RowStatus } from '../rows/result-row.ts';
import { wordsFlag } from './flag-reader.ts';
import { countFlag } from './paging.ts';

const inputKinds = ['lines', 'csv', 'tsv', 'ndjson', 'json', 'xlsx'] as const satisfies readonly InputKind[];
const recordKinds = ['json', 'ndjson', 'csv', 'tsv', 'xlsx'] as const satisfies readonly RecordKind[];

/** Each command gets new options, because Commander keeps state in them. */
const inputOption = () =>
  new Option('-i, --input <file>', 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx');
export const inputFormatOption = () =>
  new Option('--input-format <format>', 'what the input is, where its name and first bytes do not tell').choices(inputKinds);
export const recordFormatOption = () =>
  new Option('--input-format <format>', 'what FILE is, where its name and first bytes do not tell').choices(recordKinds);
export const encodingOption = () =>
  new Option('--encoding <label>', 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)').argParser(
    encodingName,
  );
export const sheetOption = () => new Option('--sheet <name>', 'sheet of a workbook, where it is not the first that is shown');
export const columnOption = () =>
  new Option('--column <names>', 'column or field that holds the identifier; of several (A,B), the first that is filled');

const lineReader = countFlag('--header-row', { least: 1, most: Number.MAX_SAFE_INTEGER, expected: 'a number of a line from 1' });
export const headerRowOption = () =>
  new Option('--header-row <line>', 'line of a table that holds the column names, where others stand above it').argParser(lineReader);

const firstReader = countFlag('--first', { least: 1, most: Number.MAX_SAFE_INTEGER, expected: 'a number of rows from 1' });
export const firstOption = (purpose = '') => new Option('--first <number>', `take the first rows alone${purpose}`).argParser(firstReader);

/** Never `skipped`: such a row was not asked about, so a job that has one is not done. */
const acceptable = ['not_found', 'invalid', 'failed', 'unknown'] as const satisfies readonly RowStatus[];

const acceptOption = () =>
  new Option(
    '--accept <statuses>',
    `what rows of a job may be and it still exits 0, not 8: ${acceptable.join(', ')}, or several with commas; a single id keeps its own exit code`,
  ).argParser(wordsFlag('--accept', acceptable));

export const withInputOptions = <A extends unknown[], O extends Record<string, unknown>>(parser: Command<A, O>) =>
  parser
    .addOption(inputOption())
    .addOption(inputFormatOption())
    .addOption(sheetOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .addOption(headerRowOption())
    .addOption(firstOption(', as a trial; with --out, the same command without it then goes on from there'))
    .addOption(acceptOption());

export interface InputFlags extends Omit<Source, 'identifiers' | 'file' | 'format'> {
  readonly input?: string | undefined;
  readonly inputFormat?: InputKind | undefined;
}

/** @throws UsageError if there are no identifiers, or two sources of them */
export function sourceOf<F extends InputFlags>(identifiers: readonly string[], flags: F, stdin: () => { readonly isTTY?: boolean }) {
  const { input: file, inputFormat: format, ...others } = flags;
  if (file === undefined) {
    if (identifiers.length === 0) throw nothingToAskFor(stdin().isTTY === true);
    refuseWithoutFile(others, ['--input']);
  } else if (identifiers.length > 0) {
    throw new UsageError('identifiers were given both as arguments and with --input', { hint: 'use one of the two' });
  }
  return { identifiers, file, format, ...others };
}

/** Standard input is never read unasked, so somebody who pipes identifiers is told how to ask for it. */
function nothingToAskFor(isTyped: boolean): UsageError {
  const hint = 'give identifiers, or a file of them with --input FILE';
  return new UsageError('there is nothing to ask for', { hint: isTyped ? hint : `${hint}; \`-i -\` reads standard input` });
}

/** Without an input file, flags that say how to read one are a mistake. @throws UsageError naming the flag */
export function refuseWithoutFile({ column, encoding, sheet, headerRow, first }: InputFlags, files: readonly string[]): void {
  const given = { '--column': column, '--encoding': encoding, '--sheet': sheet, '--header-row': headerRow, '--first': first };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  const hint = `name the file with ${files.map((file) => `${file} FILE`).join(' or ')}`;
  throw new UsageError(`${flag} goes with ${files.join(' and ')}`, { item: flag, hint });
}
