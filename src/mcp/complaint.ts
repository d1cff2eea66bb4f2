/** Finds that an answer is about another id, or a changed list not as it was asked to be. */
import type { Purchased } from '../book/buyer.ts';
import { PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { comparedWith } from '../road/lookup.ts';
import { notAsAsked } from '../road/modify-list.ts';
import type { AskedCall } from './service-calls.ts';

/** What was paid for is given all the same. */
export function complaintAbout(asked: AskedCall, { record }: Purchased<unknown>): PdiError | undefined {
  const { endpoint, request } = asked;
  const { error } = comparedWith(endpoint, asked, { status: 'ok', record });
  return error === undefined
    ? complaintAboutChange(request.body, record.value)
    : new PdiError('partial', error, { hint: 'it was paid for; look before you use it' });
}

/** Undefined for an answer to anything but a change of people. */
function complaintAboutChange(change: unknown, answer: unknown): PdiError | undefined {
  if (!isObject(change) || !isObject(answer) || !Array.isArray(answer.people)) return undefined;
  const people = answer.people.flatMap((person: unknown) => (isObject(person) ? [{ person_id: String(person.person_id) }] : []));
  return notAsAsked({ people }, { add: textsIn(change.add_ids), remove: textsIn(change.delete_ids) });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
