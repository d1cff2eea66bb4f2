/** Where a job's identifiers come from: arguments, a file, or standard input. */
import { statSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import { argumentInput } from '../input/arguments.ts';
import { encodingName } from '../input/encoding.ts';
import type { Input, InputKind } from '../rows/input-row.ts';
import type { Context } from '../run/context.ts';

const inputKinds = ['lines', 'csv', 'tsv', 'ndjson'] as const satisfies readonly InputKind[];

/** The options of every command that takes identifiers in bulk; made anew for each, as Commander keeps state in them. */
export const inputOption = () => new Option('-i, --input <file>', 'read identifiers from a file, - for stdin: lines, csv, tsv or ndjson');
export const inputFormatOption = () =>
  new Option('--input-format <format>', 'what the input is, where its name and first bytes do not tell').choices(inputKinds);
export const encodingOption = () =>
  new Option('--encoding <label>', 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)').argParser(
    encodingName,
  );
export const columnOption = () => new Option('--column <name>', 'column or field that holds the identifier');

/** What those options give. */
export interface InputFlags {
  readonly input?: string | undefined;
  readonly inputFormat?: InputKind | undefined;
  readonly encoding?: string | undefined;
  readonly column?: string | undefined;
}

/** A job's input, to be opened. */
export interface InputSource {
  /** `toTheEnd`: who reads all of it before anything is sent need not have it read through for mistakes before. */
  open(reading?: { readonly toTheEnd: true }): Promise<Input>;
  /** Whether opening it a second time gives the same rows. */
  readonly repeatable: boolean;
  /** One identifier on the command line. */
  readonly one: boolean;
  readonly file?: string | undefined;
}

/** @throws UsageError where there are no identifiers, or two sources of them */
export async function inputSource(
  context: Context,
  identifiers: readonly string[],
  flags: InputFlags,
  candidates: readonly string[],
): Promise<InputSource> {
  const { input: path, inputFormat: format, encoding, column } = flags;
  if (path === undefined) {
    if (identifiers.length === 0)
      throw new UsageError('there is nothing to ask for', { hint: 'give identifiers, or a file of them with --input FILE' });
    refuseWithoutFile(flags, ['--input']);
    return { open: async () => argumentInput(identifiers), repeatable: true, one: identifiers.length === 1 };
  }
  if (identifiers.length > 0)
    throw new UsageError('identifiers were given both as arguments and with --input', { hint: 'use one of the two' });
  let checked = false;
  const open: InputSource['open'] = async (reading) => {
    const { openInput } = await import('../input/open.ts');
    if (reading?.toTheEnd === true) checked = true;
    const input = await openInput({ path, stdin: context.io.stdin, stop: context.stop, format, encoding, column, candidates, checked });
    checked = true;
    return input;
  };
  return { open, repeatable: isRegularFile(path), one: false, file: path };
}

/** For a command that was given no file: what says how to read one is a mistake. @throws UsageError naming the flag */
export function refuseWithoutFile({ column, encoding }: Pick<InputFlags, 'column' | 'encoding'>, files: readonly string[]): void {
  const flag = column !== undefined ? '--column' : '--encoding';
  if (column === undefined && encoding === undefined) return;
  const hint = `name the file with ${files.map((file) => `${file} FILE`).join(' or ')}`;
  throw new UsageError(`${flag} goes with ${files.join(' and ')}`, { item: flag, hint });
}

/** Process substitution and FIFOs can be read once only. */
function isRegularFile(path: string): boolean {
  if (path === '-') return false;
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
