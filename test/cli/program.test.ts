/** A command line registers only the command that it begins with: nobody may notice. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { commandMeantBy } from '../../src/session/parser-failure.ts';
import { run } from '../support/run.ts';
import { errorOf, sandbox } from '../support/service.ts';

const treeFor = (first: string) => createProgram(async () => {}, { version: '1.0.0', first }).program.commands;
const whole = treeFor('');
const words = whole.map((command) => command.name());

describe('the tree', () => {
  it.each(words.filter((word) => word !== 'help' && word !== 'completion'))('for %s is that command, as it stands in the whole', (word) => {
    const [only, ...others] = treeFor(word);
    expect(others).toEqual([]);
    expect(only?.helpInformation()).toBe(whole.find((command) => command.name() === word)?.helpInformation());
  });

  it.each(['help', 'completion', 'persn', '--help', '-o', 'toString'])('is whole where a command line begins with %s', (first) => {
    expect(treeFor(first).map((command) => command.name())).toEqual(words);
  });
});

describe('what `pdi` alone says', () => {
  it('fits a terminal of 60 columns and names every command', async () => {
    const { code, stdout } = await run([]);
    expect([code, stdout.split('\n').filter((line) => line.length > 60)]).toEqual([0, []]);
    for (const word of words.filter((word) => word !== 'help' && word !== 'completion'))
      expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'));
  });

  it('has an example that works', async () => {
    const example = /pdi (--sandbox .*)/.exec((await run([])).stdout)?.[1] ?? '';
    const { code, stdout } = await run([...example.split(' '), '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { matches: [{ person_id: 'per_sample1' }] }]);
  });
});

describe('a word of another tool', () => {
  it.each([
    ['version', '`pdi --version`'],
    ['auth', '`pdi config init`'],
    ['login', '`pdi config init`'],
    ['setup', '`pdi config init`'],
    ['key', '`pdi config set api-key`'],
    ['whoami', '`pdi config check`'],
    ['people', '`pdi person ID`'],
    ['get per_1', '`pdi person ID`'],
    ['search Ada', '`pdi investors --name NAME`'],
    ['Company co_1', '`pdi revenue COMPANY_ID`'],
    ['usage', '`pdi spend`'],
    ['--sandbox billing --by month', '`pdi spend`'],
    ['update', '`pdi --version`'],
    ['investors Granite', '`pdi investors --name Granite`'],
    ['investors Granite Harbor', "`pdi investors --name 'Granite Harbor'`"],
    ['investors granite.example', '`pdi investors --website granite.example`'],
    ['investors firms.csv', '`pdi investors -i firms.csv`'],
    ['--sandbox investors Granite', '`pdi investors --name Granite`'],
  ])('%s is led to %s', async (words, led) => {
    const { code, stdout, stderr } = await run([...words.split(' '), '--errors', 'text']);
    expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toContain(led);
  });

  it('is led to commands that there are', async () => {
    const names = readFileSync(new URL('../../src/session/parser-failure.ts', import.meta.url), 'utf8');
    const led = [...names.matchAll(/`pdi ([a-z]+(?: [a-z]+)*)/g)].flatMap(([, command]) => command ?? []);
    expect(led.length).toBeGreaterThan(10);
    for (const command of led) expect([command, (await run([...command.split(' '), '--help'])).code]).toEqual([command, 0]);
  });

  it('no command of pdi is among them', () => {
    expect(words.filter((word) => commandMeantBy(word) !== undefined)).toEqual([]);
    expect(commandMeantBy('constructor')).toBeUndefined();
  });
});

describe('a flag without a value', () => {
  const list = 'b0000000-0000-4000-8000-000000000002';
  it.each([
    ['--search', ['feed']],
    ['--list', ['feed']],
    ['--sort', ['feed']],
    ['--after', ['feed']],
    ['--since-last', ['feed', '--all']],
    ['--name', ['investors']],
    ['--website', ['investors']],
    ['--input', ['resolve']],
    ['--column', ['resolve', '-i', '-']],
    ['--as', ['resolve', 'x']],
    ['--add', ['lists', 'people', 'modify', list]],
    ['--add-from', ['lists', 'people', 'modify', list]],
    ['--out', ['feed']],
    ['--query', ['feed']],
    ['--profile', ['feed']],
    ['--max-billable', ['feed']],
  ])('%s is a usage error that names it, and nothing is sent', async (flag, argv) => {
    const { service, pdi } = await sandbox();
    for (const value of ['', ' ']) {
      const result = await pdi([...argv, flag, value], { stdin: 'x\n1\n' });
      expect([result.code, result.stdout]).toEqual([2, '']);
      expect(errorOf(result)).toMatchObject({ code: 'usage', message: expect.stringContaining(flag), billed: 'no' });
    }
    expect(service.requests()).toEqual({});
  });

  it('a blank is a delimiter', async () => {
    const { pdi } = await sandbox();
    expect((await pdi(['health', '-o', 'csv', '--delimiter', ' '])).stdout).toMatch(/^status relational_store /);
  });
});
