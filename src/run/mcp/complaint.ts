/** Finds that a changed list is not as it was asked to be. */
import type { PdiError } from '../../errors.ts';
import { isObject } from '../../json/parse.ts';
import { notAsAsked } from '../modify-list.ts';
import type { AskedCall } from './service-calls.ts';

/** Undefined for an answer to anything but a change of people. */
export function complaintAbout({ request: { body: change } }: AskedCall, answer: unknown): PdiError | undefined {
  if (!isObject(change) || !isObject(answer) || !Array.isArray(answer.people)) return undefined;
  const people = answer.people.flatMap((person: unknown) => (isObject(person) ? [{ person_id: String(person.person_id) }] : []));
  return notAsAsked({ people }, { add: textsIn(change.add_ids), remove: textsIn(change.delete_ids) });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
