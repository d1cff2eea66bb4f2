/** `--where EXPRESSION`: the records of a list for which it is true, in every format. */
import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { it, itWith } from '../support/it.ts';
import { newFolder } from '../support/run.ts';
import { arrayOf, expectRefused, fileOf, linesOf, newFile, origin, pdi, rowsIn, rowsOf, saidBy } from '../support/service.ts';
import { everyCommand } from './every-command.ts';

const signals = [
  { signal_id: 's1', signal_score: 3, signal_type: 'Talent', company: { name: 'A' } },
  { signal_id: 's2', signal_score: 8, signal_type: 'Company', company: { name: '' } },
  { signal_id: 's3', signal_score: 10, signal_type: 'Company' },
];
const itOfSignals = itWith(() => origin(() => ({ json: signals })));
const scoreOf8 = 'signal_score >= `8`';

describe('--where', () => {
  itOfSignals.for(['csv', 'ndjson', 'json', 'table'])(
    '%s: the records for which it is true, in their order',
    async (format, { pdi: ask, service }) => {
      const { code, stdout, stderr } = await ask(['feed', '-o', format, '--where', scoreOf8, '--fields', 'signal_id', '--errors', 'text']);
      expect(stdout.match(/s\d/g)).toEqual(['s2', 's3']);
      expect([code, stderr]).toEqual([0, 'pdi: --where kept 2 of 3 records\n']);
      expect(service.requests).toHaveLength(1);
    },
  );

  it.each([
    ['@.n > `9007199254740991`', [0, 1]],
    ["to_string(@.n) == '9007199254740993'", [0]],
    ['@.n == `33.3333333333333333`', [2]],
    ["@.n == '33.3333333333333333'", []],
    ['@.n == @.same', [0, 2]],
    ['[@.n] == [@.same]', [0, 2]],
  ])('tells numbers past 2^53 from one another, and writes their digits: %s', async (where, kept) => {
    const records = [
      '{"signal_id":"s1","n":9007199254740993,"same":9007199254740993}',
      '{"signal_id":"s2","n":9007199254740992,"same":9007199254740993}',
      '{"signal_id":"s3","n":33.3333333333333333,"same":33.3333333333333333}',
    ];
    const { pdi: ask } = await origin(() => ({ text: `[${records.join()}]` }));
    expect(linesOf((await ask(['feed', '-o', 'ndjson', '--where', where])).stdout)).toEqual(kept.map((at) => records[at]));
  });

  it('a misspelt field, and a text in double quotes, are told before anything is billed', async () => {
    for (const where of ['signal_scor >= `8`', 'signal_scor', "company.hq.citi == 'Lund'", 'signal_type == "Company"'])
      await expectRefused(['feed', '--all', '--where', where], 'no field is called');
  });

  itOfSignals.for([
    'signal_type == Talent',
    'Talent == signal_type',
    'signal_type == "Talent"',
    'company.hq.country == Germany',
    'company.website == acme.example',
    "signal_score > `1` && (signal_type == 'Company' || signal_type == Talent)",
    'contains(signal_summary, Germany)',
    'source_types[?@ == angel]',
    'contains([Talent, Company], signal_type)',
    '{a: signal_type} == {a: Talent}',
    'signal_type == (Talent || Company)',
    'signal_investors[?name == Acme]',
    'signal_investors[?contains(name, Acme)]',
    '{a: signal_type}.a == Talent',
    'source_types | [?@ == angel]',
    'company.tech_verticals[][?@ == AI][]',
    "subject == 'Acme'",
    "signal_type == 'Talent",
  ])('%s: a text without its quotes is refused before the first call, and no bookmark moves', async (where, { pdi: ask, service }) => {
    const options = { home: newFolder() };
    const result = await ask(['feed', '--all', '--since-last', 'w', '--where', where], options);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/no field is called|a quote is not closed/);
    expect(service.requests).toEqual([]);
    expect((await ask(['bookmarks', '-o', 'json'], options)).stdout.trim()).toBe('[]');
  });

  const quoted = (text: string) => `a text stands in single quotes: '${text}'`;
  const inBackticks = (word: string) => `a value stands in backticks: \`${word}\`; @.${word} is a field that is not documented`;
  it.each<[where: string, word: string, hint: string]>([
    ['signal_type == Talent', 'Talent', `${quoted('Talent')}; @.Talent is a field that is not documented`],
    ['signal_date > "2026-01-01"', '2026-01-01', quoted('2026-01-01')],
    ...['null', 'true', 'false'].map((word): [string, string, string] => [
      `company.is_industry_estimated == ${word}`,
      word,
      inBackticks(word),
    ]),
  ])('says how it is written: %s', (where, word, hint) =>
    expectRefused(['feed', '--where', where], { message: `--where: no field is called "${word}"`, hint: `nothing was sent; ${hint}` }),
  );

  itOfSignals.for([
    "signal_type == 'Company'",
    'signal_date == signal_last_funding_date',
    "signal_investors[?stage == 'Seed']",
    "contains(company.industry, 'AI')",
    "contains(['AI', signal_type], company.industry)",
    "company.tech_verticals[?[0] == 'AI']",
    "sort_by(signal_investors, &name)[0].name == 'Acme'",
    "max_by(signal_investors, &stage).name == 'Acme'",
    "sort_by([{kind: signal_type}], &kind)[0].kind == 'Talent'",
    "@.brand_new == 'x'",
    'length(@.signal_summary) > `3`',
    "{a: signal_type, b: company}.b.hq.city == 'Berlin'",
    "pdi_status == 'ok'",
    "pdi_input.note == 'x'",
  ])('%s: goes to the service', async (where, { pdi: ask, service }) => {
    await ask(['feed', '--where', where]);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['person per_1 -o json', 'experience[?title == Engineer]'],
    ['person per_1 -o ndjson', 'contains(skills, Python)'],
    ['network -o json', '[?primary_role == founder]'],
    ['feed -o json', "[?subject == 'Acme']"],
    ['network -o ndjson', 'primary_role == founder'],
    ['resolve ada bob -o json', '[].matches[][?full_name == Ada]'],
    ['feed -o json', 'sort_by(@, &signl_date)'],
    ['person per_1 -o ndjson', 'sort_by(experience, &titel)'],
  ])('%s --query %s: refused before the first call', (words, query) =>
    expectRefused([...words.split(' '), '--query', query], 'no field is called'),
  );

  it('a field that the service has and nobody documents is used, with a notice', async () => {
    const { pdi: ask } = await origin(() => ({ json: [{ signal_id: 's1', brand_new: 1 }, { signal_id: 's2' }] }));
    const { code, stdout, stderr } = await ask(['feed', '-o', 'ndjson', '--where', '@.brand_new == `1`']);
    expect([code, stdout]).toEqual([0, '{"signal_id":"s1","brand_new":1}\n']);
    expect(saidBy({ stderr })).toContainEqual({ notice: '--where names brand_new, which the API does not document for this command' });
  });

  itOfSignals('xlsx, and a file', async ({ pdi: ask }) => {
    const [book, csv] = [newFile('signals.xlsx'), newFile('signals.csv')];
    expect((await ask(['feed', '--where', scoreOf8, '--out', book])).code).toBe(0);
    await pdi(['convert', book, '--out', csv]);
    expect(rowsIn(csv).map(({ signal_id }) => signal_id)).toEqual(['s2', 's3']);
  });

  itOfSignals.for([
    ['company.name', ['s1']],
    ['!company', ['s3']],
    ["signal_type == 'Company' && signal_score > `8`", ['s3']],
    ['signal_score', ['s1', 's2', 's3']],
    ['field_of_tomorrow', []],
    ['`0`', ['s1', 's2', 's3']],
    ['`{}`', []],
  ] as const)('%s: empty texts, lists and objects, null and false are not true', async ([expression, kept], { pdi: ask }) => {
    expect(arrayOf(await ask(['feed', '-o', 'json', '--where', expression])).map(({ signal_id }) => signal_id)).toEqual(kept);
  });

  itOfSignals('sees the whole record, whatever --fields shows, and --query sees what is kept', async ({ pdi: ask }) => {
    const { stdout } = await ask(['feed', '-o', 'json', '--where', scoreOf8, '--fields', 'signal_type', '--query', 'length(@)']);
    expect(stdout).toBe('2\n');
  });

  it('keeps records before --explode makes rows of them', async ({ pdi: ask }) => {
    const argv = ['feed', '--limit', '5', '-o', 'csv', '--explode', 'signal_investors', '--fields', 'signal_id,pdi_item'];
    const all = rowsOf((await ask(argv)).stdout);
    const kept = await ask([...argv, '--where', 'length(signal_investors) == `2`']);
    const lengthOf = (id: string | undefined) => all.filter(({ signal_id }) => signal_id === id).length;
    const wanted = all.filter(({ signal_id }) => lengthOf(signal_id) === 2);
    expect(wanted.length).toBeGreaterThan(0);
    expect(rowsOf(kept.stdout)).toEqual(wanted);
  });

  itOfSignals('nothing kept is nothing found: an empty list, and 4 with --fail-if-empty', async ({ pdi: ask }) => {
    expect(await ask(['feed', '-o', 'json', '--where', 'nothing'])).toMatchObject({ code: 0, stdout: '[]\n' });
    const failed = await ask(['feed', '-o', 'json', '--where', 'nothing', '--fail-if-empty']);
    expect(failed.code).toBe(4);
    expect(saidBy(failed).find(({ error }) => error !== undefined)).toMatchObject({ error: { billed: 'yes' } });
  });

  it.each(['a =', 'foo(@)', '[?a'])('%s: refused before the first call', (expression) =>
    expectRefused(['feed', '--where', expression], 'is not a JMESPath expression'),
  );

  itOfSignals('keeps a record that the expression does not fit, because it was paid for: 2', async ({ pdi: ask }) => {
    const { code, stdout, stderr } = await ask(['feed', '-o', 'csv', '--where', "starts_with(company.name, 'B')", '--fields', 'signal_id']);
    expect([code, stdout]).toEqual([2, 'signal_id\r\ns3\r\n']);
    expect(stderr).toContain('the expression does not fit some records, which are kept');
  });

  it('members of a list are its records, in json too', async ({ pdi: ask }) => {
    const list = 'd0000000-0000-4000-8000-000000000002';
    for (const format of ['json', 'ndjson', 'csv']) {
      const { stdout } = await ask(['lists', 'investors', 'get', list, '-o', format, '--where', "investor_id == 'inv_sample3'"]);
      expect(stdout.match(/inv_\w+/g)).toEqual(['inv_sample3']);
    }
    const modify = ['lists', 'people', 'modify', 'b0000000-0000-4000-8000-000000000002', '--add', 'per_sample9'];
    const modified = await ask([...modify, '-o', 'csv', '--where', "person_id == 'per_sample9'"]);
    expect(rowsOf(modified.stdout).map(({ person_id }) => person_id)).toEqual(['per_sample9']);
  });

  it.each(everyCommand.filter(({ job }) => job))('$name is a job, whose rows all come back: refused, nothing sent', async ({ argv }) => {
    for (const more of [[], ['--dry-run']]) await expectRefused([...argv, '--where', 'a', ...more], 'each row in is a row out');
  });

  it.each([
    [`investors -i ${fileOf('firms.csv', 'name\nA\n')}`, 'each row in is a row out'],
    ['health', 'gives one record'],
    ['lists companies delete c0000000-0000-4000-8000-000000000002 --yes', 'gives one record'],
  ])('%s: refused', (line, words) => expectRefused(`${line} --where a`, words));
});

const dated = (number: number) => ({ signal_id: `s${number}`, signal_date: '2026-06-01' });

describe('feed --since-last --where', () => {
  it('what is dropped counts as seen: no later run delivers it', async () => {
    const arrived = [1, 2, 3].map(dated);
    const { pdi: ask } = await origin(() => ({ json: arrived }));
    const next = async (...more: string[]) => {
      const result = await ask(['feed', '--since-last', '--after', '2026-06-01', '-o', 'ndjson', ...more]);
      return linesOf(result.stdout).length;
    };
    expect(await next('--where', 'nothing')).toBe(0);
    expect(await next()).toBe(0);
    arrived.unshift(dated(4), dated(5));
    expect(await next('--where', 'signal_id')).toBe(2);
  });

  it('hands on what is kept, and runs no program where nothing is', async () => {
    const { pdi: ask } = await origin(() => ({ json: [1, 2].map(dated) }));
    const [home, out] = [newFolder(), newFile('got')];
    const deliver = ['--deliver', `dd of=${out} status=none`];
    const argv = ['feed', '--since-last', '--after', '2026-06-01', '-o', 'ndjson', ...deliver];
    const none = await ask([...argv, '--where', 'nothing'], { home, env: { PATH: process.env.PATH ?? '' } });
    expect([none.code, existsSync(out)]).toEqual([0, false]);
    expect(none.stderr).toContain('--where kept 0 of 2 records');
  });
});

describe('convert --where', () => {
  const job = 'note,person_id,full_name,pdi_status,pdi_error\nx,per_a1,Ada,ok,\ny,per_b2,,not_found,not found (404)\n';
  const records = [
    { person_id: 'per_a1', full_name: 'Ada', years_of_experience: 4 },
    { person_id: 'per_b2', full_name: 'Bo', years_of_experience: 20 },
  ];

  it.each(['csv', 'json', 'ndjson'])('a joined csv to %s: own columns and the status are there to choose by', async (format) => {
    for (const expression of ["note == 'y'", "pdi_status == 'not_found'"]) {
      const { stdout } = await pdi(['convert', fileOf('job.csv', job), '-o', format, '--where', expression]);
      expect(stdout).toContain('per_b2');
      expect(stdout).not.toContain('per_a1');
    }
  });

  it.each(['csv', 'json', 'ndjson'])('records with their input to %s: its columns are there to choose by', async (format) => {
    for (const [found, missing] of ['{"note":"x"} {"note":"y"}', '"x" "y"'].map((inputs) => inputs.split(' '))) {
      const stdin = `{"person_id":"per_a1","pdi_input":${found}}\n{"input":"per_b2","pdi_status":"not_found","pdi_error":"","pdi_input":${missing}}\n`;
      const keptBy = async (note: string) => {
        const expression = `(pdi_input.note || pdi_input) == '${note}'`;
        const { stdout } = await pdi(['convert', '-', '-o', format, '--from', 'person', '--where', expression], { stdin });
        return ['per_a1', 'not_found'].filter((text) => stdout.includes(text));
      };
      expect([await keptBy('x'), await keptBy('y')]).toEqual([['per_a1'], ['not_found']]);
    }
  });

  it.each([
    ['records.json', JSON.stringify(records)],
    ['records.ndjson', records.map((record) => JSON.stringify(record)).join('\n')],
    ['records.csv', 'person_id,full_name,years_of_experience\nper_a1,Ada,4\nper_b2,Bo,20\n'],
  ])('%s: numbers are numbers', async (name, text) => {
    for (const format of ['csv', 'json']) {
      const argv = ['convert', fileOf(name, text), '-o', format, '--fields', 'person_id'];
      const { code, stdout } = await pdi([...argv, '--where', 'years_of_experience > `5`']);
      expect([code, ...new Set(stdout.match(/per_\w+/g))]).toEqual([0, 'per_b2']);
    }
  });

  it.each(['json', 'ndjson', 'csv'])('a text without quotes is refused, also where %s needs no columns', async (format) => {
    for (const name of ['records.json', 'records.ndjson']) {
      const text = name.endsWith('.json') ? JSON.stringify(records) : records.map((record) => JSON.stringify(record)).join('\n');
      const argv = ['convert', fileOf(name, text), '-o', format];
      const refused = await pdi([...argv, '--where', 'full_name == Ada']);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toMatch(/no field is called \\?"Ada/);
      expect((await pdi([...argv, '--where', "full_name == 'Ada'"])).stdout.match(/per_\w+/)?.[0]).toBe('per_a1');
      if (format === 'json') expect((await pdi([...argv, '--query', '[?full_name == Ada]'])).code).toBe(2);
    }
  });

  it('the object that stands for a row without a record is a record, too', async () => {
    const missing = '{"input":"per_c3","pdi_status":"not_found","pdi_error":"not found (404)"}';
    const file = fileOf('job.ndjson', `${JSON.stringify(records[0])}\n${missing}\n`);
    const kept = async (expression: string) =>
      (await pdi(['convert', file, '-o', 'ndjson', '--where', expression])).stdout.match(/per_\w+/g);
    expect(await kept("pdi_status == 'not_found'")).toEqual(['per_c3']);
    expect(await kept("pdi_status == 'ok'")).toEqual(['per_a1']);
    expect(await kept('full_name')).toEqual(['per_a1']);
  });

  it('one object is a list of one', async () => {
    const file = fileOf('one.json', JSON.stringify(records[0]));
    expect((await pdi(['convert', file, '-o', 'json', '--where', 'full_name', '--fields', 'person_id'])).stdout).toContain('[');
    expect((await pdi(['convert', file, '-o', 'json', '--where', 'nothing'])).stdout).toBe('[]\n');
  });
});
