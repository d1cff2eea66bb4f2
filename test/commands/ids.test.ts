/** Ids of every kind as people give them: what stands around them is not sent, and what can never match is refused with one reason. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import { mcpSession } from '../support/mcp.ts';
import { newFolder } from '../support/run.ts';
import { errorOf, expectRefused, fileOf, linesFile, newFile, origin, rowsOf, sandboxed } from '../support/service.ts';

const { lists, searches, company } = landmarks;
const around = (id: string): readonly string[] => [`"${id}"`, `="${id}"`, `<${id}>`, `'${id}`, `\u200b${id} `];

it.each<readonly [words: readonly string[], id: string, more: readonly string[]]>([
  [['person'], 'per_sample1', []],
  [['revenue'], company.withRevenue, []],
  [['searches', 'talent'], searches.talent, []],
  [['searches', 'funding-rounds'], searches.fundingRounds, []],
  [['lists', 'investors', 'get'], lists.investors.shared, []],
  [['lists', 'people', 'modify'], lists.people.shared, ['--add', 'per_sample2']],
  [['lists', 'people', 'delete'], lists.people.shared, ['--yes']],
  [['feed', '--list'], lists.companies.shared, []],
  [['feed', '--search'], searches.fundingRounds, []],
])('an id is sent without what stands around it where people copy it: %j', async (words, id, more) => {
  for (const written of around(id)) {
    const { service, pdi } = await origin(() => ({ status: 404, json: {} }));
    await pdi([...words, written, ...more]);
    expect(service.requests.map(({ path }) => path)).toEqual([expect.stringMatching(new RegExp(`[/=]${id}(?:[/&]|$)`))]);
  }
});

it('so are the ids of a list change, from arguments and files', async () => {
  const { service, pdi } = await origin(() => ({ json: {} }));
  const file = linesFile(around('per_2'));
  await pdi(['lists', 'people', 'modify', lists.people.shared, '--add', ...around('per_1'), '--delete-from', file]);
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([{ add_ids: ['per_1'], delete_ids: ['per_2'] }]);
});

it('rows that ask for one person in several ways are one call, and keep their cells', async ({ service, pdi }) => {
  const cells = ['per_sample1', '"=""per_sample1"""', "'per_sample1", '<per_sample1>'];
  const file = fileOf('people.csv', `person_id\n${cells.join('\n')}\n`);
  const { stdout } = await pdi(['person', '-i', file, '-o', 'csv', '--fields', 'full_name']);
  expect(stdout).toBe(`person_id,full_name,pdi_status,pdi_error\n${cells.map((cell) => `${cell},Ada Sample-1,ok,\n`).join('')}`);
  expect(service.bill()).toHaveLength(1);
});

const mail = 'ada@sample.example';
const url = 'https://www.profnet.example/in/ada';

const straightOn = /^nothing was sent; `pdi resolve https:\S+` .*pdi person -i -`/;

type Refused = [command: string, argument: string, id: string, reason: string, hint?: RegExp];
const ofOneId: readonly Refused[] = [
  ['revenue', 'companyId', 'per_1', 'a person id, not a company id'],
  ['revenue', 'companyId', 'inv_1', 'an investor id, not a company id'],
  ['revenue', 'companyId', 'per_', 'a person id, not a company id'],
  ['revenue', 'companyId', '#company-5', 'not an id alone: leave out what stands around it'],
  ['revenue', 'companyId', 'https://acme.example', 'a URL, not a company id'],
  ['revenue', 'companyId', 'http:acme.example', 'a URL, not a company id'],
  ['revenue', 'companyId', 'www.acme.example', 'a domain, not a company id'],
  ['revenue', 'companyId', 'münchen.example', 'a domain, not a company id'],
  ['revenue', 'companyId', 'acme.example:8080', 'a domain, not a company id'],
  ['revenue', 'companyId', mail, 'a mail address, not a company id'],
  ['revenue', 'companyId', '7.00000001E8', 'a rounded number: export the column as text'],
  ['revenue', 'companyId', '+700000001', 'a number with a sign: export the column as text'],
  ['revenue', 'companyId', '700000001-', 'a number with a sign: export the column as text'],
  ['revenue', 'companyId', '12:30:00', 'a time, which a spreadsheet makes of an id: export the column as text'],
  ['revenue', 'companyId', 'FALSCH', 'what programs write for nothing, not an id'],
  ['revenue', 'companyId', 'Average', 'what programs write for nothing, not an id'],
  ['revenue', 'companyId', 'company\u20135', 'holds a dash where ids have a hyphen'],
  ['person', 'personId', 'ada', 'not a person id: it does not begin with per_', /`pdi resolve ada` \(free\)/],
  ['person', 'personId', 'inv_1', 'is the id of an investor, not of a person'],
  ['person', 'personId', url, 'a profile URL, not a person id: pdi resolve (free) finds the id', straightOn],
  ['person', 'personId', 'per_1,per_2', 'an id with a comma', /one id at a time/],
  ['person', 'personId', 'per_1 per_2', 'holds white space'],
  ['person', 'personId', 'per_', 'not a person id: nothing follows per_', /give the whole id/],
  ['searches talent', 'searchId', '1.5', 'not the id of a saved search, which is a whole number'],
  ['searches funding-rounds', 'searchId', '1,000', 'an id with a comma'],
];

describe('an id', () => {
  it.each<Refused>(ofOneId)('of %s, as %s: %j', async (command, argument, id, reason, hint = /^nothing was sent/) => {
    const { service, pdi } = await origin(() => ({ status: 500 }));
    const words = command.split(' ');
    for (const more of [[], [id], ['--dry-run'], [id, '--out', newFile()]]) {
      const result = await pdi([...words, id, ...more]);
      expect([result.code, result.stdout, errorOf(result)]).toMatchObject([2, '', { message: `${id}: ${reason}` }]);
      expect(errorOf(result).hint).toMatch(hint);
    }
    const rows = await pdi([...words, '-i', fileOf('ids.csv', `${argument}\n"${id}"\n`), '--column', argument, '-o', 'csv']);
    expect([rows.code, rowsOf(rows.stdout)]).toMatchObject([8, [{ pdi_status: 'invalid', pdi_error: reason }]]);
    const { call } = await mcpSession(await sandboxed(), { person: () => 'accept' });
    const { isError, error } = await call(words.join('_').replaceAll('-', '_'), { [argument]: id });
    // An agent is told of a number by the schema that it has.
    const told = argument === 'searchId' ? 'searchId: not as the input schema of the tool says' : reason;
    expect([isError, error?.message]).toEqual([true, expect.stringContaining(told)]);
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['profnet_id', mail, 'a mail address, which the service does not look up'],
    ['profnet_url', 'https://www.profnet.example/company/sample', 'a page below /company, which is no profile of a person'],
    ['profnet_id', 'per_1', 'is a person id already'],
    ['profnet_url', `${url} and ${url}-2`, 'holds two different links'],
  ])('of resolve, as %s: %j', async (kind, id, reason) => {
    const { service, pdi } = await origin(() => ({ status: 500 }));
    const alone = await pdi(['resolve', id]);
    expect([alone.code, errorOf(alone).message]).toEqual([2, `${id}: ${reason}`]);
    const rows = await pdi(['resolve', '-i', fileOf('ids.csv', `link\n${id}\n`), '--column', 'link', '-o', 'csv']);
    expect([rows.code, rowsOf(rows.stdout)]).toMatchObject([8, [{ pdi_status: 'invalid', pdi_error: reason }]]);
    const { call } = await mcpSession(await sandboxed(), {});
    const { isError, error } = await call('resolve', { to_resolve: [{ [kind]: id }] });
    expect([isError, error?.message]).toEqual([true, expect.stringContaining(reason)]);
    expect(service.requests).toEqual([]);
  });
});

it('a blank argument is told by its place, because it has nothing else to be found by', async () => {
  const { service, pdi } = await origin(() => ({ status: 500 }));
  const result = await pdi(['person', 'per_1', ' ', 'per_2']);
  expect([result.code, errorOf(result).message, service.requests]).toEqual([2, 'argument 2: the row has no identifier', []]);
});

const fillers = ['NA', 'N/A', 'NULL', 'nan', 'None', '-', '\\N', 'undefined', '(blank)', 'Total', '-----', '(text)', 'TBD', 'null', '?'];
const records = fillers.map((company_id) => JSON.stringify({ company_id }));

it.each([
  ['ids.csv', `company_id,name\n${fillers.map((id) => `${id},x\n`).join('')}`],
  ['ids.tsv', `company_id\tname\n${fillers.map((id) => `${id}\tx\n`).join('')}`],
  ['ids.ndjson', `${records.join('\n')}\n`],
  ['ids.json', `[${records.join(',')}]`],
  ['ids.txt', fillers.map((id) => `${id}\n`).join('')],
])('what programs write for nothing is a row without an identifier in %s', async (name, content) => {
  const { service, pdi } = await origin(() => ({ json: { id: 'x' } }));
  const { code, stdout } = await pdi(['revenue', '-i', fileOf(name, content), '-o', 'ndjson']);
  const rows = stdout.trim().split('\n');
  expect([code, rows.length, service.requests]).toEqual([8, fillers.length, []]);
  for (const row of rows) expect(JSON.parse(row)).toMatchObject({ pdi_status: 'invalid', pdi_error: 'the row has no identifier' });
});

it('the summary counts the links that were read out of texts', async () => {
  const { pdi } = await origin(({ body }) => ({ json: JSON.parse(body).to_resolve.map((query: unknown) => ({ query, matches: [] })) }));
  const file = fileOf('crm.csv', `link\nAda - ${url}\n${url}\nsee ${url}-2.\n`);
  const words = await pdi(['resolve', '-i', file, '--column', 'link', '-o', 'csv', '--errors', 'text']);
  expect(words.stderr).toContain('; 2 links read out of a text; ');
  const one = fileOf('one.csv', `link\nAda - ${url}\n${url}\n`);
  const json = await pdi(['resolve', '-i', one, '--column', 'link', '-o', 'json']);
  expect(json.stderr).toContain('"links_in_texts":1');
});

/** A file without `-i`, or a pipe without `-i -`: told before any call, because its name may be billed as an id. */
const commands = ['resolve', 'person', 'revenue', 'searches talent', 'searches funding-rounds'];

const has = (words: string) => expect.stringContaining(words);

describe.each(commands)('pdi %s', (command) => {
  it('a file is read with -i', async () => {
    const file = fileOf('crm.csv', 'linkedin\nada-sample-1\n');
    const told = { message: has('is a file'), item: file, hint: has(`\`pdi ${command} -i ${file}\``) };
    for (const more of ['', ' --dry-run']) await expectRefused(`${command} ada ${file}${more}`, told);
  });

  it.each(['crm.csv', 'people.XLSX', 'urls.txt', 'ids.ndjson.gz'])('%s, which does not exist, is no identifier', (name) =>
    expectRefused(`${command} ${name}`, { message: has(`${name}: there is no such file`), hint: has('-i FILE') }),
  );

  it('a pipe is read with -i -', async () => {
    await expectRefused(command, { message: has('nothing to ask for'), hint: has('`-i -`') }, { stdin: 'ada-sample-1\n' });
    await expectRefused(`${command} -`, { message: has('- is standard input'), hint: has(`\`pdi ${command} -i -\``) });
  });
});

it('a path that needs no extension, and one that a shell would split', async ({ pdi }) => {
  const file = join(newFolder(), 'my leads');
  writeFileSync(file, 'ada-sample-1\n');
  expect(errorOf(await pdi(['resolve', file])).hint).toContain(`-i '${file}'`);
});

it('identifiers that look a little like files are asked for', async ({ pdi }) => {
  const folder = newFolder();
  // LICENSE is a file here.
  for (const identifier of ['LICENSE', 'ada.sample', 'https://www.profnet.example/in/ada.csv', 'www.profnet.example/in/ada.txt']) {
    expect((await pdi(['resolve', identifier])).code).toBe(0);
  }
  expect((await pdi(['resolve', 'crm.csv', '--as', 'id'])).code).toBe(0);
  expect(errorOf(await pdi(['resolve', folder])).message).not.toContain('is a file');
});

it('on a terminal nobody is told of standard input', async ({ pdi }) => {
  const { code, stderr } = await pdi('resolve', { terminal: true });
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('-i -')]);
});
