import { describe, expect, it } from 'vitest';
import { helpPages, pagesOfWidth } from '../../../src/cli/help/help-pages.ts';
import { helpText } from '../../../src/cli/help/text.ts';

/** What Commander itself says in a terminal of that width. */
const pages = new Map<number, Readonly<Record<string, string>>>();
function commanderHelp(path: string, width: number): string | undefined {
  const known = pages.get(width) ?? pagesOfWidth(width);
  pages.set(width, known);
  return known[path];
}

const paths = Object.keys(helpPages);
const maxLineLength = (page: string): number => Math.max(...page.split('\n').map((line) => line.length));
const words = (path: string): readonly string[] => path.split(' ').filter((word) => word !== '');

describe('the help made while building', () => {
  it('has a page for every command', () => {
    expect(paths).toContain('');
    expect(paths).toContain('lists people modify');
    expect(paths.length).toBeGreaterThan(30);
  });

  it.each(paths)('of `%s` has no "a" where "an" belongs', (path) => {
    expect(helpPages[path]).not.toMatch(/\ba [aei]/i);
  });

  it.each([60, 66, 72])('has no line longer than a terminal of %i', (width) => {
    const lines = (helpText(['--help'], width) ?? '').split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it.each(paths)('of `%s` is what Commander says, at any width', (path) => {
    for (let width = 1; width <= maxLineLength(helpPages[path] ?? '') + 1; width += 1) {
      expect(helpText([...words(path), '--help'], width), `${width} cells`).toBe(commanderHelp(path, width));
    }
  });

  it.each(paths)('%j: asked for in three ways', (path) => {
    const page = helpText([...words(path), '--help'], 80);
    expect(page).toMatch(/^Usage: pdi/);
    expect(helpText([...words(path), '-h'], 80)).toBe(page);
    expect(helpText(['help', ...words(path)], 80)).toBe(['sandbox', 'mcp'].includes(path) ? undefined : page);
  });

  it.each([
    [['feed', '--limit', '3', '--help']],
    [['--output', 'json', '--help']],
    [['help', 'exit-codes']],
    [['help', 'sandbox']],
    [['help', 'weather']],
    [['feed', '--help', '--all']],
    [['feed']],
    [['person', 'constructor', '--help']],
    [['constructor', '--help']],
    [[]],
  ])('leaves %j to the argument parser', (argv) => {
    expect(helpText(argv, 80)).toBeUndefined();
  });
});
