import { expect, it } from 'vitest';
import { plainCell } from '../../src/input/table-rows.ts';

it.each([
  ['="700000001"', '700000001'],
  ["'@ada-sample-1", '@ada-sample-1'],
  ["'=x", '=x'],
  ["'+x", '+x'],
  ["'-x", '-x'],
  ["'\tx", 'x'],
  ["'\rx", 'x'],
  [`'="700000001"`, '700000001'],
  ['="per_1"', '="per_1"'],
  ['=700000001', '=700000001'],
  ["'ada", "'ada"],
  ["o'neill", "o'neill"],
  ["''@x", "''@x"],
  ['', ''],
])('%j stands for %j', (cell, identifier) => {
  expect(plainCell(cell)).toBe(identifier);
});
