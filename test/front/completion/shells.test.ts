/** Asks the program, and real shells, for their candidates. CI installs all shells. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import type { Shell } from '../../../src/front/completion/scripts.ts';
import { bookOf, row } from '../../input/book.ts';
import { needsProgram } from '../../support/needs.ts';
import { newFolder, run } from '../../support/run.ts';

const completions = fileURLToPath(new URL('../../../completions', import.meta.url));
const program = fileURLToPath(new URL('../../../bin/pdi.js', import.meta.url));
const scripts = fileURLToPath(new URL('scripts/', import.meta.url));

/** A home with profiles and files to complete. */
const home = newFolder();
mkdirSync(join(home, 'config', 'pdi'), { recursive: true });
writeFileSync(join(home, 'people.csv'), '');
writeFileSync(join(home, 'people.txt'), '');
writeFileSync(join(home, 'my leads.csv'), '');

// Names that a shell which ran them would show by a file.
const odd = ['$(touch ran)', '`touch ran`', "it's", 'ran;touch ran'];
writeFileSync(
  join(home, 'crm.csv'),
  `Account;LinkedIn URL;Owner;${odd.map((name) => `"${name}"`).join(';')}\n1;2;3\n`,
);
writeFileSync(join(home, 'my crm.csv'), '\uFEFFNom,Année\n1,2\n');
writeFileSync(join(home, "o'hara.csv"), 'Clan\n1\n');
writeFileSync(join(home, '$(touch ran).csv'), 'Secret\n1\n');
writeFileSync(join(home, 'records.ndjson'), '{"id":1,"company":{"name":"a","tags":[]}}\n');

writeFileSync(
  join(home, 'book.xlsx'),
  bookOf({ sheets: { Notes: row(1, 'Day'), 'My people': row(1, 'Name', 'Key') } }),
);

/** What completes columns calls the program by its name. */
const bin = newFolder();
symlinkSync(program, join(bin, 'pdi'));

const environment = {
  PATH: `${bin}${delimiter}${process.env.PATH}`,
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  TERM: 'dumb',
  LC_ALL: 'C.UTF-8',
};

/** Each asks its shell for the candidates of a line whose last word is being typed. */
const ask = {
  bash: (line: string, old = '') =>
    lines('bash', [
      '--norc',
      join(scripts, 'ask.bash'),
      join(completions, 'pdi.bash'),
      old,
      ...bashWords(line),
    ]),
  fish: (line: string) =>
    lines('fish', [
      '--no-config',
      '-c',
      'source $argv[1]; complete -C $argv[2]',
      join(completions, 'pdi.fish'),
      line,
    ]).map((found) => found.split('\t')[0] ?? ''),
  zsh: (line: string) => lines('zsh', ['-f', join(scripts, 'ask.zsh'), completions, home, line]),
} as const;

/** As bash gives them to a completion: an equals sign is a word of its own, and quotes stay. */
const bashWords = (line: string): readonly string[] => [
  ...(line.match(/=|(?:\\.|"[^"]*"|\$\([^)]*\)|[^\s=])+/g) ?? []),
  ...(line.endsWith(' ') ? [''] : []),
];

function lines(command: string, words: readonly string[]): readonly string[] {
  const output = execFileSync(command, words, {
    cwd: home,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  });
  return output.split('\n').filter((line) => line !== '');
}

interface Case {
  readonly line: string;
  readonly offers: readonly string[];
  readonly not?: readonly string[];
}

/** What the program answers by itself; the shells have in common how they ask it. */
const ofProgram: readonly Case[] = [
  { line: 'pdi searches ', offers: ['funding-rounds', 'talent'], not: ['resolve'] },
  { line: 'pdi lists companies ', offers: ['list', 'delete'], not: ['modify'] },
  { line: 'pdi -o json lists people ', offers: ['modify', 'delete'] },
  { line: 'pdi --sandbox ne', offers: ['network'] },
  { line: 'pdi person --col', offers: ['--color', '--column'] },
  { line: 'pdi feed --since-last --ex', offers: ['--explode'] },
  { line: 'pdi feed --since-last --fields si', offers: ['signal_date'] },
  { line: 'pdi feed --since-last daily --ex', offers: ['--explode'] },
  { line: 'pdi feed -o ', offers: ['table', 'json', 'ndjson', 'csv'] },
  { line: 'pdi feed --fields si', offers: ['signal_date', 'signal_id'], not: ['company.name'] },
  {
    line: 'pdi lists investors get --fields list',
    offers: ['list_id', 'list_name'],
    not: ['name'],
  },
  { line: 'pdi person --fields signal', offers: [], not: ['signal_date'] },
  { line: 'pdi resolve --as ', offers: ['url', 'id', 'num-id', 'urn'] },
  { line: 'pdi completion f', offers: ['fish'] },
  { line: 'pdi --profile ', offers: ['default', 'work'] },
  { line: 'pdi resolve --column Li', offers: [], not: ['LinkedIn URL'] },
  { line: 'pdi resolve --input-format ', offers: ['lines', 'xlsx'] },
  { line: 'pdi convert --input-format ', offers: ['ndjson', 'xlsx'], not: ['lines'] },
  { line: 'pdi help ', offers: ['exit-codes', 'sandbox', 'resolve', 'lists'], not: ['companies'] },
  { line: 'pdi help lists ', offers: ['companies', 'people', 'investors'], not: ['exit-codes'] },
  { line: 'pdi help lists people ', offers: ['modify', 'delete'], not: ['companies'] },
  {
    line: 'pdi config set ',
    offers: ['base-url', 'api-key', 'output', 'timeout'],
    not: ['profiles'],
  },
  { line: 'pdi config get o', offers: ['output'], not: ['timeout'] },
  { line: 'pdi config unset time', offers: ['timeout'], not: ['output'] },
  {
    line: 'pdi config set output ',
    offers: ['table', 'json', 'ndjson', 'csv', 'xlsx'],
    not: ['timeout'],
  },
  { line: 'pdi config set timeout ', offers: [], not: ['timeout', 'output', 'json'] },
  { line: `pdi resolve -i ${home}/none.csv --column `, offers: [], not: ['Nom'] },
  { line: `pdi resolve -i ${home}/book.xlsx --column `, offers: ['Day'], not: ['Name'] },
  {
    line: `pdi resolve -i ${home}/records.ndjson --column `,
    offers: ['id', 'company.name'],
    not: ['company', 'company.tags'],
  },
  {
    line: `pdi lists people modify 1 --add-from ${home}/crm.csv --column `,
    offers: ['Account', 'Owner'],
  },
];

/** What depends on the shell: files, quotes and blanks, equals signs, and each way to show candidates. */
const ofShells: readonly Case[] = [
  { line: 'pdi se', offers: ['searches'], not: ['resolve'] },
  { line: 'pdi feed --li', offers: ['--limit', '--list'], not: ['--column'] },
  { line: 'pdi feed --fields signal_id,company.h', offers: ['company.hq.city'] },
  { line: 'pdi person -i peo', offers: ['people.csv', 'people.txt'] },
  { line: 'pdi feed --out people.c', offers: ['people.csv'] },
  { line: 'pdi person -i my', offers: ['my leads.csv'], not: ['my', 'leads.csv'] },
  { line: 'pdi convert peo', offers: ['people.csv', 'people.txt'] },
  { line: 'pdi diff people.csv peo', offers: ['people.csv', 'people.txt'] },
  { line: 'pdi person peo', offers: [], not: ['people.csv'] },
  {
    line: 'pdi resolve -i crm.csv --column ',
    offers: ['Account', 'LinkedIn URL', 'Owner', ...odd],
    not: ['LinkedIn'],
  },
  { line: 'pdi resolve --input=crm.csv --column Li', offers: ['LinkedIn URL'], not: ['Account'] },
  { line: 'pdi resolve -i ~/crm.csv --column Account,Ow', offers: ['Owner'], not: ['Account'] },
  { line: 'pdi resolve -i my\\ crm.csv --column N', offers: ['Nom'] },
  { line: 'pdi resolve -i "my crm.csv" --column A', offers: ['Année'] },
  { line: 'pdi resolve -i $(touch ran).csv --column ', offers: [], not: ['id'] },
  {
    line: 'pdi resolve --sheet "My people" -i book.xlsx --column ',
    offers: ['Name', 'Key'],
    not: ['Day'],
  },
  {
    line: 'pdi resolve -i book.xlsx --sheet=My\\ people --column K',
    offers: ['Key'],
    not: ['Day'],
  },
];

/** What a candidate adds to the words before its last comma, its blanks as they are. */
const plain = (candidate: string): string =>
  candidate.replace(/^.*,/, '').replace(/\\(.)/g, '$1').trim();

function check(candidates: readonly string[], { line, offers, not = [] }: Case): void {
  const found = candidates.map(plain);
  expect(found, line).toEqual(expect.arrayContaining([...offers]));
  for (const name of not) expect(found, line).not.toContain(name);
}

beforeAll(async () => {
  for (const profile of ['default', 'work'])
    await run(['--profile', profile, 'config', 'set', 'timeout', '5'], { home });
});

it.each(ofProgram)('the program offers at "$line" what fits', async (asked) => {
  const words = asked.line.split(' ').slice(1);
  const { stdout } = await run(['completion', 'words', ...words.map((word) => `.${word}`)], {
    home,
  });
  const [kind, ...candidates] = stdout.trim().split('\n');
  expect(['words', 'names', 'open']).toContain(kind);
  check(
    candidates.map((candidate) => candidate.split('\t')[0] ?? ''),
    asked,
  );
});

it(
  'the bash of macOS, which has neither mapfile nor compopt, offers what is no file',
  needsProgram('bash'),
  () => {
    const isFile = ({ offers }: Case) => /^(?:people|my leads)/.test(offers[0] ?? '');
    for (const asked of ofShells.filter((one) => !isFile(one))) {
      const offered = ask.bash(asked.line, 'old');
      check(offered, asked);
      expect(offered.join('\n')).not.toContain('not found');
    }
    expect(ask.bash('pdi person -i peo', 'old')).toEqual([]);
  },
);

for (const [shell, candidates] of Object.entries(ask)) {
  it(`${shell} offers what fits`, { timeout: 300_000, ...needsProgram(shell) }, () => {
    for (const asked of ofShells) check(candidates(asked.line), asked);
    expect(readdirSync(home)).not.toContain('ran');
  });
}

it('bash offers names of columns so that nothing in them is run', needsProgram('bash'), () => {
  const offered = ask.bash('pdi resolve -i crm.csv --column ');
  expect(offered).toEqual(
    expect.arrayContaining([
      '\\$\\(touch\\ ran\\)',
      '\\`touch\\ ran\\`',
      "it\\'s",
      'ran\\;touch\\ ran',
      'Owner',
    ]),
  );
});

/** bash and zsh look for files themselves, whatever stands around the word. */
const ofFish: readonly Case[] = [
  { line: 'pdi person -i my\\ l', offers: ['my leads.csv'] },
  { line: 'pdi person -i "my l', offers: ['my leads.csv'] },
  { line: 'pdi person --input=my\\ l', offers: ['--input=my leads.csv'] },
  { line: 'pdi person -i ~/peo', offers: ['~/people.csv'] },
  { line: 'pdi person -i (touch ran)peo', offers: [] },
  { line: "pdi person -i o\\'hara.csv --column ", offers: ['Clan'] },
];

it(
  'fish offers files and columns behind quotes, blanks, apostrophes and a tilde',
  needsProgram('fish'),
  () => {
    for (const asked of ofFish) check(ask.fish(asked.line), asked);
    expect(readdirSync(home)).not.toContain('ran');
  },
);

it(
  'shellcheck has nothing to say against the script of bash',
  needsProgram('shellcheck'),
  async () => {
    const file = join(home, 'pdi.bash');
    writeFileSync(file, (await run(['completion', 'bash'])).stdout);
    expect(spawnSync('shellcheck', [file], { encoding: 'utf8' }).stdout).toBe('');
  },
);

const files: Readonly<Record<Shell, string>> = {
  bash: 'pdi.bash',
  zsh: '_pdi',
  fish: 'pdi.fish',
  powershell: 'pdi.ps1',
};
it.each(Object.entries(files))(
  'the committed script of %s is that which npm run completions writes',
  async (shell, file) => {
    const { stdout, stderr, code } = await run(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(join(completions, file), 'utf8'));
    // PowerShell takes the first for itself where it starts npm's script.
    expect(stdout).not.toMatch(/completion words -- /);
  },
);
