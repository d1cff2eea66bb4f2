/** Ids of every kind as people give them: what stands around them is not sent, and what can never match is refused with one reason. */
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import { mcpSession } from '../support/mcp.ts';
import {
  errorOf,
  fileOf,
  linesFile,
  newFile,
  origin,
  rowsOf,
  sandboxed,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

const { lists, searches, company } = landmarks;
const around = (id: string): readonly string[] => [
  `"${id}"`,
  `="${id}"`,
  `<${id}>`,
  `'${id}`,
  `\u200b${id} `,
];

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
])(
  'an id is sent without what stands around it where people copy it: %j',
  async (words, id, more) => {
    for (const written of around(id)) {
      const { service, pdi } = await origin(() => ({ status: 404, json: {} }));
      await pdi([...words, written, ...more]);
      expect(service.requests.map(({ path }) => path)).toEqual([
        expect.stringMatching(new RegExp(`[/=]${id}(?:[/&]|$)`)),
      ]);
    }
  },
);

it('so are the ids of a list change, from arguments and files', async () => {
  const { service, pdi } = await origin(() => ({ json: {} }));
  const file = linesFile(around('per_2'));
  await pdi([
    'lists',
    'people',
    'modify',
    lists.people.shared,
    '--add',
    ...around('per_1'),
    '--delete-from',
    file,
  ]);
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { add_ids: ['per_1'], delete_ids: ['per_2'] },
  ]);
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
  [
    'revenue',
    'companyId',
    '12:30:00',
    'a time, which a spreadsheet makes of an id: export the column as text',
  ],
  ['revenue', 'companyId', 'FALSCH', 'what programs write for nothing, not an id'],
  ['revenue', 'companyId', 'Average', 'what programs write for nothing, not an id'],
  ['revenue', 'companyId', 'company\u20135', 'holds a dash where ids have a hyphen'],
  [
    'person',
    'personId',
    'ada',
    'not a person id: it does not begin with per_',
    /`pdi resolve ada` \(free\)/,
  ],
  ['person', 'personId', 'inv_1', 'is the id of an investor, not of a person'],
  [
    'person',
    'personId',
    url,
    'a profile URL, not a person id: pdi resolve (free) finds the id',
    straightOn,
  ],
  ['person', 'personId', 'per_1,per_2', 'an id with a comma', /one id at a time/],
  ['person', 'personId', 'per_1 per_2', 'contains a space'],
  ['person', 'personId', 'per_', 'not a person id: nothing follows per_', /give the whole id/],
  ['searches talent', 'searchId', '1.5', 'not the id of a saved search, which is a whole number'],
  ['searches funding-rounds', 'searchId', '1,000', 'an id with a comma'],
];

describe('an id', () => {
  it.each<Refused>(ofOneId)(
    'of %s, as %s: %j',
    async (command, argument, id, reason, hint = /^nothing was sent/) => {
      const { service, pdi } = await origin(() => ({ status: 500 }));
      const words = command.split(' ');
      for (const more of [[], [id], ['--dry-run'], [id, '--out', newFile()]]) {
        const result = await pdi([...words, id, ...more]);
        expect([result.code, result.stdout, errorOf(result)]).toMatchObject([
          2,
          '',
          { message: `${id}: ${reason}` },
        ]);
        expect(errorOf(result).hint).toMatch(hint);
      }
      const rows = await pdi([
        ...words,
        '-i',
        fileOf('ids.csv', `${argument}\n"${id}"\n`),
        '--column',
        argument,
        '-o',
        'csv',
        '--accept',
        'invalid',
      ]);
      expect([rows.code, rowsOf(rows.stdout)]).toMatchObject([
        0,
        [{ pdi_status: 'invalid', pdi_error: reason }],
      ]);
      const { call } = await mcpSession(await sandboxed(), { person: () => 'accept' });
      const { isError, error } = await call(words.join('_').replaceAll('-', '_'), {
        [argument]: id,
      });
      // An agent is told of a number by the schema that it has.
      const told =
        argument === 'searchId' ? 'searchId: not as the input schema of the tool says' : reason;
      expect([isError, error?.message]).toEqual([true, expect.stringContaining(told)]);
      expect(service.requests).toEqual([]);
    },
  );

  it.each([
    ['profnet_id', mail, 'a mail address, which the service does not look up'],
    [
      'profnet_url',
      'https://www.profnet.example/company/sample',
      'a page below /company, which is no profile of a person',
    ],
    ['profnet_id', 'per_1', 'a person id already'],
    ['profnet_url', `${url} and ${url}-2`, 'holds two different links'],
  ])('of resolve, as %s: %j', async (kind, id, reason) => {
    const { service, pdi } = await origin(() => ({ status: 500 }));
    const alone = await pdi(['resolve', id]);
    expect([alone.code, errorOf(alone).message]).toEqual([2, `${id}: ${reason}`]);
    const rows = await pdi([
      'resolve',
      '-i',
      fileOf('ids.csv', `link\n${id}\n`),
      '--column',
      'link',
      '-o',
      'csv',
      '--accept',
      'invalid',
    ]);
    expect([rows.code, rowsOf(rows.stdout)]).toMatchObject([
      0,
      [{ pdi_status: 'invalid', pdi_error: reason }],
    ]);
    const { call } = await mcpSession(await sandboxed(), {});
    const { isError, error } = await call('resolve', { to_resolve: [{ [kind]: id }] });
    expect([isError, error?.message]).toEqual([true, expect.stringContaining(reason)]);
    expect(service.requests).toEqual([]);
  });
});

const fillers = [
  'NA',
  'N/A',
  'NULL',
  'nan',
  'None',
  '-',
  '\\N',
  'undefined',
  '(blank)',
  'Total',
  '-----',
  '(text)',
  'TBD',
  'null',
  '?',
];
const records = fillers.map((company_id) => JSON.stringify({ company_id }));

it.each([
  ['ids.csv', `company_id,name\n${fillers.map((id) => `${id},x\n`).join('')}`],
  ['ids.tsv', `company_id\tname\n${fillers.map((id) => `${id}\tx\n`).join('')}`],
  ['ids.ndjson', `${records.join('\n')}\n`],
  ['ids.json', `[${records.join(',')}]`],
  ['ids.txt', fillers.map((id) => `${id}\n`).join('')],
])(
  'what programs write for nothing is a row without an identifier in %s',
  async (name, content) => {
    const { service, pdi } = await origin(() => ({ json: { id: 'x' } }));
    const { code, stdout } = await pdi([
      'revenue',
      '-i',
      fileOf(name, content),
      '-o',
      'ndjson',
      '--accept',
      'invalid',
    ]);
    const rows = stdout.trim().split('\n');
    expect([code, rows.length, service.requests]).toEqual([0, fillers.length, []]);
    for (const row of rows)
      expect(JSON.parse(row)).toMatchObject({ pdi_status: 'invalid', pdi_error: 'no id' });
  },
);

const resolving = () =>
  origin(({ body }) => ({
    json: JSON.parse(body).to_resolve.map((query: unknown) => ({ query, matches: [] })),
  }));
const commands = 'resolve | person | revenue | searches talent | searches funding-rounds';
play('test/commands/ids.txt', { url, commands }, { resolving });
