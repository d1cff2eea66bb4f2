import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it, itWith } from '../support/it.ts';
import { arrayOf, cellsOf, errorOf, expectRefused, linesOf, newFile, objectOf, origin, statusesOf } from '../support/service.ts';

const { investor } = landmarks;

const itEmpty = itWith(() => origin(() => ({ json: [] })));

describe('investors', () => {
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

  const sites = ['https://www.Fund.example/Team/', 'fund.example/Team', 'HTTP://FUND.example/Team', '<http://fund.example/Team>'];
  const otherSites = ['fund.example', 'fund.example/team', 'https://fund.example/?Team', 'sub.fund.example/Team'];
  const spellings = [
    'Sample  Harbor',
    'Sample\u00a0Harbor',
    'Sam\u00adple Harbor',
    '“Sample Harbor”',
    "'Sample Harbor'",
    '« SAMPLE harbor »',
  ];
  itEmpty.for([
    ['name', ['Sample Harbor', ' sample harbor ', '"""SAMPLE harbor"""', '\u200bSample Harbor', ...spellings], ['Sample Harbour']],
    ['site', [...sites, 'www.fund.example/Team/'], otherSites],
  ] as const)('equal spellings of a %s are one question, and each row keeps its own', async ([column, equal, others], { service, pdi }) => {
    const rows = [...equal, ...others];
    const ask = (more: string) => pdi(`investors -i - --column ${column} ${more}`, { stdin: `${column}\n${rows.join('\n')}\n` });
    const lines = linesOf((await ask('-o csv --fields investor_id')).stdout).map((line) => line.split(/,+not_found/)[0]);
    expect(lines).toEqual([`${column},investor_id,pdi_status,pdi_error`, ...rows]);
    expect(service.requests).toHaveLength(1 + others.length);
    const asked = new URL(service.requests[0]?.path ?? '', service.baseUrl).searchParams;
    expect([...asked.values()]).toEqual([equal[0]]);
    expect(objectOf(await ask('--dry-run')).job).toMatchObject({ rows: rows.length, distinct: 1 + others.length });
  });

  itEmpty('a row of quotes alone has no identifier, and one that is blank by what nobody sees neither', async ({ service, pdi }) => {
    const result = await pdi('investors -i - -o csv --fields investor_id', { stdin: 'name\n""""""\n\u200b\n' });
    expect(statusesOf(result.stdout)).toEqual(['invalid', 'invalid']);
    expect(service.requests).toEqual([]);
  });

  it.each(['investors', 'investors --name a --website b.example', 'investors --name a -i -'])(
    '%s is a usage error: the API document leaves it open',
    (argv) => expectRefused(argv, 'give one of --name, --website and --input'),
  );

  const several = [investor.website, investor.sharedName, 'Nobody'];

  it.for(['csv', 'table'])('says that a row found several records, how many, and how to see all: %s', async (format, { pdi }) => {
    const argv = ['investors', '-i', '-', '-o', format, '--fields', 'investor_id,pdi_matches'];
    const { code, stdout, stderr } = await pdi(argv, { stdin: `${several.join('\n')}\n` });
    expect(code).toBe(8);
    if (format === 'csv') expect(cellsOf(stdout, 'pdi_matches')).toEqual(['1', '2', '']);
    expect(stderr).toContain(
      `pdi: 1 row found several records, of which ${format} shows the first (see pdi_matches); -o json or ndjson shows all: asking again for that row makes up to 1 call that may be billed\n`,
    );
  });

  it('names the field of their number where --fields leaves it out', async ({ pdi }) => {
    const { stderr } = await pdi('investors -i - -o csv --fields investor_id', { stdin: investor.sharedName });
    expect(stderr).toContain('shows the first (their number is in --fields pdi_matches); -o json');
  });

  it('shows all of them in json, where there is nothing more to say', async ({ pdi }) => {
    const { stdout, stderr } = await pdi('investors -i - -o json --fields pdi_matches', { stdin: `${several.join('\n')}\n` });
    const [one, two, none] = JSON.parse(stdout);
    expect([one, two, none.pdi_status]).toEqual([[{ pdi_matches: 1 }], [{ pdi_matches: 2 }, { pdi_matches: 2 }], 'not_found']);
    expect(stderr).not.toContain('several');
  });

  it.for([
    ['0', 'makes up to 1 call that may be billed', 1],
    ['12h', 'costs nothing, the answers are kept', 0],
  ] as const)('says what it takes to see all, with max-age %s, and it is true', async ([maxAge, price, calls], { service, pdi }) => {
    const run = (line: string | readonly string[]) => pdi(line, { stdin: `${investor.sharedName}\n`, env: { PDI_MAX_AGE: maxAge } });
    const { stderr } = await run(`investors -i - --out ${newFile('out.csv')}`);
    expect(stderr).toContain(`asking again for that row ${price}\n`);
    expect(arrayOf(await run(['investors', '--name', investor.sharedName, '-o', 'json']))).toHaveLength(2);
    expect(service.requests()).toEqual({ findInvestors: 1 + calls });
  });

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

  itEmpty.for([
    ...['Investor Name', 'fund_name', '# our funds', '// ours', '=HYPERLINK("https://acme.example";"Acme")', '{{name}}', '%name%'],
    ...[
      'Unknown',
      'Undisclosed Investors',
      'Totale',
      '15-Mar',
      'Acme<br>',
      'Acme &amp; Co',
      'Acme\u001b[1m',
      '- Acme',
      '2. Acme',
      '[Acme]',
    ],
    ...[
      '**Acme**',
      '“Acme',
      'Acme;',
      'ada@acme.example',
      'inv_1',
      '25 rows',
      '… and 3 more',
      'mysql> SELECT',
      'name = Acme',
      'x'.repeat(301),
    ],
  ])('what names no investor is not asked for: %j', async (line, { service, pdi }) => {
    expect((await pdi('investors -i - -o csv --input-format lines', { stdin: `${line}\n` })).stdout).toMatch(/,invalid,/);
    expect((await pdi(['investors', `--name=${line}`])).code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  itEmpty('what names one is asked for, whatever else it could be', async ({ service, pdi }) => {
    const names = [
      'Total Capital',
      'Sum Ventures',
      "'t Sample Fund",
      '500 Startups',
      '3i',
      'Sample Harbor [Growth]',
      '#Angels',
      'Yahoo!',
      'C# Capital',
      '株式会社サンプル',
    ];
    await pdi('investors -i - --input-format lines', { stdin: names.join('\n') });
    expect(service.requests.map(({ path }) => new URL(path, service.baseUrl).searchParams.get('name')).toSorted()).toEqual(
      names.toSorted(),
    );
  });

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
