import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it, itWith } from '../support/it.ts';
import { newFolder } from '../support/run.ts';
import { arrayOf, errorOf, expectRefused, linesOf, objectOf, origin, rowsOf, statusesOf } from '../support/service.ts';

const { investor } = landmarks;

const itEmpty = itWith(() => origin(() => ({ json: [] })));

describe('investors', () => {
  it.each([
    ["O'Neil Ventures", `--name 'O'\\''Neil Ventures'`],
    ['acme.example', '--website acme.example'],
    ['https://acme.example/funds.csv', '--website https://acme.example/funds.csv'],
    ['funds.csv', '-i funds.csv'],
  ])('tells of %s without a flag which it wants', (given, flag) =>
    expectRefused(['investors', ...given.split(' ')], { hint: `\`pdi investors ${flag}\`` }),
  );

  itEmpty('takes no line of a table for a name: such a call may be billed', async ({ service, pdi }) => {
    const people = 'person_id,full_name,company\nper_1,Ada,Acme\n';
    const quoted = 'Firm,City (2026)\n"Acme, Inc.",Paris\n"Sample, Ltd.",Rome\n';
    const below = `Notes:\n"Only of 2026, as agreed"\n\n${quoted}`;
    for (const table of [people, people.replaceAll(',', ';'), 'Firm,City,Size\nAcme,Paris,9\n', quoted, below]) {
      const { code, stderr } = await pdi('investors -i - --errors text', { stdin: table });
      expect([code, stderr]).toEqual([2, expect.stringContaining('none of the columns website, name; it has: ')]);
    }
    expect(service.requests).toEqual([]);
    await pdi('investors -i -', { stdin: 'Acme, Inc.\nSmith, Jones & Co\n' });
    await pdi('investors -i - --input-format lines', { stdin: 'Sequoia, Accel, Benchmark\n' });
    expect(service.requests).toHaveLength(3);
  });

  itEmpty.for([
    [
      'names',
      '--column name',
      'name',
      ['Sample Harbor', ' sample harbor ', '"""SAMPLE harbor"""', '\u200bSample Harbor'],
      ['Sample Harbour'],
    ],
    [
      'websites',
      '--column site',
      'site',
      [
        'https://www.Fund.example/Team/',
        'fund.example/Team',
        'HTTP://FUND.example/Team',
        'www.fund.example/Team/',
        '<http://fund.example/Team>',
      ],
      ['fund.example', 'fund.example/team', 'https://fund.example/?Team', 'sub.fund.example/Team'],
    ],
  ] as const)(
    'equal spellings of %s are one question, and each row keeps its own',
    async ([_what, flags, column, equal, others], { service, pdi }) => {
      const rows = [...equal, ...others];
      const result = await pdi(`investors -i - ${flags} -o csv --fields investor_id`, { stdin: `${column}\n${rows.join('\n')}\n` });
      expect(linesOf(result.stdout).map((line) => line.split(/,+not_found/)[0])).toEqual([
        `${column},investor_id,pdi_status,pdi_error`,
        ...rows,
      ]);
      expect(service.requests).toHaveLength(1 + others.length);
      const asked = new URL(service.requests[0]?.path ?? '', service.baseUrl).searchParams;
      expect([...asked.values()]).toEqual([equal[0]]);
      const plan = objectOf(await pdi(`investors -i - ${flags} --dry-run`, { stdin: `${column}\n${rows.join('\n')}\n` }));
      expect(plan.job).toMatchObject({ rows: rows.length, distinct: 1 + others.length });
    },
  );

  itEmpty('a row of quotes alone has no identifier, and one that is blank by what nobody sees neither', async ({ service, pdi }) => {
    const result = await pdi('investors -i - -o csv --fields investor_id', { stdin: 'name\n""""""\n\u200b\n' });
    expect(statusesOf(result.stdout)).toEqual(['invalid', 'invalid']);
    expect(service.requests).toEqual([]);
  });

  it.each(['investors', 'investors --name a --website b.example', 'investors --name a -i -'])(
    '%s is a usage error: the API document leaves it open',
    (argv) => expectRefused(argv, 'give one of --name, --website and --input'),
  );

  it.for(['csv', 'table', 'json'])(
    'says that a row found several records, how many, and how to see all: %s',
    async (format, { service, pdi }) => {
      const stdin = `${investor.website}\n${investor.sharedName}\nNobody\n`;
      const result = await pdi(['investors', '-i', '-', '-o', format, '--fields', 'investor_id,pdi_matches'], { stdin });
      expect(result.code).toBe(8);
      const before = Object.values(service.requests()).reduce((sum, calls) => sum + calls, 0);
      if (format === 'json') {
        expect(JSON.parse(result.stdout)).toMatchObject([
          [{ pdi_matches: 1 }],
          [{ pdi_matches: 2 }, { pdi_matches: 2 }],
          { pdi_status: 'not_found' },
        ]);
        expect(result.stderr).not.toContain('several');
        return;
      }
      if (format === 'csv') expect(rowsOf(result.stdout).map(({ pdi_matches }) => pdi_matches)).toEqual(['1', '2', '']);
      expect(result.stderr).toContain(
        `pdi: 1 row found several records, of which ${format} shows the first (see pdi_matches); -o json or ndjson shows all: asking again for that row makes up to 1 call that may be billed\n`,
      );
      // The words, followed: they cost what they say.
      const all = await pdi(['investors', '--name', investor.sharedName, '-o', 'json']);
      expect(arrayOf(all)).toHaveLength(2);
      expect(Object.values(service.requests()).reduce((sum, calls) => sum + calls, 0) - before).toBe(1);
    },
  );

  it.for([
    ['0', 'makes up to 1 call that may be billed', 1],
    ['12h', 'costs nothing, the answers are kept', 0],
  ] as const)(
    'says what it takes to see all after a file was written, with max-age %s',
    async ([maxAge, price, calls], { service, pdi }) => {
      const run = (line: string) => pdi(line, { stdin: `${investor.sharedName}\n`, env: { PDI_MAX_AGE: maxAge } });
      const sent = () => Object.values(service.requests()).reduce((sum, calls) => sum + calls, 0);
      expect((await run(`investors -i - --out ${join(newFolder(), 'out.csv')}`)).stderr).toContain(`asking again for that row ${price}\n`);
      const before = sent();
      await run('investors -i - -o json --input-format lines');
      expect(sent() - before).toBe(calls);
    },
  );

  itEmpty.for(['NAME,Website', 'name,website,is_global', 'name,website,id,people,created_at,updated_at'])(
    'asks by the column that a row fills, whatever the case of its name and what stands beside it: %s',
    async (header, { service, pdi }) => {
      await pdi('investors -i - -o csv', { stdin: `${header}\nacme.example,\nAcme,acme.test\n` });
      expect(service.requests.map(({ path }) => path.split('?')[1]).toSorted()).toEqual(['name=acme.example', 'website=acme.test']);
    },
  );

  itEmpty.for([
    ...['a b', 'http://', 'ftp://x.example', 'jane@x.example', 'mailto:x@y.example', '7.00000001E8', '12.5', '0', '-', 'n/a'],
    ...['x.example;y.example', 'https://x.example/;https://y.example/', 'x.example)', 'x..example', 'x.example，'],
  ])('what is no website is not asked for, alone or in a row: %j', async (website, { service, pdi }) => {
    const alone = await pdi(['investors', '--website', website]);
    expect([alone.code, errorOf(alone).message]).toEqual([2, `--website ${website}: not a website: neither a URL nor a domain`]);
    const rows = await pdi('investors -i - -o csv --fields domain', { stdin: `website\n${website}\n` });
    const reason = /^(?:-|n\/a)$/.test(website) ? 'the row has no identifier' : 'not a website: neither a URL nor a domain';
    expect([rows.code, rows.stdout]).toEqual([8, expect.stringContaining(`,invalid,${reason}\n`)]);
    expect(service.requests).toEqual([]);
  });

  itEmpty('an address in a column of names is asked as a website', async ({ service, pdi }) => {
    await pdi('investors -i - -o csv', { stdin: 'name,n\nhttps://acme.example,1\nhttps is safe,2\n' });
    const asked = service.requests.map(({ path }) => path.split('?')[1]).toSorted();
    expect(asked).toEqual(['name=https+is+safe', 'website=https%3A%2F%2Facme.example']);
  });

  itEmpty('a text around an address is asked for neither as a name nor as a website', async ({ service, pdi }) => {
    const { code, stdout } = await pdi('investors -i - -o csv --fields domain', {
      stdin: '- https://acme.example\nAcme (https://acme.test)\n',
    });
    expect([code, stdout.match(/invalid,"a text around a URL/g)?.length, service.requests]).toEqual([8, 2, []]);
  });

  itEmpty.for(['Investor Name', 'fund_name', '# our funds', '// ours', '=HYPERLINK("https://acme.example";"Acme")', '{{name}}', '%name%'])(
    'what names no investor is not asked for: %j',
    async (line, { service, pdi }) => {
      expect((await pdi('investors -i - -o csv --input-format lines', { stdin: `${line}\n` })).stdout).toMatch(/,invalid,/);
      expect(service.requests).toEqual([]);
    },
  );

  itEmpty('a name that has lost a character is not asked for', async ({ service, pdi }) => {
    const { stdout } = await pdi('investors -i - -o csv', { stdin: '{"name":"Caf\\ud83d"}\n{"name":"Caf\ufffd"}\n' });
    expect(stdout.match(/,invalid,holds a character that a program has lost/g)).toHaveLength(2);
    expect(service.requests).toEqual([]);
  });

  it('--fields chooses from every match in json', async ({ pdi }) => {
    const { stdout } = await pdi('investors -i - -o ndjson --fields investor_name', { stdin: `${investor.sharedName}\n` });
    const match = { investor_name: investor.sharedName };
    expect(JSON.parse(stdout)).toEqual([match, match]);
  });
});
