/** Rows in and rows out through the command line: the join of CSV in and CSV out, and what an input file can do wrong. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { expect, it, onTestFinished } from 'vitest';
import { bookOf, row, value } from './input/book.ts';
import { itWith } from './support/it.ts';
import { needsPosix } from './support/needs.ts';
import { idIn, profile } from './support/records.ts';
import { cellsOf, errorOf, fileOf, newFile, origin, pdi, sandbox } from './support/service.ts';
import { play } from './support/transcript.ts';

const profiles = () =>
  origin(({ path }) => (idIn(path) === 'per_gone' ? { status: 404 } : profile(path)));
const itOfPeople = itWith(profiles);

const crm = bookOf({
  sheets: {
    Notes: row(1, 'nothing here'),
    CRM:
      row(2, 'Name', 'person_id', 'Since', 'Deal', 'Won', 'Phone') +
      row(
        3,
        'Ada, "A"',
        'per_1',
        value('45351', 1),
        value('1.1000000000000001'),
        ['t="b"', '<v>1</v>'],
        '+49 30 1',
      ) +
      row(5, '=1+1', 'per_gone', '', value('700000001'), ['t="e"', '<v>#N/A</v>']),
  },
  formats: ['dd/mm/yyyy'],
});

const bytes = (text: string) => Buffer.from(text, 'latin1');
const excel = bytes('person_id;name\r\nper_1;Ren\xe9e, 3 \x80\r\nper_2;\x93Zo\xeb\x94\r\n');

/** Far more rows than are under way at once, and the bad one last. */
const exported = bytes(
  "City,it's $(x)\r\nper_1 \xe9,https://www.profnet.example/in/a\r\nper_1,https://www.profnet.example/in/b\r\nper_2,\r\n",
);
const late = bytes(
  `${Array.from({ length: 3000 }, (_, index) => `per_${index}\n`).join('')}per_\xe9\n`,
);
const short = 'person_id,name,city\nper_1\nper_2,"B\nb"\nper_3,c,d\n';

play(
  'test/bulk-input.txt',
  {
    join: '-o csv --fields full_name',
    modify: 'lists people modify b0000000-0000-4000-8000-000000000002',
    nothing: '',
    blankLines: fileOf('blank', '\n'.repeat(70_000)),
    crm: fileOf('crm.xlsx', crm),
    crmWithoutName: fileOf('crm', crm),
    crmHeader: 'Name,person_id,Since,Deal,Won,Phone,full_name,pdi_status,pdi_error\\r',
    excel: fileOf('in.csv', excel),
    export: fileOf('crm.csv', exported),
    few: 'a b\\n'.repeat(20),
    ten: 'per_1,Ada A,https://www.profnet.example/in/a\\n'.repeat(10),
    links: fileOf(
      'links.csv',
      `link,a\n${'https://www.profnet.example/in/a,\n'.repeat(1000)}per_1,\n`,
    ),
    late: fileOf('ids.txt', late),
    short: short.replaceAll('\n', '\\n'),
  },
  { people: profiles },
);

it.each([
  ['a workbook', crm, ['--sheet', 'CRM']],
  ['other bytes', excel, ['--encoding', 'Latin1']],
])('a pipe may hold %s as a file does', async (_what, input, more) => {
  const { pdi } = await profiles();
  const ask = (path: string) =>
    pdi(['person', '-i', path, '-o', 'csv', '--fields', 'full_name', ...more], {
      stdin: Readable.from([input]),
    });
  const { code, stdout } = await ask(fileOf('in', input));
  expect(stdout).toContain('Name of per_1');
  expect(await ask('-')).toMatchObject({ code, stdout });
});

itOfPeople(
  'a pipe stops at the line: what was bought is written, and so are the rows of a resolve; the rest is skipped',
  async ({ service, pdi }) => {
    const out = newFile();
    const stdin = () =>
      Readable.from([bytes('person_id,n\nper_1,a\nper_2,b\nper_3,\xe9\nper_4,d\n')]);
    const bought = await pdi(`person -i - -o csv --out ${out}`, { stdin: stdin() });
    expect([bought.code, bought.stderr]).toEqual([
      2,
      expect.stringContaining('standard input, line 4: not valid UTF-8'),
    ]);
    const written = cellsOf(readFileSync(out, 'utf8'), 'person_id', 'pdi_status');
    expect(written).toEqual(['per_1 | ok', 'per_2 | ok', 'per_3 | skipped', 'per_4 | skipped']);
    expect(service.requests.map(({ path }) => idIn(path))).toEqual(['per_1', 'per_2']);
    const noColumn = Readable.from([
      bytes('Name,Profil_\xe9,Ort\nAda,https://www.profnet.example/in/a,Bonn\n'),
    ]);
    expect(errorOf(await pdi('person -i -', { stdin: noColumn }))).toMatchObject({
      message:
        'standard input is windows-1252 (line 1 is not UTF-8), and no column has a name that pdi knows',
      hint: expect.stringMatching(
        /; Profil_é holds profiles, .*`pdi resolve -i - --encoding windows-1252 --column "Profil_é" --out ids.csv`$/,
      ),
    });
    const free = 'resolve -i - -o csv --column person_id';
    const slugs = Readable.from([
      bytes('person_id,n\nslug-1,a\nslug-2,b\nslug-3,\xe9\nslug-4,d\n'),
    ]);
    const resolved = await (await sandbox()).pdi(free, { stdin: slugs });
    expect(resolved.code).toBe(2);
    const asked = cellsOf(resolved.stdout, 'person_id', 'pdi_status');
    expect(asked).toEqual([
      'slug-1 | not_found',
      'slug-2 | not_found',
      'slug-3 | skipped',
      'slug-4 | skipped',
    ]);
  },
);

itOfPeople('rows with fewer cells than the header are joined so in a workbook', async ({ pdi }) => {
  const out = newFile('out.xlsx');
  const argv = [
    'person',
    '-i',
    fileOf('in.csv', short),
    '-o',
    'xlsx',
    '--fields',
    'full_name',
    '--out',
    out,
  ];
  expect((await pdi(argv)).code).toBe(0);
  const sheet = strFromU8(
    unzipSync(readFileSync(out))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
  );
  const cells = sheet
    .split('<row ')
    .map((row) =>
      [...row.matchAll(/<c r="([A-Z]+)\d+"[^>]*><is><t[^>]*>([^<]*)/g)].map(
        ([, column, text]) => `${column} ${text}`,
      ),
    );
  expect(cells.slice(2)).toEqual([
    ['A per_1', 'D Name of per_1', 'E ok'],
    ['A per_2', 'B B\nb', 'D Name of per_2', 'E ok'],
    ['A per_3', 'B c', 'C d', 'D Name of per_3', 'E ok'],
  ]);
});

it(
  'a descriptor is read once, as a pipe is, so that its rows are not counted first',
  needsPosix,
  async () => {
    const { pdi, service } = await profiles();
    const descriptor = openSync(fileOf('ids.txt', 'per_1\nper_2\n'), 'r');
    onTestFinished(() => closeSync(descriptor));
    const result = await pdi(
      `person -i /dev/fd/${descriptor} -o ndjson --max-billable 1 --concurrency 1`,
    );
    expect([result.code, service.requests.length]).toEqual([7, 1]);
  },
);

it.each(['person', 'revenue', 'resolve', 'investors'])(
  'a base URL that is missing is told before a pipe ends: %s',
  async (command) => {
    const result = await pdi([command, '-i', '-'], { stdin: new Readable({ read: () => {} }) });
    expect([result.code, errorOf(result).message]).toEqual([2, 'no base URL is set']);
  },
);
