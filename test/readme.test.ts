/** Every command of the README is run, and prints what the README says. `README_WRITE=1` writes what it prints now. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { devDependencies, optionalDependencies } from '../package.json';
import { topicNames } from '../src/front/help/topic.ts';
import { createProgram } from '../src/front/program.ts';
import { everyCommand } from './commands/every-command.ts';
import { fits, hasElision, readSections } from './support/console.ts';
import { newFolder } from './support/run.ts';
import { Shell, steady } from './support/shell.ts';

const file = new URL('../README.md', import.meta.url);
const readme = readFileSync(file, 'utf8');
const skill = readFileSync(new URL('../skills/pdi/SKILL.md', import.meta.url), 'utf8');
const contributing = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8');
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

  test.each([...readSections(readme), ...readSections(skill)])(
    'shows what commands print: $title',
    async ({ steps }) => {
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
        const wanted = trimmed(expected.map(steady));
        const shown = fits(wanted, lines) ? wanted : lines;
        if (shown !== wanted && process.env.README_WRITE === '1' && !hasElision(expected))
          changes.push({ at, count: expected.length, lines });
        else expect.soft(shown.join('\n'), `$ ${text}`).toBe(wanted.join('\n'));
      }
    },
  );

  test('can be read in a few minutes: 9 kB at most, and the skill for agents in 3', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9_000);
    expect(Buffer.byteLength(skill)).toBeLessThan(3000);
    expect(skill).toMatch(/^---\nname: pdi\ndescription: .{1,1024}\n---\n/);
  });

  test('names every command and every topic', () => {
    const program = createProgram(async () => {});
    const operations = everyCommand.map(({ name }) => `\`pdi ${name}\``);
    const others = program.commands
      .map((command) => command.name())
      .filter((name) => !everyCommand.some(({ argv }) => argv[0] === name));
    expect([operations.length, others.length]).toEqual([15, 12]);
    for (const name of operations) expect(readme).toContain(name);
    for (const name of [...others, ...topicNames])
      expect(readme).toMatch(new RegExp(`\`(?:pdi )?${name}\\b`));
  });

  test('says what each dependency is for, and names no other', () => {
    const table = contributing.slice(
      contributing.indexOf('## Built on'),
      contributing.indexOf('## How it is developed'),
    );
    const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(
      Object.keys({ ...devDependencies, ...optionalDependencies }).sort(),
    );
  });

  test('answers what a newcomer looks for, by its headings', () => {
    const headings = [...readme.replace(/^```.*?^```/gms, '').matchAll(/^##+ (.*)$/gm)].map(
      ([, title = '']) => title,
    );
    expect(new Set(headings).size).toBe(headings.length);
    for (const wanted of [
      /Install/,
      /CSV/,
      /Commands/,
      /Money/,
      /kept/,
      /Exit codes/,
      /CI/,
      /agents/,
    ]) {
      expect(headings.filter((title) => wanted.test(title))).toHaveLength(1);
    }
  });

  test('holds the two lines for a fresh clone', () => {
    expect(readme).toContain('npm ci && npm install --global .\n');
    expect(contributing).toContain('npm ci && npm test\n');
  });
});

test('each test that the security review names is there', () => {
  const review = readFileSync(new URL('../.github/SECURITY.md', import.meta.url), 'utf8');
  const named = new Set(
    Array.from(review.matchAll(/`([\w/-]+\.test\.ts)`/g), ([, name = '']) => name),
  );
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((name) => !existsSync(new URL(name, import.meta.url)))).toEqual([]);
});

/** Blank lines at the end of a block are the writer's. */
const trimmed = (lines: readonly string[]): readonly string[] => {
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return lines.slice(0, end);
};
