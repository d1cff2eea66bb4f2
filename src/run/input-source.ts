/** Identifiers of a job come from arguments, a file, or standard input. */
import { statSync } from 'node:fs';
import { type InputFlags, refuseWithoutFile } from '../cli/input-options.ts';
import { UsageError } from '../errors.ts';
import type { InputRequest } from '../input/open-input.ts';
import { firstOf, type Input, type InputRow } from '../rows/input-row.ts';
import type { Context } from './context.ts';

export interface InputSource {
  /** With `toTheEnd` the caller reads all rows before anything is sent, so `open` does not check the input first. */
  open(reading?: { readonly toTheEnd: true }): Promise<Input>;
  readonly repeatable: boolean;
  readonly one: boolean;
  readonly file?: string | undefined;
  readonly first?: number | undefined;
}

/** @throws UsageError if there are no identifiers, or two sources of them */
export async function inputSource(
  context: Context,
  identifiers: readonly string[],
  flags: InputFlags,
  candidates: readonly string[],
): Promise<InputSource> {
  const { input: path, inputFormat: format, sheet, encoding, column, headerRow, first } = flags;
  if (path === undefined) {
    if (identifiers.length === 0) throw nothingToAskFor(context);
    refuseWithoutFile(flags, ['--input']);
    return { open: async () => argumentInput(identifiers), repeatable: true, one: identifiers.length === 1 };
  }
  if (identifiers.length > 0)
    throw new UsageError('identifiers were given both as arguments and with --input', { hint: 'use one of the two' });
  let checked = false;
  const told = new Set<string>();
  // A job may read its input twice.
  const once = (remark: string): void => {
    if (!told.has(remark)) context.notice(remark);
    told.add(remark);
  };
  const open: InputSource['open'] = async (reading) => {
    const { openInput } = await import('../input/open-input.ts');
    const { io, stop, flags } = context;
    const request = {
      path,
      io,
      stop,
      format,
      sheet,
      encoding,
      column,
      headerRow,
      notice: once,
      candidates,
      loadKnown,
      keepsValues: flags.withInput === true,
    };
    // A trial of some rows checks these alone, so that a large file does not hold it up.
    if (!checked && first !== undefined && reading?.toTheEnd !== true && isRegularFile(path)) await readFirst(openInput, request, first);
    const input = await openInput({ ...request, checked: checked || first !== undefined || reading?.toTheEnd === true });
    checked = true;
    return first === undefined ? input : { ...input, batches: firstOf(input.batches, first) };
  };
  return { open, repeatable: isRegularFile(path), one: false, file: path, first };
}

/** @throws UsageError for a mistake in the first rows */
async function readFirst(openInput: (request: InputRequest) => Promise<Input>, request: InputRequest, first: number): Promise<void> {
  const input = await openInput({ ...request, checked: true });
  try {
    for await (const _ of firstOf(input.batches, first));
  } finally {
    input.close();
  }
}

export const loadKnown = async (): Promise<readonly string[]> => (await import('./named-columns.ts')).knownNames;

/** Standard input is never read unasked, so somebody who pipes identifiers is told how to ask for it. */
function nothingToAskFor({ io }: Context): UsageError {
  const hint = 'give identifiers, or a file of them with --input FILE';
  return new UsageError('there is nothing to ask for', { hint: io.stdin.isTTY === true ? hint : `${hint}; \`-i -\` reads standard input` });
}

/** Process substitution and FIFOs can be read only once. */
function isRegularFile(path: string): boolean {
  if (path === '-') return false;
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Makes one row of each argument; `line` is its position, from 1. An empty argument is a row without text. */
export function argumentInput(identifiers: readonly string[]): Input {
  const rows = identifiers.map((written, index): InputRow => ({ line: index + 1, text: written.trim() || undefined }));
  return { kind: 'lines', name: 'arguments', batches: oneBatch(rows), close: () => undefined };
}

async function* oneBatch(rows: readonly InputRow[]): AsyncGenerator<readonly InputRow[]> {
  if (rows.length > 0) yield rows;
}
