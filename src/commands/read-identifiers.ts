/** Person ids for a list change, from arguments and a file: all of them, since one call carries them all. */
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { argumentInput } from '../input/arguments.ts';
import { plainIdentifier } from '../input/identifier.ts';
import { openInput } from '../input/open.ts';
import type { Input } from '../input/row.ts';
import { NoQuestion, questionOf } from '../jobs/question.ts';

/** Distinct ids in the order given. @throws UsageError naming file and line of one that is malformed: a change is whole or not at all */
export async function readIdentifiers(context: Context, given: readonly string[] = [], file?: string): Promise<string[]> {
  const fromFile = async () => openInput({ path: file ?? '-', stdin: context.io.stdin, candidates: ['person_id', 'matches.0.person_id'] });
  const inputs: Input[] = [argumentInput(given), ...(file === undefined ? [] : [await fromFile()])];
  const ids = new Set<string>();
  for (const input of inputs) for (const id of await idsOf(input)) ids.add(id);
  return [...ids];
}

async function idsOf(input: Input): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const row of input.rows) {
    const found = questionOf(row, plainIdentifier);
    if (found instanceof NoQuestion) {
      throw new UsageError(`${input.name}, ${input.name === 'arguments' ? 'number' : 'line'} ${row.line}: ${found.error}`, {
        item: row.text,
        hint: 'nothing was sent',
      });
    }
    ids.push(found.text);
  }
  return ids;
}
