/** `pdi lists`: changes that are made in one call or not at all, and deletions that a person agrees to. */
import { describe } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { play } from '../support/transcript.ts';

const { lists } = landmarks;
const list = lists.people.shared;
const holding12 = JSON.stringify({
  id: list,
  people: [{ person_id: 'per_1' }, { person_id: 'per_2' }],
});

describe('lists people modify', () =>
  play('test/commands/lists-modify.txt', {
    list,
    modify: `lists people modify ${list}`,
    holding12,
  }));

describe.each([
  [
    'companies',
    'Company',
    'company list "…: companies",',
    '`pdi lists companies list` (free) shows it',
  ],
  ['people', 'People', 'people list', "it is in the web app's address"],
  ['investors', 'Investor', 'investor list', "it is in the web app's address"],
] as const)('lists %s delete', (kind, name, title, shownBy) => {
  const { shared: id, teamOnly, global } = lists[kind];
  const [isNamed, isFree] = [kind === 'companies', kind === 'investors'];
  const told = isFree ? '0 …Type its first…' : '7 this job needs 1 call that may be billed; ';
  play('test/commands/lists-delete.txt', {
    ...{
      id,
      teamOnly,
      global,
      title,
      words: `lists ${kind} delete`,
      delete: `lists ${kind} delete ${id}`,
    },
    ...{
      capitals: id.toUpperCase(),
      start: id.slice(0, 8),
      shownBy,
      operation: `delete${name}List`,
    },
    deleted: isNamed ? '{"id":"…", …}' : `{"list_id":"${id}","deleted":true}`,
    lookup: isNamed ? 'sent listCompanyLists' : '',
    lookups: isNamed ? '1' : '0',
    cap: isFree ? told : `${told}the cap is 0; …`,
    budget: isFree ? told : `${told}of the budget of 0 a day, 0 are left; …`,
    billed: isFree ? 'no' : 'unknown',
    tries: isFree ? '2' : '1',
  });
});
