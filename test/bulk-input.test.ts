/** Rows in and rows out through the command line: the join of CSV in and CSV out, and what an input file can do wrong. */
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bookOf, row, value } from './input/book.ts';
import { itWith } from './support/it.ts';
import { needsPosix } from './support/needs.ts';
import { idIn, profile } from './support/records.ts';
import { newFolder } from './support/run.ts';
import { cellsOf, errorOf, expectMistake, fileOf, linesFile, newFile, origin, pdi, saidBy, sandbox } from './support/service.ts';

const profiles = () => origin(({ path }) => (idIn(path) === 'per_gone' ? { status: 404 } : profile(path)));
const itOfPeople = itWith(profiles);

const crm = bookOf({
  sheets: {
    Notes: row(1, 'nothing here'),
    CRM:
      row(2, 'Name', 'person_id', 'Since', 'Deal', 'Won', 'Phone') +
      row(3, 'Ada, "A"', 'per_1', value('45351', 1), value('1.1000000000000001'), ['t="b"', '<v>1</v>'], '+49 30 1') +
      row(5, '=1+1', 'per_gone', '', value('700000001'), ['t="e"', '<v>#N/A</v>']),
  },
  formats: ['dd/mm/yyyy'],
});

/** The workbook, joined: own cells come back as they were shown, and none becomes a formula. */
const joinedCrm = `Name,person_id,Since,Deal,Won,Phone,full_name,pdi_status,pdi_error\r
"Ada, ""A""",per_1,2024-02-29,1.1,TRUE,'+49 30 1,Name of per_1,ok,\r
'=1+1,per_gone,,700000001,#N/A,,,not_found,not found (404)\r
`;

const bytes = (text: string) => Buffer.from(text, 'latin1');
const excel = bytes('person_id;name\r\nper_1;Ren\xe9e, 3 \x80\r\nper_2;\x93Zo\xeb\x94\r\n');

const modify = 'lists people modify b0000000-0000-4000-8000-000000000002';

/** `person -i FILE -o csv --fields full_name` on this input. */
async function joined(input: string | Uint8Array, { name = 'in.csv', more = [] }: { name?: string; more?: readonly string[] } = {}) {
  const { pdi } = await profiles();
  return pdi(['person', '-i', fileOf(name, input), '-o', 'csv', '--fields', 'full_name', ...more]);
}

describe('CSV in, CSV out', () => {
  it('keeps the own columns of rows that are the same, that have no identifier, and that are not found', async () => {
    const { stdout } = await joined('n,person_id\n1,per_1\n2,\n3,per_gone\n4,per_1\n');
    const rows = ['1,per_1,Name of per_1,ok,', '2,,,invalid,the row has no identifier', '3,per_gone,,not_found,not found (404)'];
    expect(stdout.split('\n')).toEqual(['n,person_id,full_name,pdi_status,pdi_error', ...rows, '4,per_1,Name of per_1,ok,', '']);
  });

  it('reads back what --text-ids and the formula guard wrote, and leaves those cells as they are', async () => {
    const { pdi } = await sandbox();
    const ids = ['9007199254740993', '@ada-sample-1', 'ada-sample-1'];
    const written = await pdi(['resolve', ...ids, '-o', 'csv', '--text-ids', '--fields', 'query']);
    const cells = cellsOf(written.stdout, 'input');
    expect(cells).toEqual(['="9007199254740993"', "'@ada-sample-1", 'ada-sample-1']);
    const again = ['resolve', '-i', fileOf('in.csv', written.stdout), '--column', 'input'];
    const asked = await pdi([...again, '-o', 'ndjson', '--query', 'query', '-q']);
    expect(asked.stdout).toBe('{"profnet_num_id":9007199254740993}\n{"profnet_id":"ada-sample-1"}\n{"profnet_id":"ada-sample-1"}\n');
    const joinedAgain = await pdi([...again, '-o', 'csv', '--fields', 'matches']);
    expect(cellsOf(joinedAgain.stdout, 'input')).toEqual(cells);
  });

  it('passes over lines above the header, and tells it once', async () => {
    const { code, stdout, stderr } = await joined('Customers of May\n\nperson_id;note\nper_1;a\n');
    expect([code, stdout]).toEqual([0, 'person_id;note;full_name;pdi_status;pdi_error\nper_1;a;Name of per_1;ok;\n']);
    expect(stderr.match(/in\.csv, line 3: the header; 1 row above it is passed over/g)).toHaveLength(1);
  });

  it('says what it takes for the end of a cell, where it finds one column', async () => {
    const { code, stdout, stderr } = await joined('person_id~note\nper_1~a\n');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/it has: person_id~note;.*told apart by commas, semicolons, tabs or bars/);
  });

  it('has tabs where the name of FILE asks for them, whatever the input has', async () => {
    const table = 'person_id\tnote\nper_1\ta,b\n';
    expect((await joined(table)).stdout).toBe('person_id,note,full_name,pdi_status,pdi_error\nper_1,"a,b",Name of per_1,ok,\n');
    const out = newFile('out.tsv');
    await joined(table, { more: ['--out', out] });
    expect(readFileSync(out, 'utf8')).toBe('person_id\tnote\tfull_name\tpdi_status\tpdi_error\nper_1\ta,b\tName of per_1\tok\t\n');
  });

  it('changes the delimiter where it is told to, and quotes anew', async () => {
    const { stdout } = await joined('person_id;note\nper_1;a,b\n', { more: ['--delimiter', ','] });
    expect(stdout).toBe('person_id,note,full_name,pdi_status,pdi_error\nper_1,"a,b",Name of per_1,ok,\n');
  });

  it('has `input` first where the input is no CSV', async () => {
    const lines = await joined('per_1\r\n\r\n per_2 \r\n', { name: 'in.txt' });
    expect(lines.stdout).toBe('input,full_name,pdi_status,pdi_error\r\nper_1,Name of per_1,ok,\r\nper_2,Name of per_2,ok,\r\n');
    const records = await joined('{"person_id":"per_1","n":1}\n"per_2"\n{"person_id":null}\n', { name: 'in.ndjson' });
    const told = cellsOf(records.stdout, 'input', 'pdi_status');
    expect(told).toEqual(['per_1 | ok', 'per_2 | ok', '{"person_id":null} | invalid']);
  });

  it('goes from a resolve with a bad row to person: its joined csv works as it stands', async () => {
    const { pdi } = await sandbox();
    const resolve = ['resolve', '-i', fileOf('crm.csv', 'name,profnet_id\nAda,ada-sample-1\n"No, body",no one\n'), '-o', 'csv'];
    const { stdout: resolved } = await pdi(resolve);
    const person = await pdi(['person', '-i', '-', '-o', 'csv', '--fields', 'profnet_urn', '-q'], { stdin: resolved });
    const [header, ...lines] = resolved.split('\n');
    const joined = person.stdout.split('\n');
    for (const [index, line] of [header, ...lines].entries()) expect(joined[index]?.startsWith(line ?? '')).toBe(true);
    expect(joined[1]).toMatch(/,urn:profnet:member:S1,ok,$/);
    expect(joined[2]).toMatch(/,,invalid,"no record in the input: invalid, [^"]+"$/);
  });
});

describe('what an input file can do wrong', () => {
  itOfPeople('a directory, a missing file, a file in no directory', async ({ pdi }) => {
    const folder = newFolder();
    mkdirSync(join(folder, 'dir.csv'));
    expectMistake(await pdi(['person', '-i', join(folder, 'dir.csv')]), 2, /dir\.csv is a directory/);
    expectMistake(await pdi(['person', '-i', join(folder, 'none.csv')]), 2, /none\.csv: no such file/);
    expectMistake(await pdi(['person', '-i', join(linesFile(['a']), 'x')]), 2, /no such file/);
  });

  itOfPeople.for(['', '\n', '\n \r\n\n', '\ufeff', '\n'.repeat(70_000)])(
    'standard input without rows is a job of no rows: %j',
    async (stdin, { service, pdi }) => {
      const ask = (...argv: readonly string[]) => pdi([...argv, '-i', '-'], { stdin });
      const header = 'input,full_name,pdi_status,pdi_error\r\n';
      expect(await ask('person', '-o', 'csv', '--fields', 'full_name')).toMatchObject({ code: 0, stdout: header });
      expect(await ask('person', '-o', 'csv', '--fields', 'full_name', '--column', 'x')).toMatchObject({ code: 0, stdout: header });
      expect(await ask('person', '-o', 'csv', '--fields', 'full_name', '--input-format', 'csv')).toMatchObject({ code: 0, stdout: header });
      expect(await ask('revenue', '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
      expect(await ask('resolve', '-o', 'ndjson')).toMatchObject({ code: 0, stdout: '' });
      for (const command of ['resolve', 'person', 'investors']) expect((await ask(command, '--fail-if-empty')).code).toBe(4);
      expect((await ask('person', '--dry-run')).code).toBe(0);
      expect(service.requests).toEqual([]);
    },
  );

  itOfPeople.for([
    ['none.json', '[]\n'],
    ['none', '[ ]'],
    ['none.ndjson', ''],
    ['none.jsonl', '\n'],
  ] as const)('nor is a file a mistake that a run wrote which found nothing: %s %j', async ([name, text], { service, pdi }) => {
    const ask = (...argv: readonly string[]) => pdi([...argv, '-i', fileOf(name, text)]);
    expect(await ask('person', '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await ask('resolve', '-o', 'ndjson')).toMatchObject({ code: 0, stdout: '' });
    expect(service.requests).toEqual([]);
  });

  it('takes a workbook', async () => {
    const more = ['--sheet', 'CRM'];
    const file = await joined(crm, { name: 'crm.xlsx', more });
    expect([file.code, file.stdout]).toEqual([8, joinedCrm]);
    expect((await joined(crm, { name: 'crm', more: [...more, '--no-formula-guard'] })).stdout).toBe(joinedCrm.replaceAll("'", ''));
    expect((await joined(crm, { name: 'crm', more: [...more, '--delimiter', ';'] })).stdout).toContain(
      '"Ada, ""A""";per_1;2024-02-29;1.1;',
    );
    const argv = ['person', '-i', '-', '-o', 'csv', '--fields', 'full_name', ...more];
    expect(await (await profiles()).pdi(argv, { stdin: Readable.from([crm]) })).toMatchObject({ code: 8, stdout: joinedCrm });
  });

  itOfPeople('gives a workbook for a workbook, which is read again', async ({ pdi }) => {
    const out = newFile('out.xlsx');
    await pdi(['person', '-i', fileOf('crm.xlsx', crm), '--sheet', 'CRM', '--fields', 'full_name', '--out', out]);
    expect((await pdi(['convert', out, '-o', 'csv'])).stdout).toBe(joinedCrm);
  });

  itOfPeople('a workbook that is wrong sends nothing', async ({ service, pdi }) => {
    const file = fileOf('crm.xlsx', crm);
    const ask = (...argv: readonly string[]) => pdi(['person', ...argv]);
    expectMistake(await ask('-i', file), 2, /crm\.xlsx has none of the columns person_id, matches\.0\.person_id; it has: nothing here/);
    const wrong = await ask('-i', file, '--sheet', 'crm');
    expectMistake(wrong, 2, /crm\.xlsx has no sheet "crm"$/);
    expect(errorOf(wrong).hint).toBe('its sheets are: Notes, CRM');
    expectMistake(await ask('-i', file, '--encoding', 'latin1'), 2, /is a workbook, which has no other encoding/);
    expectMistake(await ask('per_1', '--sheet', 'CRM'), 2, /--sheet goes with --input/);
    expectMistake(await ask('-i', fileOf('in.txt', 'per_1\n'), '--sheet', 'CRM'), 2, /--sheet goes with a workbook/);
    expect(service.requests).toEqual([]);
  });
});

describe('text that is not UTF-8', () => {
  /** Far more rows than are under way at once, and the bad one last. */
  const late = bytes(`${Array.from({ length: 3000 }, (_, index) => `per_${index}\n`).join('')}per_\xe9\n`);

  itOfPeople('--encoding decodes it, and own columns come back as the same characters in UTF-8', async ({ pdi }) => {
    const expected =
      'person_id;name;full_name;pdi_status;pdi_error\r\nper_1;Renée, 3 €;Name of per_1;ok;\r\nper_2;“Zoë”;Name of per_2;ok;\r\n';
    expect(await joined(excel, { more: ['--encoding', 'windows-1252'] })).toMatchObject({ code: 0, stdout: expected });
    const argv = ['person', '-i', '-', '-o', 'csv', '--fields', 'full_name', '--encoding', 'Latin1'];
    expect(await pdi(argv, { stdin: Readable.from([excel]) })).toMatchObject({ code: 0, stdout: expected });
  });

  itOfPeople.for([
    'person -i',
    'person --max-billable unlimited -i',
    `person --max-billable unlimited --out ${newFile()} -i`,
    'person --dry-run -i',
    'revenue --max-billable unlimited -i',
    'resolve -i',
    `resolve --out ${newFile()} -i`,
    'investors --max-billable unlimited -i',
    'searches talent --max-billable unlimited -i',
    `${modify} --add-from`,
  ])('a file of it is refused before anything is sent: %s', async (words, { service, pdi }) => {
    const result = await pdi([...words.split(' '), fileOf('ids.txt', late)]);
    expectMistake(result, 2, /ids\.txt, line 3001: not valid UTF-8$/);
    expect(saidBy(result)[0]).toMatchObject({ error: { hint: expect.stringContaining('--encoding windows-1252 (Excel in Europe)') } });
    expect(service.requests).toEqual([]);
  });

  itOfPeople(
    'a pipe stops at the line: what was bought is written, and so are the rows of a resolve; the rest is skipped',
    async ({ service, pdi }) => {
      const out = newFile();
      const stdin = () => Readable.from([bytes('person_id,n\nper_1,a\nper_2,b\nper_3,\xe9\nper_4,d\n')]);
      const bought = await pdi(['person', '-i', '-', '-o', 'csv', '--out', out], { stdin: stdin() });
      expect([bought.code, bought.stderr]).toEqual([2, expect.stringContaining('standard input, line 4: not valid UTF-8')]);
      const written = cellsOf(readFileSync(out, 'utf8'), 'person_id', 'pdi_status');
      expect(written).toEqual(['per_1 | ok', 'per_2 | ok', 'per_3 | skipped', 'per_4 | skipped']);
      expect(service.requests.map(({ path }) => idIn(path))).toEqual(['per_1', 'per_2']);
      const free = ['resolve', '-i', '-', '-o', 'csv', '--column', 'person_id'];
      const slugs = Readable.from([bytes('person_id,n\nslug-1,a\nslug-2,b\nslug-3,\xe9\nslug-4,d\n')]);
      const resolved = await (await sandbox()).pdi(free, { stdin: slugs });
      expect(resolved.code).toBe(2);
      const asked = cellsOf(resolved.stdout, 'person_id', 'pdi_status');
      expect(asked).toEqual(['slug-1 | not_found', 'slug-2 | not_found', 'slug-3 | skipped', 'slug-4 | skipped']);
    },
  );

  itOfPeople.for([
    [['person', 'per_1', '--encoding', 'utf-8'], /--encoding goes with --input$/],
    [['person', 'per_1', '--input-format', 'csv'], /--input-format goes with --input$/],
    [['investors', '--name', 'x', '--encoding', 'utf-8'], /--encoding goes with --input$/],
    [['investors', '--name', 'x', '--column', 'x'], /--column goes with --input$/],
    [[...modify.split(' '), '--add', 'per_1', '--encoding', 'utf-8'], /--encoding goes with --add-from and --delete-from$/],
    [['person', '-i', 'IN', '--encoding', 'klingon'], /--encoding: no encoding is called "klingon"$/],
  ] as const)('%j is a mistake', async ([argv, message], { service, pdi }) => {
    const file = fileOf('in.csv', excel);
    const given = argv.map((word) => (word === 'IN' ? file : word));
    expectMistake(await pdi(given), 2, message);
    expect(service.requests).toEqual([]);
  });
});

describe('rows with fewer cells than the header', () => {
  const table = 'person_id,name,city\nper_1\nper_2,"B\nb"\nper_3,c,d\n';

  it('are joined below the names of the result', async () => {
    const { code, stdout } = await joined(table);
    expect([code, stdout]).toEqual([
      0,
      'person_id,name,city,full_name,pdi_status,pdi_error\nper_1,,,Name of per_1,ok,\nper_2,"B\nb",,Name of per_2,ok,\nper_3,c,d,Name of per_3,ok,\n',
    ]);
    const other = await joined(table, { more: ['--delimiter', ';'] });
    expect(other.stdout).toContain('per_1;;;Name of per_1;ok;\n');
  });

  itOfPeople('are so in a workbook', async ({ pdi }) => {
    const out = newFile('out.xlsx');
    const argv = ['person', '-i', fileOf('in.csv', table), '-o', 'xlsx', '--fields', 'full_name', '--out', out];
    expect((await pdi(argv)).code).toBe(0);
    const sheet = strFromU8(unzipSync(readFileSync(out))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    const cells = sheet
      .split('<row ')
      .map((row) => [...row.matchAll(/<c r="([A-Z]+)\d+"[^>]*><is><t[^>]*>([^<]*)/g)].map(([, column, text]) => `${column} ${text}`));
    expect(cells.slice(2)).toEqual([
      ['A per_1', 'D Name of per_1', 'E ok'],
      ['A per_2', 'B B\nb', 'D Name of per_2', 'E ok'],
      ['A per_3', 'B c', 'C d', 'D Name of per_3', 'E ok'],
    ]);
  });
});

describe('a list is changed by the ids of a file', () => {
  it.each<[what: string, content: string | Buffer, flags: string, body: object]>([
    ['a JSON array', '["per_1",{"person_id":"per_2"}]', '--add-from', { add_ids: ['per_1', 'per_2'] }],
    ['a sheet', crm, '--sheet CRM --delete-from', { delete_ids: ['per_1', 'per_gone'] }],
    ['text in another encoding', excel, '--encoding windows-1252 --delete-from', { delete_ids: ['per_1', 'per_2'] }],
  ])('%s', async (_what, content, flags, body) => {
    const argv = [...modify.split(' '), '--dry-run', ...flags.split(' '), fileOf('in', content)];
    expect(JSON.parse((await (await profiles()).pdi(argv)).stdout)).toMatchObject({ requests: [{ body }] });
  });

  it('of which one that is none is named by its place', async () => {
    const wrong = await (await profiles()).pdi([...modify.split(' '), '--add-from', '-'], { stdin: '["per_1", "x y"]' });
    expectMistake(wrong, 2, /^standard input, line 1, column 11: /);
  });
});

it('a descriptor is read once, as a pipe is, so that its rows are not counted first', needsPosix, async () => {
  const { pdi, service } = await profiles();
  const descriptor = openSync(fileOf('ids.txt', 'per_1\nper_2\n'), 'r');
  onTestFinished(() => closeSync(descriptor));
  const result = await pdi(['person', '-i', `/dev/fd/${descriptor}`, '-o', 'ndjson', '--max-billable', '1', '--concurrency', '1']);
  expect([result.code, service.requests.length]).toEqual([7, 1]);
});

it.each(['person', 'revenue', 'resolve', 'investors'])('a base URL that is missing is told before a pipe ends: %s', async (command) => {
  const result = await pdi([command, '-i', '-'], { stdin: new Readable({ read: () => {} }) });
  expect([result.code, errorOf(result).message]).toEqual([2, 'no base URL is set']);
});
