/** Identifiers of a job come from arguments, a file, or standard input. */
import { statSync } from 'node:fs';
import { attempt, shellWord, UsageError } from '../errors.ts';
import { columnsNamed } from '../input/column.ts';
import { interruptedAtInput, isDescriptor } from '../input/content.ts';
import { kindByName } from '../input/kind.ts';
import { openInput } from '../input/open-input.ts';
import { type FileForm, firstOf, type Input, type InputRow, type RowStatus } from '../rows/row.ts';
import type { Tools } from './tools.ts';

export interface Source extends FileForm {
  readonly identifiers: readonly string[];
  readonly input?: string | undefined;
  readonly first?: number | undefined;
  readonly accept?: readonly RowStatus[] | undefined;
}

export interface InputSource {
  /** Looks for mistakes in all that is to be read, before anything is sent. */
  open(): Promise<Input>;
  /** Reads all rows before anything is sent, so that their mistakes need not be looked for. */
  readAhead<T>(read: ReadRows<T>): Promise<T>;
  /** Reads no more rows than these, so that mistakes are looked for all the same. */
  sample<T>(rows: number, read: ReadRows<T>): Promise<T>;
  readonly repeatable: boolean;
  readonly isSingle: boolean;
}

type ReadRows<T> = (batches: Input['batches'], header?: readonly string[]) => Promise<T>;

/** Rows of a file may be read twice: a remark about it is told once. */
export function inputSource(
  { identifiers, input: path, first, ...form }: Source,
  candidates: readonly string[],
  { io, stop, say }: Tools,
  keepsValues: boolean,
): InputSource {
  if (path === undefined) {
    const input = () => argumentInput(identifiers);
    const readAhead: InputSource['readAhead'] = (read) => read(input().batches);
    return {
      open: async () => input(),
      readAhead,
      sample: (_, read) => readAhead(read),
      repeatable: true,
      isSingle: identifiers.length === 1,
    };
  }
  let checked = false;
  const told = new Set<string>();
  const notice = (remark: string): void => {
    if (!told.has(remark)) say.notice(remark);
    told.add(remark);
  };
  const request = { path, io, stop, ...form, notice, candidates, loadKnown, keepsValues };
  const open = async (toTheEnd: boolean): Promise<Input> => {
    // A trial of some rows checks these alone, so that a large file does not hold it up.
    if (!checked && first !== undefined && !toTheEnd && isRegularFile(path))
      await readAndClose(await openInput({ ...request, checked: true }), stop, (batches) =>
        countRows(firstOf(batches, first)),
      );
    const input = await openInput({
      ...request,
      checked: checked || first !== undefined || toTheEnd,
    });
    checked = true;
    return first === undefined ? input : { ...input, batches: firstOf(input.batches, first) };
  };
  const readAhead: InputSource['readAhead'] = async (read) =>
    readAndClose(await open(true), stop, read);
  const sample: InputSource['sample'] = async (rows, read) =>
    readAndClose(await openInput({ ...request, checked: true }), stop, (batches, header) =>
      read(firstOf(batches, rows), header),
    );
  return {
    open: () => open(false),
    readAhead,
    sample,
    repeatable: isRegularFile(path),
    isSingle: false,
  };
}

async function readAndClose<T>(input: Input, stop: AbortSignal, read: ReadRows<T>): Promise<T> {
  try {
    return await read(untilStopped(input.batches, stop), input.own?.header);
  } finally {
    input.close();
  }
}

/** Nothing is sent before all is read, so that a stop ends it at once. */
async function* untilStopped(batches: Input['batches'], stop: AbortSignal): Input['batches'] {
  for await (const batch of batches) {
    if (stop.aborted) break;
    yield batch;
  }
  if (stop.aborted) throw interruptedAtInput();
}

/** Whether a row may be asked about by several of its columns. */
export const namesSeveral = (
  column: string | undefined,
  header: readonly string[] | undefined,
): boolean => column !== undefined && columnsNamed(column, header).length > 1;

export async function countRows(batches: Input['batches']): Promise<number> {
  let rows = 0;
  for await (const batch of batches) rows += batch.length;
  return rows;
}

export const loadKnown = async (): Promise<readonly string[]> =>
  (await import('./named-columns.ts')).knownNames;

/** Process substitution and FIFOs can be read only once. */
export const isRegularFile = (path: string): boolean =>
  path !== '-' && !isDescriptor(path) && attempt(() => statSync(path).isFile()) === true;

/** Makes one row of each argument; `line` is its position, from 1. An empty argument is a row without text. */
export function argumentInput(identifiers: readonly string[]): Input {
  const rows = identifiers.map(
    (written, index): InputRow => ({ line: index + 1, text: written.trim() || undefined }),
  );
  return { kind: 'lines', name: 'arguments', batches: oneBatch(rows), close: () => undefined };
}

async function* oneBatch(rows: readonly InputRow[]): AsyncGenerator<readonly InputRow[]> {
  if (rows.length > 0) yield rows;
}

/** @throws UsageError if an identifier is `-`, the path of a file, or a name that only a file has */
export function refuseFiles(
  identifiers: readonly string[],
  {
    command,
    flag,
    otherwise = '',
  }: { readonly command: string; readonly flag: string; readonly otherwise?: string },
): void {
  for (const identifier of identifiers) {
    if (identifier === '-') {
      const hint = `nothing was sent; \`pdi ${command} ${flag} -\` reads standard input`;
      throw new UsageError('- is standard input, not an identifier', { item: identifier, hint });
    }
    if (isFile(identifier)) {
      const reason = 'is a file, not an identifier';
      const isInput = flag === '-i' && identifiers.length === 1;
      const hint = `nothing was sent; ${isInput ? '-i' : `\`pdi ${command} ${flag} ${shellWord(identifier)}\``} reads the identifiers in it`;
      throw new UsageError(`${identifier} ${reason}`, {
        item: identifier,
        reason,
        hint,
        way: isInput ? { input: identifier } : undefined,
      });
    }
    if (isFileName(identifier)) {
      const hint = `nothing was sent; a file of identifiers is named with ${flag} FILE${otherwise}`;
      throw new UsageError(`${identifier}: there is no such file`, { item: identifier, hint });
    }
  }
}

/** A slug may have an extension too, so a URL or a path is no name of a file. */
const isFileName = (text: string): boolean => !/[/\\]/.test(text) && kindByName(text) !== undefined;

/** A plain word is an identifier, even if a file here happens to be called so. */
function isFile(text: string): boolean {
  if (text.includes('://') || !(isFileName(text) || /[/\\]/.test(text))) return false;
  return attempt(() => !statSync(text).isDirectory()) === true;
}
