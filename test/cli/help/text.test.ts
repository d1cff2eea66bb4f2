import { describe, expect, it } from 'vitest';
import { helpPages } from '../../../src/cli/help/help-pages.ts';
import { helpText } from '../../../src/cli/help/text.ts';

const paths = Object.keys(helpPages);
const words = (path: string): readonly string[] => path.split(' ').filter((word) => word !== '');

describe('the help made while building', () => {
  it.each(paths)('of `%s` has no "a" where "an" belongs', (path) => {
    expect(JSON.stringify(helpPages[path])).not.toMatch(/\ba [aei]/i);
  });

  it.each([60, 66, 72])('has no line longer than a terminal of %i', async (width) => {
    const lines = ((await helpText(['--help'], width)) ?? '').split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it.each(paths)('%j: asked for in three ways', async (path) => {
    const page = await helpText([...words(path), '--help'], 80);
    expect(page).toMatch(/^Usage: pdi/);
    expect(await helpText([...words(path), '-h'], 80)).toBe(page);
    expect((await helpText(['help', ...words(path)], 80)) === page).toBe(!['sandbox', 'mcp'].includes(path));
  });
});
