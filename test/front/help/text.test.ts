import { describe, expect, it } from 'vitest';
import { helpPages } from '../../../src/front/help/help-pages.ts';
import { helpText } from '../../../src/front/help/text.ts';

const paths = Object.keys(helpPages);
const words = (path: string): readonly string[] => path.split(' ').filter((word) => word !== '');

describe('the help made while building', () => {
  it.each(paths)('of `%s` has no "a" where "an" belongs', (path) => {
    expect(JSON.stringify(helpPages[path])).not.toMatch(/\ba [aei]/i);
  });

  it.each([60, 66, 72, 80])('has no line longer than a terminal of %i', async (width) => {
    const lines = ((await helpText(['--help'], width)) ?? '').split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    if (width === 80) expect(lines.length).toBeLessThanOrEqual(60);
  });

  it.each(paths)('%j: asked for in three ways', async (path) => {
    const page = await helpText([...words(path), '--help'], 80);
    expect(page).toMatch(/^Usage: pdi/);
    const short = (await helpText([...words(path), '-h'], 80)) ?? '';
    expect(short.split('\n')[0]).toBe(page?.split('\n')[0]);
    expect(short.length).toBeLessThanOrEqual(page?.length ?? 0);
    expect(short.match(/^ {2}# /gm)?.length ?? 2).toBe(2);
    expect((await helpText(['help', ...words(path)], 80)) === page).toBe(
      !['sandbox', 'mcp'].includes(path),
    );
  });
});
