/** Every command of the README is run, and prints what the README says. `README_WRITE=1` writes what it prints now. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { devDependencies } from '../package.json';
import { createProgram } from '../src/cli/program.ts';
import { fits, hasElision, readSections } from './support/console.ts';
import { newFolder } from './support/run.ts';
import { Shell, steady } from './support/shell.ts';

const file = new URL('../README.md', import.meta.url);
const readme = readFileSync(file, 'utf8');
const rewritten = readme.split('\n');
/** Replacements of lines, kept to be made from the end on. */
const changes: { at: number; count: number; lines: readonly string[] }[] = [];

describe('the README', () => {
  const started = process.cwd();
  beforeEach(() => process.chdir(newFolder()));
  afterEach(() => process.chdir(started));
  afterAll(() => {
    for (const { at, count, lines } of changes.reverse()) rewritten.splice(at, count, ...lines);
    if (changes.length > 0) writeFileSync(file, rewritten.join('\n'));
  });

  test.each(readSections(readme))('shows what commands print: $title', async ({ steps }) => {
    const shell = new Shell();
    for (const step of steps) {
      if (step.kind === 'file') {
        writeFileSync(step.name, step.content);
        continue;
      }
      const { text, expected, at } = step;
      const actual = steady(await shell.execute(text))
        .trimEnd()
        .split('\n');
      const lines = actual.length === 1 && actual[0] === '' ? [] : actual;
      const wanted = expected.map(steady);
      if (fits(trimmed(wanted), lines)) continue;
      if (process.env.README_WRITE === '1' && !hasElision(expected)) changes.push({ at, count: expected.length, lines });
      else expect.soft(lines.join('\n'), `$ ${text}`).toBe(trimmed(wanted).join('\n'));
    }
  });

  test('shows every command', () => {
    const { program } = createProgram(async () => {}, { writeOut: () => {}, width: 80 });
    const leaves = leavesOf(program.commands, '').filter((name) => name !== 'help');
    expect(leaves.length).toBeGreaterThan(15);
    for (const name of leaves) expect(readme).toContain(`pdi ${name}`);
  });

  test('says what each dependency is for, and names no other', () => {
    const table = readme.slice(readme.indexOf('## Built on'), readme.indexOf('## How it is developed'));
    const named = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(devDependencies).sort());
  });

  test('says where to look, and has what it points to', () => {
    const headings = [...readme.replace(/^```.*?^```/gms, '').matchAll(/^##+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
    const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
    const table = readme.slice(readme.indexOf('## Where to look'), readme.indexOf('## Commands'));
    for (const [want, anchor] of wanted) expect(table).toMatch(new RegExp(`^\\| [^|]*${want}[^|]*\\|.*\\(#${anchor}\\)`, 'm'));
  });

  test.each(['config init', 'config check', 'completion fish', 'man pdi', '-o xlsx', '--query', '--text-ids', '--bom', '--quiet'])(
    'tells of %s',
    (word) => expect(readme).toContain(word),
  );

  test('holds the two lines for a fresh clone', () => {
    expect(readme).toContain('npm ci && npx pdi --sandbox resolve https://www.profnet.example/in/ada-sample-1 -o json\n');
    expect(readme).toContain('npm ci && npm test\n');
  });
});

/** Blank lines at the end of a block are the writer's. */
const trimmed = (lines: readonly string[]): readonly string[] => {
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return lines.slice(0, end);
};

/** What newcomers look for, and where the README has it. */
const wanted = [
  ['enrich a CSV', 'bulk-jobs'],
  ['what it will cost', 'money'],
  ['where a job stopped', 'stopped-halfway-run-it-again'],
  ['exit code', 'exit-codes'],
  ['where the key is kept', 'where-the-key-is-kept'],
] as const;

/** A heading's anchor, as it is made where READMEs are shown. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

interface Named {
  name(): string;
  readonly commands: readonly Named[];
}

function leavesOf(commands: readonly Named[], path: string): readonly string[] {
  return commands.flatMap((command) => {
    const name = path === '' ? command.name() : `${path} ${command.name()}`;
    return command.commands.length === 0 ? [name] : leavesOf(command.commands, name);
  });
}
