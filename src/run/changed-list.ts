/** Whether a people list is as its change asked: the service passes over ids that it does not know, without a word. */
import type { PeopleList } from '../contract/lists.ts';
import { PdiError } from '../errors.ts';

export interface ListChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** So many ids are named; a file may hold thousands. */
const mostNamed = 10;

const named = (ids: readonly string[]): string =>
  ids.slice(0, mostNamed).join(', ') + (ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '');

/** The error that names the ids which the answered list lacks, or still holds; undefined where all is as asked, or cannot be told. */
export function notAsAsked({ people }: PeopleList, { add, remove }: ListChange): PdiError | undefined {
  if (people === undefined || people === null) return undefined;
  const held = new Set(people.map(({ person_id }) => person_id));
  const missing = add.filter((id) => !held.has(id));
  const left = remove.filter((id) => held.has(id));
  const complaints = [
    ...(missing.length > 0 ? [`does not hold ${named(missing)}`] : []),
    ...(left.length > 0 ? [`still holds ${named(left)}`] : []),
  ];
  if (complaints.length === 0) return undefined;
  return new PdiError('partial', `the list ${complaints.join(', and ')}`, {
    item: [...missing, ...left][0],
    retryable: false,
    hint: 'the rest of the change was made; check these ids (`pdi person ID`, 1 charged call each, tells whether there is such a person)',
  });
}
