/** Rows in and rows out through the command line: the join of CSV in and CSV out, and what an input file can do wrong. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bookOf, row, value } from './input/book.ts';
import { itWith } from './support/it.ts';
import { needsPosix } from './support/needs.ts';
import { idIn, profile } from './support/records.ts';
import { cellsOf, errorOf, fileOf, newFile, origin, pdi, sandbox } from './support/service.ts';
import { play } from './support/transcript.ts';

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

/** Far more rows than are under way at once, and the bad one last. */
const late = bytes(`${Array.from({ length: 3000 }, (_, index) => `per_${index}\n`).join('')}per_\xe9\n`);

play(
  'test/bulk-input.txt',
  {
    join: 'person -i ./in.csv -o csv --fields full_name',
    ...{ modify, book: fileOf('crm.xlsx', crm), excel: fileOf('in.csv', excel), late: fileOf('ids.txt', late) },
    manyLines: '\\n'.repeat(70_000),
  },
  { people: profiles },
);

describe('a workbook', () => {
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
});

describe('text that is not UTF-8', () => {
  itOfPeople('in a pipe is decoded as in a file', async ({ pdi }) => {
    const argv = ['person', '-i', '-', '-o', 'csv', '--fields', 'full_name', '--encoding', 'Latin1'];
    expect((await pdi(argv, { stdin: Readable.from([excel]) })).stdout).toContain('per_1;Renée, 3 €;Name of per_1;ok;\r\nper_2;“Zoë”;');
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
});

describe('rows with fewer cells than the header', () => {
  const table = 'person_id,name,city\nper_1\nper_2,"B\nb"\nper_3,c,d\n';

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
