/** Where a job's identifiers come from: arguments, a file, or standard input. */
import { statSync } from 'node:fs';
import { type InputFlags, refuseWithoutFile } from '../cli/input-options.ts';
import { UsageError } from '../errors.ts';
import type { Input, InputRow } from '../rows/input-row.ts';
import type { Context } from './context.ts';

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

/** Process substitution and FIFOs can be read once only. */
function isRegularFile(path: string): boolean {
  if (path === '-') return false;
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** One row an argument; `line` is the argument's position, from 1. An empty argument is a row without text. */
export function argumentInput(identifiers: readonly string[]): Input {
  const rows = identifiers.map((written, index): InputRow => ({ line: index + 1, text: written.trim() || undefined }));
  return { kind: 'lines', name: 'arguments', batches: oneBatch(rows), close: () => undefined };
}

async function* oneBatch(rows: readonly InputRow[]): AsyncGenerator<readonly InputRow[]> {
  if (rows.length > 0) yield rows;
}
