/** A command line registers only the command that it begins with: nobody may notice. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';
import { run } from '../support/run.ts';

const output = { writeOut: () => {}, width: 80 };
const treeFor = (first: string) => createProgram(async () => {}, output, { version: '1.0.0', first }).commands;
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

it.each([
  [['--help'], 'searches'],
  [['--help', 'person'], 'searches'],
  [['help'], 'searches'],
  [['help', 'feed'], '--since-last'],
  [['feed', '--help'], '--since-last'],
  [['--quiet', 'feed', '--help'], '--since-last'],
])('%j says %s', async (argv, expected) => {
  const { code, stdout } = await run(argv);
  expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
});

it('a misspelt command is told its neighbour', async () => {
  const { code, stderr } = await run(['persn', 'per_1']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('person')]);
});

/** One character beyond ASCII makes the engine read its whole file half as fast. */
it('the bundle is ASCII', () => {
  const dist = new URL('../../dist/', import.meta.url);
  const files = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  expect(files.length).toBeGreaterThan(20);
  for (const name of files) expect([name, readFileSync(new URL(name, dist)).every((byte) => byte < 0x80)]).toEqual([name, true]);
});
