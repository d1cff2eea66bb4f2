/** What a list is asked for and what it loses is what somebody meant. */
import { expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { keyboard } from '../support/run.ts';
import { sandbox } from '../support/service.ts';

const { shared } = landmarks.lists.people;

it.each(['\n', ' \n', `${shared.slice(0, 1)}\n`, `${shared.slice(0, 7)}\n`])('a deletion is not agreed to by %j', async (typed) => {
  const { service, pdi } = await sandbox();
  const { stdin, type } = keyboard();
  type(typed);
  const { code } = await pdi(['lists', 'people', 'delete', shared], { stdin, terminal: true });
  expect([code, service.requests()]).toEqual([2, {}]);
});
