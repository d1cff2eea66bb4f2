/** `pdi api`: operations that no document has, by method and path, with the care of every other command. */
import { expect, it } from 'vitest';
import { fileOf, origin } from '../support/service.ts';
import { play } from '../support/transcript.ts';

play('test/commands/api.txt');

it('takes the id of a list where it is the column that PATH names', async () => {
  const { service, pdi } = await origin(() => ({ json: {} }));
  const lists = fileOf('lists.csv', 'id,name,is_global\nl-1,One,false\n');
  const { code, stderr } = await pdi(['api', 'GET', '/lists/{id}/results', '-i', lists]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('notice')]);
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/lists/l-1/results']);
});
