/** The options that shape or move the output, the same for every command. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, linkSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it, itWith } from '../support/it.ts';
import { newFolder, type RunOptions } from '../support/run.ts';
import { errorOf, expectMistake, expectRefused, fileOf, linesOf, newFile, origin, pdi as program } from '../support/service.ts';
import { documented, everyCommand } from './every-command.ts';

const itDocumented = itWith(() => origin(documented));

describe('--fields', () => {
  itDocumented('chooses and orders columns in every format', async ({ pdi }) => {
    const ask = async (format: string) =>
      (await pdi(['person', 'per_a1', '--fields', 'full_name, person_id ,full_name', '-o', format])).stdout;
    expect(await ask('ndjson')).toBe('{"full_name":"Ada Sample","person_id":"per_a1"}\n');
    expect(JSON.parse(await ask('json'))).toEqual({ full_name: 'Ada Sample', person_id: 'per_a1' });
    expect(await ask('csv')).toBe('input,full_name,person_id,pdi_status,pdi_error\r\nper_a1,Ada Sample,per_a1,ok,\r\n');
    expect(linesOf(await ask('table')).map((line) => line.split(/ {2,}/)[0])).toEqual(['full_name', 'person_id']);
  });

  itDocumented('takes dotted names; what a record does not have is null', async ({ pdi }) => {
    const argv = ['feed', '--after', '2026-01-01', '--page', '2', '--limit', '50', '-o', 'ndjson'];
    const { stdout } = await pdi([...argv, '--fields', 'company.hq.city,person.full_name,signal_score']);
    expect(stdout).toBe('{"company.hq.city":"Example City","person.full_name":null,"signal_score":7}\n');
  });

  itDocumented('takes an object or list whole: a value in json, its JSON text in csv', async ({ pdi }) => {
    const argv = ['feed', '--after', '2026-01-01', '--page', '2', '--limit', '50'];
    const ask = async (format: string, fields: string) => (await pdi([...argv, '-o', format, '--fields', fields])).stdout;
    const [record] = JSON.parse(await ask('json', 'company,company.hq,person'));
    expect(record).toMatchObject({ company: { hq: { city: 'Example City' } }, 'company.hq': { city: 'Example City' }, person: null });
    const city = JSON.stringify(record['company.hq']);
    expect(linesOf(await ask('csv', 'company.hq,person'))[1]).toBe(`"${city.replaceAll('"', '""')}",\r`);
    expect(await ask('table', 'company.hq')).toContain('Example City');
    const resolved = await pdi(['--sandbox', 'resolve', 'ada-sample-1', '-o', 'ndjson', '--fields', 'query,matches']);
    expect(linesOf(resolved.stdout).map((line) => Object.keys(JSON.parse(line)))).toEqual([['query', 'matches']]);
  });

  it.each(everyCommand)('$name: an unknown name is refused before any request, and the nearest ones listed', ({ argv, columns }) =>
    expectRefused([...argv, '--fields', `${columns[0]},no_such_field,nor_this`], {
      message: expect.stringMatching(/no_such_field.*nor_this/),
      hint: expect.toSatisfy((hint) => columns.filter((column) => String(hint).includes(column)).length >= Math.min(3, columns.length)),
    }),
  );

  itDocumented.for(everyCommand)('$name: every column can be chosen', async ({ argv, columns }, { pdi }) => {
    const { code, stdout } = await pdi([...argv, '-o', 'ndjson', '--fields', columns.join(',')]);
    expect([code, linesOf(stdout).map((line) => Object.keys(JSON.parse(line)))]).toEqual([0, [columns]]);
  });

  it.each(['', ',', ' '])('%j names none: 2', (fields) => expectRefused(['person', 'per_a1', '--fields', fields], '--fields'));
});

describe('--out', () => {
  const text = (file: string) => readFileSync(file, 'utf8');

  itDocumented.for(['json', 'ndjson', 'csv', 'table'])(
    '%s: writes there what stdout would get, and nothing to stdout',
    async (format, { pdi }) => {
      const file = join(newFolder(), 'out');
      const argv = ['network', '--limit', '50', '-o', format];
      const { stdout } = await pdi(argv);
      expect(await pdi([...argv, '--out', file])).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect(text(file)).toBe(stdout);
      expect(readdirSync(join(file, '..'))).toEqual(['out']);
    },
  );

  itDocumented('an existing file is refused before any request; --force replaces it', async ({ service, pdi }) => {
    const file = fileOf('out', 'mine');
    const refused = await pdi(['person', 'per_a1', '--out', file]);
    expect([refused.code, refused.stdout, text(file), service.requests]).toEqual([2, '', 'mine', []]);
    expect(errorOf(refused)).toMatchObject({ item: file, hint: expect.stringContaining('--force') });
    expect((await pdi(['person', 'per_a1', '--out', file, '--force'])).code).toBe(0);
    expect(JSON.parse(text(file))).toMatchObject({ person_id: 'per_a1' });
  });

  it.each([
    ['a page of the feed', 'feed', '[{"signal_id":"b0000000-0000-4000-8000-000000000001"}]'],
    ['one person', 'person per_1', '{"person_id":"per_1"}'],
    ['a list', 'lists companies list', '[]'],
  ])('a file that appears during the run stays, and so does what was bought: %s', async (_what, command, answer) => {
    const folder = newFolder();
    const file = join(folder, 'out.v1.json');
    writeFileSync(join(folder, 'out.v1-2.json'), 'of an earlier day');
    const { pdi } = await origin(() => {
      writeFileSync(file, 'of somebody else');
      return { text: answer };
    });
    const argv = [...command.split(' '), '--out', file];
    const result = await pdi(argv);
    const ours = join(folder, 'out.v1-3.json');
    expect([result.code, text(file), JSON.parse(text(ours))]).toEqual([2, 'of somebody else', JSON.parse(answer)]);
    expect(errorOf(result)).toMatchObject({
      message: `--out ${file}: another program wrote the file during the run`,
      item: file,
      hint: `what this run wrote is in ${ours}`,
    });
    expect(readdirSync(folder).length).toBe(3);
    expect((await pdi([...argv, '--force'])).code).toBe(0);
    expect(JSON.parse(text(file))).toEqual(JSON.parse(answer));
  });

  it('a call that fails leaves no file, and an existing one as it was', async ({ pdi, folder }) => {
    const file = join(folder, 'out');
    expect((await pdi(['person', 'per_nobody', '--out', file])).code).toBe(4);
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(file, 'mine');
    expect((await pdi(['person', 'per_nobody', '--out', file, '--force'])).code).toBe(4);
    expect([text(file), readdirSync(folder)]).toEqual(['mine', ['out']]);
  });

  const notThere = join(newFolder(), 'none', 'x');
  it.each([
    ['person per_sample1', notThere, 'there is no such folder'],
    ['person per_sample1 per_sample2', notThere, 'there is no such folder'],
    ['feed', notThere, 'there is no such folder'],
    // It is there, and nothing can be made in it: a job does not speak of what it keeps beside FILE.
    ...(existsSync('/proc/self') ? [['person per_sample1 per_sample2', '/proc/x', '']] : []),
  ])('a folder is told of in the same words by every command: %s --out %s', (words, file, why) =>
    expectRefused(`${words} --out ${file}`, {
      message: expect.stringContaining(`--out ${file}: ${why}`),
      hint: expect.stringContaining('a folder that exists'),
    }),
  );

  const modify = `lists people modify ${landmarks.lists.people.shared}`;
  const endless = 'pdi: standard output: it is the input file; the input is never overwritten: name another file';

  it.for(['person -i', `${modify} --add-from`, `${modify} --add per_sample2 --delete-from`])(
    'the input file is never overwritten, by whatever name: %s',
    async (words, { service, pdi, folder }) => {
      const input = join(folder, 'ids.txt');
      writeFileSync(input, 'per_sample1\n');
      symlinkSync(input, join(folder, 'soft'));
      linkSync(input, join(folder, 'hard'));
      for (const name of ['ids.txt', 'soft', 'hard', './ids.txt']) {
        const result = await pdi(`${words} ${input} --out ${folder}/${name} --force`);
        expect([result.code, result.stdout, text(input)]).toEqual([2, '', 'per_sample1\n']);
      }
      expect(service.requests()).toEqual({});
    },
  );

  it.each([
    ['read by <', 'person -i - --force --out FILE', 'r', ['FILE', 'pipe', 'pipe'], 'input'],
    ['read by <', `${modify} --add-from - --force --out FILE`, 'r', ['FILE', 'pipe', 'pipe'], 'input'],
    // It would be read without an end.
    ['added to by >>', 'person -i FILE -o csv', 'a', ['ignore', 'FILE', 'pipe'], endless],
  ])('nor one that is %s of a shell: %s', (_how, words, mode, streams, told) => {
    const file = fileOf('ids.txt', 'per_sample1\n');
    const opened = openSync(file, mode);
    const { status, stderr } = spawnSync(process.execPath, ['bin/pdi.js', '--sandbox', ...words.replace('FILE', file).split(' ')], {
      stdio: streams.map((stream) => (stream === 'FILE' ? opened : stream === 'pipe' ? 'pipe' : 'ignore')),
      encoding: 'utf8',
      env: { ...process.env, XDG_STATE_HOME: newFolder(), XDG_CONFIG_HOME: newFolder() },
    });
    closeSync(opened);
    expect([status, text(file)]).toEqual([2, 'per_sample1\n']);
    expect(stderr).toContain(told);
  });

  it("nor what pdi remembers, whatever command writes: a book, a job's journal", async ({ service, pdi, folder }) => {
    const [book, out] = [join(folder, 'pdi.db'), join(folder, 'people.csv')];
    const options = { env: { PDI_BOOK: book, PDI_MAX_AGE: '12h' } };
    await pdi(['person', '-i', fileOf('ids.txt', 'per_sample1\nper_sample2\n'), '--first', '1', '--out', out], options);
    const asked = service.requests();
    for (const file of [book, `${out}.journal`])
      for (const line of ['person per_sample2', 'person per_sample2 per_sample3', 'feed', 'spend']) {
        const result = await pdi(`${line} --out ${file} --force`, options);
        const words = file === book ? 'it is a book of pdi' : 'it is the journal of a job';
        expect([result.code, result.stdout, errorOf(result).message]).toEqual([2, '', expect.stringContaining(words)]);
      }
    expect(service.requests()).toEqual(asked);
    expect((await pdi('person per_sample1 -o csv --fields pdi_source', options)).stdout).toContain('book');
  });

  it.each(['-', '/dev/stdout'])('%s is standard output: a terminal is shown nothing that it obeys, and no workbook', async (out) => {
    const { service, pdi } = await origin(() => ({ json: { person_id: 'per_a1', full_name: 'A\u001b]0;x\u0007 B' } }));
    const argv = ['person', 'per_a1', '--fields', 'full_name', '--out', out];
    expect(await pdi([...argv, '-o', 'csv'], { terminal: true })).toMatchObject({ stdout: expect.stringContaining('\r\nper_a1,A B,') });
    expect((await pdi(argv, { terminal: true, env: { NO_COLOR: '1' } })).stdout).toMatch(/^full_name +A B$/m);
    const sent = service.requests.length;
    const workbook = await pdi([...argv, '-o', 'xlsx'], { terminal: true });
    expect([workbook.code, workbook.stdout, service.requests.length]).toEqual([2, '', sent]);
  });
});

it.each([
  ['--no-formula-guard', 'id,name,company_count\r\nlist-1,=SUM(A1),-3\r\n'],
  ['--no-header', "list-1,'=SUM(A1),-3\r\n"],
  ['--bom', "\ufeffid,name,company_count\r\nlist-1,'=SUM(A1),-3\r\n"],
  ['--delimiter=\\t', "id\tname\tcompany_count\r\nlist-1\t'=SUM(A1)\t-3\r\n"],
])('csv with %s', async (flag, text) => {
  const { pdi } = await origin(() => ({ json: [{ id: 'list-1', name: '=SUM(A1)', company_count: -3 }] }));
  expect((await pdi(`lists companies list -o csv --fields id,name,company_count ${flag}`)).stdout).toBe(text);
});

describe('flags about csv', () => {
  const flags = ['--bom', '--delimiter=;', '--no-header', '--text-ids', '--no-formula-guard'];
  const ask = ['person', 'per_a1'];

  describe.each(flags)('%s', (flag) => {
    itDocumented.for(['--quiet', '-ojson', '-ondjson', '-otable', '--out=x.json', '--dry-run'])(
      'with %s: 2, before any request',
      async (more, { service, pdi }) => {
        const result = await pdi([...ask, flag, more, '--errors', 'json']);
        expectMistake(result, 2, new RegExp(`^${flag.replace('=;', '')} does nothing for (json|ndjson|table)$`));
        expect(errorOf(result).hint).toContain('-o csv');
        expect(service.requests).toEqual([]);
      },
    );

    itDocumented('is taken where the format is csv, whatever says so', async ({ pdi }) => {
      const { home } = await program('config set output csv');
      const runs = [pdi([...ask, flag], { env: { PDI_OUTPUT: 'csv' } }), pdi([...ask, flag], { home })];
      for (const run of [...runs, pdi([...ask, flag, '--out', newFile('out.tsv')])])
        expect(await run).toMatchObject({ code: 0, stderr: '' });
    });
  });

  itDocumented.for([
    ['--no-header', 0, 2],
    ['--text-ids', 0, 2],
    ['--no-formula-guard', 0, 0],
    ['--bom', 2, 2],
    ['--delimiter=;', 2, 2],
  ] as const)('%s with xlsx: %d, with parquet: %d', async ([flag, ...codes], { pdi }) => {
    const withName = async (name: string) => (await pdi([...ask, flag, '--out', join(newFolder(), name)])).code;
    expect([await withName('out.xlsx'), await withName('out.parquet')]).toEqual(codes);
  });
});

itDocumented.for(['json', 'csv'])('colour never touches %s', async (format, { pdi }) => {
  const { stdout } = await pdi(['network', '--limit', '50', '-o', format, '--color'], { terminal: true });
  expect(stdout).not.toContain(String.fromCharCode(27));
});

it('a file gets the table of a pipe, whatever the terminal; colour where it is asked for', async ({ pdi }) => {
  const written = async (line: string, options: RunOptions) => {
    const file = newFile();
    await pdi(`${line} -o table --out ${file}`, options);
    return readFileSync(file, 'utf8');
  };
  for (const line of ['revenue company-1 company-3', 'network --limit 5']) {
    const { stdout } = await pdi(`${line} -o table`);
    for (const columns of [30, 200]) expect(await written(line, { terminal: true, columns })).toBe(stdout);
    const coloured = (await pdi(`${line} -o table --color`)).stdout;
    expect(await written(`${line} --color`, { terminal: true })).toBe(coloured);
    expect(await written(line, { terminal: true, env: { FORCE_COLOR: '1' } })).toBe(coloured);
  }
});

const longest = 32_767;
it.each([
  [longest, ''],
  [longest + 1, 'pdi: 2 cells are cut to the 32767 characters that a spreadsheet takes; json and csv have all of them\n'],
])('a cell of a workbook that is too long: %i characters', async (length, remark) => {
  const text = 'x'.repeat(length);
  const { pdi } = await origin(() => ({ json: { person_id: 'per_a1', full_name: text, about: text } }));
  const argv = ['person', 'per_a1', '-o', 'xlsx', '--out', join(newFolder(), 'book.xlsx')];
  expect(await pdi(argv)).toMatchObject({ code: 0, stderr: remark });
  expect(await pdi([...argv, '--force', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
});

it('on a narrow terminal rows are cards, with whole ids', async ({ pdi }) => {
  const { stdout } = await pdi('lists companies list', { terminal: true, columns: 40, env: { NO_COLOR: '1' } });
  expect(stdout.match(/c0000000-0000-4000-8000-\d{12}/g)).toHaveLength(4);
  expect(Math.max(...linesOf(stdout).map((line) => line.length))).toBeLessThanOrEqual(40);
});

it('a terminal without a size has the usual width', async ({ pdi }) => {
  for (const words of ['lists companies list', 'network --help', 'network --page 1 --help', 'help output']) {
    const { stdout } = await pdi(words, { terminal: true, columns: 0 });
    expect(stdout, words).toBe((await pdi(words, { terminal: true, columns: 80 })).stdout);
    expect(stdout, words).not.toBe((await pdi(words, { terminal: true, columns: 20 })).stdout);
  }
});

it('nothing found is said on a terminal', async () => {
  const { pdi } = await origin(() => ({ json: [] }));
  expect(await pdi('network', { terminal: true })).toMatchObject({ code: 0, stdout: '', stderr: 'pdi: nothing found\n' });
});
