import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import { keyboard } from '../support/run.ts';
import { errorOf, expectRefused, fileOf, linesOf, objectOf, origin, pdi as program } from '../support/service.ts';

const { lists } = landmarks;
const kinds = ['companies', 'people', 'investors'] as const;

/** A terminal where somebody types this. */
function typing(text: string) {
  const { stdin, type } = keyboard();
  type(text);
  return { stdin, terminal: true, columns: 120 };
}

it('lists investors get: refuses what is no UUID before anything is sent', () =>
  expectRefused('lists investors get no-uuid', 'listId no-uuid: not a list id, which is a UUID'));

describe('lists people modify', () => {
  const modify = ['lists', 'people', 'modify', lists.people.shared];
  const membersOf = (people: unknown): readonly string[] => (Array.isArray(people) ? people.map(({ person_id }) => String(person_id)) : []);
  /** A service whose list has these people after every change. */
  const holding = (...ids: readonly string[]) =>
    origin(() => ({ json: { id: lists.people.shared, people: ids.map((person_id) => ({ person_id })) } }));

  it('adds and deletes in one call', async ({ service, pdi }) => {
    const before = membersOf(objectOf(await pdi([...modify, '--add', 'per_sample1'])).people);
    const result = await pdi([...modify, '--add', 'per_sample30', 'per_sample31', '--delete', 'per_sample1']);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    const after = membersOf(objectOf(result).people);
    expect(after.toSorted()).toEqual([...before.filter((id) => id !== 'per_sample1'), 'per_sample30', 'per_sample31'].toSorted());
    expect(service.requests()).toEqual({ modifyPeopleList: 2 });
  });

  it('takes ids from files and from stdin, each once', async () => {
    const { service, pdi } = await holding('per_1', 'per_2');
    const file = fileOf('leavers.csv', 'name,person_id\nA,per_8\nB,per_9\nB again,per_9\n');
    const result = await pdi([...modify, '--add', 'per_1', '--add-from', '-', '--delete-from', file], { stdin: 'per_1\nper_2\n' });
    expect(result.code).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ add_ids: ['per_1', 'per_2'], delete_ids: ['per_8', 'per_9'] });
  });

  it('--column and --input-format hold for both files', async () => {
    const { service, pdi } = await holding('per_1', 'per_2');
    const file = fileOf('leavers', 'Lead,Since\nper_8,2024\n');
    const flags = ['--add-from', '-', '--delete-from', file, '--column', 'lead', '--input-format', 'csv'];
    const result = await pdi([...modify, ...flags], { stdin: 'Name;Lead\nA;per_1\n' });
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ add_ids: ['per_1'], delete_ids: ['per_8'] });
  });

  const [comma, blanks] = ['an id with a comma', expect.stringContaining('separated by blanks')];
  const unpacked = (flag: string) => ({ hint: `give what is in the list: jq -c '.people[]' FILE | pdi … ${flag} -` });
  const led = (hint: string) => ({ hint: expect.stringContaining(hint) });
  const commaBelow = { message: `standard input, line 2: ${comma}`, ...led('one id a line') };

  it.each<[what: string, flags: readonly string[], told: string | object, stdin?: string]>([
    ['nothing to change', [], 'nothing to change'],
    ['nothing in a pipe', ['--add-from', '-'], 'nothing to change', ''],
    ['nothing left to change', ['--add-from', '-'], 'nothing to change', '{"query":{"profnet_id":"x"},"matches":[]}\n'],
    ['a column without a file', ['--add', 'per_1', '--column', 'Lead'], '--column goes with'],
    ['an id twice', ['--add', 'per_1', 'per_2', '--delete', 'per_2'], 'both to be added and'],
    ['standard input twice', ['--add-from', '-', '--delete-from', '-'], 'cannot both read stdin'],
    ['two files', ['--add-from', '-', '--add-from', 'b.txt'], '--add-from: it names two files'],
    ['no file', ['--add-from', '/no-such-folder/no-such-file'], 'no-such-file'],
    ['a name of a file', ['--add', 'leads.csv'], led('a file of identifiers is named with --add-from FILE')],
    ['a file', ['--delete', fileOf('leads.csv', 'per_1\n')], led(`modify ${lists.people.shared} --delete-from /`)],
    ['what must be unpacked', ['--add-from', '-'], unpacked('--add-from'), '{"total":1,"people":[{"person_id":"per_1"}]}'],
    ['what must be unpacked', ['--delete-from', '-'], unpacked('--delete-from'), '{"total":1,"people":[{"person_id":"per_1"}]}'],
    ['two ids', ['--add', 'per_1,per_2'], { message: `--add per_1,per_2: ${comma}`, hint: blanks }],
    ['an id and a comma', ['--delete', 'per_1', 'per_2,'], { message: `--delete per_2,: ${comma}`, hint: blanks }],
    ['two ids a line', ['--add-from', '-'], commaBelow, 'per_1\nper_2,per_3\n'],
    ['a malformed id', ['--add-from', '-'], 'line 2', '{"person_id":"per_1"}\n{"person_id":"per 2"}\n'],
    ['a blank argument', ['--add', 'per_1', ' '], '--add: the value is empty'],
    ['a row that was refused', ['--add-from', '-'], 'line 1', '{"input":"a b","pdi_status":"invalid","pdi_error":"e"}\n'],
    ['a row without an answer', ['--add-from', '-'], 'line 1', '{"input":"a","pdi_status":"failed","pdi_error":"e"}\n'],
    ['a row with no such field', ['--add-from', '-'], 'line 2', '{"person_id":"per_1"}\n{"name":"A"}\n'],
  ])('%s: a usage error, nothing sent: %j', (_what, flags, told, stdin = 'per_1\n') =>
    expectRefused([...modify, ...flags], told, { stdin }),
  );

  it.each([
    ['1 row without an id is', 'name,person_id\nA,per_1\nB,\nC,per_2\n'],
    ['2 rows without an id are', '{"person_id":"per_1"}\n{"person_id":""}\n{"person_id":null}\n{"person_id":"per_2"}\n'],
    ['1 row without an id is', '{"query":{},"matches":[{"person_id":"per_1"}]}\n{"query":{},"matches":[]}\n"per_2"\n'],
    ['1 row without an id is', 'input,person_id,pdi_status,pdi_error\na,per_1,ok,\nb,,not_found,no match\nc,per_2,ok,\n'],
  ])('says that %s passed over: %j', async (words, stdin) => {
    const { service, pdi } = await holding('per_1', 'per_2');
    const result = await pdi([...modify, '--add-from', '-', '-o', 'csv'], { stdin });
    expect([result.code, result.stderr]).toEqual([0, `pdi: standard input: ${words} passed over\n`]);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ add_ids: ['per_1', 'per_2'] });
  });

  it.each([[{}], [{ people: ['per_1'] }], [{ people: [{ person_id: 'per_2' }, { id: 'per_1' }] }]])(
    'an answer that does not name the people is told of, and is no failure: %j',
    async (answer) => {
      const { pdi } = await origin(() => ({ json: { id: lists.people.shared, ...answer } }));
      const { code, stderr } = await pdi([...modify, '--add', 'per_1', '--errors', 'text']);
      const words = 'the answer does not name the people of the list, so that it is not known whether the change is made';
      expect([code, linesOf(stderr)[0]]).toEqual([0, `pdi: ${words}`]);
    },
  );

  it('names the ids that the changed list does not hold, or still holds: 8, and the list is printed', async ({ pdi }) => {
    const result = await pdi([...modify, '--add', 'per_sample1', 'per_nobody', 'per_noone', '-o', 'json']);
    expect(result.code).toBe(8);
    expect(membersOf(objectOf(result).people)).toContain('per_sample1');
    expect(errorOf(result)).toMatchObject({ code: 'partial', message: 'the list does not hold per_nobody, per_noone', item: 'per_nobody' });
    const { pdi: stubborn } = await holding('per_1');
    const kept = await stubborn([...modify, '--add', 'per_2', '--delete', 'per_1']);
    expect([kept.code, errorOf(kept).message]).toEqual([8, 'the list does not hold per_2, and still holds per_1']);
    expect(errorOf(kept).hint).not.toContain('the rest of the change');
    expect(errorOf(await stubborn([...modify, '--delete', 'per_1', 'per_2'])).hint).toContain(
      'the rest of the change was made; the service did not delete what it still holds',
    );
  });
});

describe.each(kinds)('lists %s delete', (kind) => {
  const id = lists[kind].shared;
  const remove = ['lists', kind, 'delete', id];

  it('--yes deletes it, for good: the second time it is not found', async ({ pdi }) => {
    const result = await pdi([...remove, '--yes']);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    expect(objectOf(result)).toEqual(kind === 'companies' ? expect.any(Object) : { list_id: id, deleted: true });
    expect((await pdi([...remove, '--yes', '-o', 'csv'])).code).toBe(4);
    const again = await pdi([...remove, '--yes']);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 4, stdout: '' });
    expect(errorOf(again)).toMatchObject({ status: 404, item: id });
  });

  it('answered with words of the service’s own, it is done; with a page of a proxy’s, nobody knows', async () => {
    const words = await origin(() => ({ text: 'deleted' }));
    const done = await words.pdi([...remove, '--yes']);
    expect([done.code, done.stderr, objectOf(done)]).toEqual([0, '', { list_id: id, deleted: true }]);
    const page = await origin(() => ({ text: '<html>Welcome</html>' }));
    const unclear = await page.pdi([...remove, '--yes', '--retries', '0']);
    expect([unclear.code, unclear.stdout]).toEqual([5, '']);
  });

  it.for([
    ['without a terminal', [], {}],
    ['with --no-input on a terminal', ['--no-input', '-o', 'json'], { terminal: true }],
    ['with CI set on a terminal', ['-o', 'json'], { terminal: true, env: { CI: 'true' } }],
  ] as const)('%s it needs --yes: 2, nothing sent', async ([_where, flags, options], { service, pdi }) => {
    const result = await pdi([...remove, ...flags], options);
    expect([result.code, result.stdout, service.requests()]).toEqual([2, '', {}]);
    expect(errorOf(result)).toMatchObject({ code: 'usage', item: id, hint: expect.stringContaining('--yes') });
  });

  /** A company list's name is told by the free list of company lists, asked once a question. */
  const lookups = (questions: number) => (kind === 'companies' ? { listCompanyLists: questions } : {});

  it('a terminal asks for the first 8 characters of the id, and shows the name that is known, in capitals too', async ({
    service,
    pdi,
  }) => {
    const wrong = await pdi(['lists', kind, 'delete', id.toUpperCase()], typing('yes\n'));
    expect({ code: wrong.code, stdout: wrong.stdout, sent: service.requests() }).toEqual({ code: 2, stdout: '', sent: lookups(1) });
    expect(wrong.stderr).toContain('was not deleted');
    const right = await pdi(remove, typing(`${id.slice(0, 8)}\n`));
    for (const { stderr } of [wrong, right]) expect(/Deleting company list "[^"]+: companies", /.test(stderr)).toBe(kind === 'companies');
    expect(right.code).toBe(0);
    expect(right.stdout).toContain(id);
    expect(right.stderr).toContain('first 8 characters');
    const { listCompanyLists = 0, ...others } = service.requests();
    expect([listCompanyLists, Object.values(others)]).toEqual([kind === 'companies' ? 2 : 0, [1]]);
  });

  it('asks without the name where the service does not tell it in time, and does not try again', async () => {
    const { service, pdi } = await origin(() => undefined);
    const { code, stderr } = await pdi([...remove, '--timeout', '0.2'], typing('no\n'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is permanent. Type its first 8 characters')]);
    expect(service.requests).toHaveLength(kind === 'companies' ? 1 : 0);
  });

  it.each(['--fields nope', '--delimiter xx', `--out ${fileOf('mine', '')}`])(
    'with %s nobody is asked, and nothing is sent',
    async (flags) => {
      const { service, pdi } = await origin(() => ({ json: [] }));
      const result = await pdi([...remove, '-o', 'csv', '--errors', 'json', ...flags.split(' ')], typing(`${id.slice(0, 8)}\n`));
      expect([result.code, errorOf(result).code, service.requests]).toEqual([2, 'usage', []]);
    },
  );

  it.each([
    ['without a base URL', {}, 2, 'no base URL is set'],
    ['without a key', { PDI_BASE_URL: 'https://api.example/api/v1' }, 3, 'there is no API key'],
  ])('%s nobody is asked', async (_without, env, code, told) => {
    const result = await program([...remove, '-o', 'json'], { ...typing(`${id.slice(0, 8)}\n`), env });
    expect([result.code, result.stdout, errorOf(result).message]).toEqual([code, '', expect.stringContaining(told)]);
    expect(result.stderr).not.toContain('Type its first');
  });

  it.each([
    ['the cap', ['--max-billable', '0'], 'this job needs 1 call that may be billed; the cap is 0'],
    ['the budget', ['--budget', '0/day'], 'this job needs 1 call that may be billed; of the budget of 0 a day, 0 are left'],
  ])('nobody is asked where %s has no room for its call', async (_what, flags, message) => {
    const { service, pdi } = await origin(() => ({ json: [] }));
    const result = await pdi([...remove, '--errors', 'json', ...flags], typing(`${id.slice(0, 8)}\n`));
    const isAsked = result.stderr.includes('Type its first');
    if (kind === 'investors') return expect([result.code, isAsked]).toEqual([0, true]);
    expect([result.code, isAsked, service.requests, errorOf(result).message]).toEqual([7, false, [], message]);
  });

  it('end of input at the question: 2, nothing sent', async ({ service, pdi }) => {
    const { stdin } = keyboard();
    stdin.push(null);
    const result = await pdi(remove, { stdin, terminal: true });
    expect([result.code, service.requests()]).toEqual([2, lookups(1)]);
  });

  it('malformed and unseen ids', async ({ pdi }) => {
    const message = 'listId no-uuid: not a list id, which is a UUID';
    const shownBy = kind === 'companies' ? '`pdi lists companies list` (free) shows it' : 'the service shows it';
    await expectRefused(`lists ${kind} delete no-uuid --yes`, { message, hint: `nothing was sent; ${shownBy}` });
    expect((await pdi(['lists', kind, 'delete', lists[kind].teamOnly, '--yes'])).code).toBe(4);
    expect((await pdi(['lists', kind, 'delete', lists[kind].global, '--yes'])).code).toBe(3);
  });

  it.each([
    ['nothing', '', `{"list_id":"${id}","deleted":true}`],
    ['an object', '{"ok":1}', '{"ok":1}'],
    ['a text', '"gone"', '"gone"'],
    ['an array', '[1,2]', '[1,2]'],
    ['an array of nothing', '[]', '[]'],
    ['an array of objects', '[{"a":1}]', '[{"a":1}]'],
  ])('prints what the service says, as one document: %s', async (_what, text, said) => {
    const { pdi } = await origin(() => ({ text }));
    expect(await pdi([...remove, '--yes', '-o', 'ndjson'])).toMatchObject({ code: 0, stdout: `${said}\n` });
    expect(JSON.parse((await pdi([...remove, '--yes', '-o', 'json'])).stdout)).toEqual(JSON.parse(said));
    const csv = await pdi([...remove, '--yes', '-o', 'csv']);
    expect(csv.stdout).toBe(`list_id,deleted\r\n${id},true\r\n`);
  });

  it('a lost answer: billed or not, the deletion is not repeated unless it is free', async () => {
    const { service, pdi } = await origin((_request, response) => {
      response.destroy();
      return undefined;
    });
    const result = await pdi([...remove, '--yes', '--retries', '1']);
    expect([result.code, service.requests.length]).toEqual([5, kind === 'investors' ? 2 : 1]);
    expect(errorOf(result).billed).toBe(kind === 'investors' ? 'no' : 'unknown');
  });
});
