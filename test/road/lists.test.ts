/** What a list is asked for and what it loses is what somebody meant. */
import { expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { keyboard } from '../support/run.ts';
import { errorOf, expectRefused, origin, sandbox } from '../support/service.ts';

const { shared } = landmarks.lists.people;

it.each(['\n', ' \n', `${shared.slice(0, 1)}\n`, `${shared.slice(0, 7)}\n`])(
  'a deletion is not agreed to by %j',
  async (typed) => {
    const { service, pdi } = await sandbox();
    const { stdin, type } = keyboard();
    type(typed);
    const { code } = await pdi(['lists', 'people', 'delete', shared], { stdin, terminal: true });
    expect([code, service.requests()]).toEqual([2, {}]);
  },
);

it.each([
  ['--add', { add_ids: ['per_1'] }, []],
  ['--delete', { delete_ids: ['per_1'] }, [{ person_id: 'per_1' }]],
])(
  'a change sends nothing but itself, and tells of no rest where nothing was changed: %s',
  async (flag, body, people) => {
    const { service, pdi } = await origin(() => ({ json: { people } }));
    const result = await pdi(`lists people modify ${shared} ${flag} per_1 -o json`);
    expect([result.code, JSON.parse(service.requests[0]?.body ?? '')]).toEqual([8, body]);
    expect(errorOf(result).hint).not.toContain('the rest of the change');
  },
);

it('bytes that are no text are told of in their own words', () => {
  const stdin = Buffer.from('per_1\nper_\xff\n', 'latin1');
  return expectRefused(
    `lists people modify ${shared} --add-from -`,
    { message: 'standard input, line 2: not valid UTF-8' },
    { stdin },
  );
});
