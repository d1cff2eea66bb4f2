/** The options that shape or move the output, the same for every command. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it, itWith } from '../support/it.ts';
import { needsLinux } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { errorOf, expectRefused, fileOf, linesOf, origin } from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { documented, everyCommand } from './every-command.ts';

const served = () => origin(documented);
const itDocumented = itWith(served);
const page = '--after 2026-01-01 --page 2 --limit 50';

play(
  'test/commands/output-options.txt',
  { page, escape: String.fromCharCode(27) },
  { documented: served },
);

describe('--fields', () => {
  it.each(everyCommand)(
    '$name: an unknown name is refused before any request, and the nearest ones listed',
    ({ argv, columns }) =>
      expectRefused([...argv, '--fields', `${columns[0]},no_such_field,nor_this`], {
        message: expect.stringMatching(/no_such_field.*nor_this/),
        hint: expect.toSatisfy(
          (hint) =>
            columns.filter((column) => String(hint).includes(column)).length >=
            Math.min(3, columns.length),
        ),
      }),
  );

  itDocumented.for(everyCommand)(
    '$name: every column can be chosen',
    async ({ argv, columns }, { pdi }) => {
      const { code, stdout } = await pdi([...argv, '-o', 'ndjson', '--fields', columns.join(',')]);
      expect([code, linesOf(stdout).map((line) => Object.keys(JSON.parse(line)))]).toEqual([
        0,
        [columns],
      ]);
    },
  );
});

describe('--out', () => {
  const text = (file: string) => readFileSync(file, 'utf8');

  it.each([
    ['a page of the feed', 'feed', '[{"signal_id":"b0000000-0000-4000-8000-000000000001"}]'],
    ['one person', 'person per_1', '{"person_id":"per_1"}'],
    ['a list', 'lists companies list', '[]'],
  ])(
    'a file that appears during the run stays, and so does what was bought: %s',
    async (_what, command, answer) => {
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
      expect([result.code, text(file), JSON.parse(text(ours))]).toEqual([
        2,
        'of somebody else',
        JSON.parse(answer),
      ]);
      expect(errorOf(result)).toMatchObject({
        message: `--out ${file}: another program wrote the file during the run`,
        item: file,
        hint: `what this run wrote is in ${ours}`,
      });
      expect(readdirSync(folder).length).toBe(3);
      expect((await pdi([...argv, '--force'])).code).toBe(0);
      expect(JSON.parse(text(file))).toEqual(JSON.parse(answer));
    },
  );

  // It is there, and nothing can be made in it: a job does not speak of what it keeps beside FILE.
  it('a folder in which nothing can be made is told of in the same words', needsLinux, () =>
    expectRefused('person per_sample1 per_sample2 --out /proc/x', {
      message: expect.stringContaining('--out /proc/x: '),
      hint: expect.stringContaining('a folder that exists'),
    }),
  );

  const modify = `lists people modify ${landmarks.lists.people.shared}`;
  const endless =
    'pdi: standard output: it is the input file; the input is never overwritten: name another file';

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
    [
      'read by <',
      `${modify} --add-from - --force --out FILE`,
      'r',
      ['FILE', 'pipe', 'pipe'],
      'input',
    ],
    // It would be read without an end.
    ['added to by >>', 'person -i FILE -o csv', 'a', ['ignore', 'FILE', 'pipe'], endless],
  ])('nor one that is %s of a shell: %s', (_how, words, mode, streams, told) => {
    const file = fileOf('ids.txt', 'per_sample1\n');
    const opened = openSync(file, mode);
    const { status, stderr } = spawnSync(
      process.execPath,
      ['bin/pdi.js', '--sandbox', ...words.replace('FILE', file).split(' ')],
      {
        stdio: streams.map((stream) =>
          stream === 'FILE' ? opened : stream === 'pipe' ? 'pipe' : 'ignore',
        ),
        encoding: 'utf8',
        env: { ...process.env, XDG_STATE_HOME: newFolder(), XDG_CONFIG_HOME: newFolder() },
      },
    );
    closeSync(opened);
    expect([status, text(file)]).toEqual([2, 'per_sample1\n']);
    expect(stderr).toContain(told);
  });
});

const longest = 32_767;
it.each([
  [longest, ''],
  [
    longest + 1,
    'pdi: 2 cells are cut to the 32767 characters that a spreadsheet takes; json and csv have all of them\n',
  ],
])('a cell of a workbook that is too long: %i characters', async (length, remark) => {
  const text = 'x'.repeat(length);
  const { pdi } = await origin(() => ({
    json: { person_id: 'per_a1', full_name: text, about: text },
  }));
  const argv = ['person', 'per_a1', '-o', 'xlsx', '--out', join(newFolder(), 'book.xlsx')];
  expect(await pdi(argv)).toMatchObject({ code: 0, stderr: remark });
  expect(await pdi([...argv, '--force', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
});

it('a terminal without a size has the usual width', async ({ pdi }) => {
  for (const words of [
    'lists companies list',
    'network --help',
    'network --page 1 --help',
    'help output',
  ]) {
    const { stdout } = await pdi(words, { terminal: true, columns: 0 });
    expect(stdout, words).toBe((await pdi(words, { terminal: true, columns: 80 })).stdout);
    expect(stdout, words).not.toBe((await pdi(words, { terminal: true, columns: 20 })).stdout);
  }
});
