/** Reads person ids for a list change from arguments and a file. It reads all of them, because one call carries them all. */

import { plainIdentifier } from '../contract/identifier.ts';
import { pluralize, UsageError, withPipeInto } from '../errors.ts';
import { shownPosition } from '../input/lines.ts';
import { type InputRequest, openInput } from '../input/open-input.ts';
import { type InputRow, oneByOne } from '../rows/input-row.ts';
import { argumentInput, loadKnown, type Source } from './input-source.ts';
import { NoQuestion, questionOf } from './job.ts';
import type { Tools } from './tools.ts';

interface IdentifierSource extends Pick<Source, 'file' | 'format' | 'sheet' | 'encoding' | 'column' | 'headerRow'> {
  readonly given?: readonly string[] | undefined;
  /** The flag of the given ids. */
  readonly flag: string;
}

/** Gives the distinct ids in order, and counts skipped file rows on stderr. @throws UsageError with the flag, or file and line, of a malformed id */
export async function readIdentifiers({ given = [], flag, file, ...shape }: IdentifierSource, tools: Tools): Promise<string[]> {
  const ids = new Set<string>();
  for await (const row of oneByOne(argumentInput(given).batches)) {
    ids.add(idOf(row, `${flag} ${row.text}`, 'give several ids separated by blanks'));
  }
  if (file !== undefined) {
    await addFrom({ path: file, ...shape }, ids, tools).catch((error: unknown) => {
      throw withPipeInto(`pdi … ${flag}-from -`, error);
    });
  }
  return [...ids];
}

async function addFrom(
  file: Pick<InputRequest, 'path' | 'format' | 'sheet' | 'encoding' | 'column' | 'headerRow'>,
  ids: Set<string>,
  { io, stop, say, interrupted }: Tools,
): Promise<void> {
  const { notice } = say;
  const input = await openInput({ ...file, io, stop, candidates: ['person_id', 'matches.0.person_id'], loadKnown, notice });
  let without = 0;
  for await (const row of oneByOne(input.batches)) {
    // The mistake of the input comes after its last row.
    if (row.unread !== undefined) continue;
    if (carriesNone(row)) without += 1;
    else ids.add(idOf(row, shownPosition(input.name, row), 'give one id a line; of a table, say --input-format csv'));
  }
  // A list change is made completely or not at all.
  if (stop.aborted) throw interrupted();
  if (without > 0) notice(`${input.name}: ${pluralize(without, 'row')} without an id ${without === 1 ? 'is' : 'are'} passed over`);
}

/** A file row without an id is skipped. A blank argument is a mistake, because it comes from an unset variable. */
const carriesNone = ({ text, invalid, foundNothing, wasBlank }: InputRow): boolean =>
  foundNothing === true || wasBlank === true || (text === undefined && invalid === undefined);

/** The service silently ignores an unknown id, so several ids in one text must not be sent as one. */
function idOf(row: InputRow, place: string, separately: string): string {
  const found = questionOf(row, (text) => plainIdentifier(text, 'person'));
  if (!(found instanceof NoQuestion)) return found.text;
  const hint = row.text?.includes(',') === true ? separately : found.hint;
  throw new UsageError(`${place}: ${found.error}`, {
    item: row.text,
    hint: hint === undefined ? 'nothing was sent' : `nothing was sent; ${hint}`,
  });
}
