import { describe, expect, it } from 'vitest';
import { NoQuestion, questionOf } from '../../src/road/ask.ts';

const ask = (key: string) => ({ key });

describe('what a row asks', () => {
  it.each(['#N/A', '#n/a', '#NV', '#N/D', '#REF!', '#BEZUG!', '#DIV/0!', '#NAME?', '#GETTING_DATA', 'Err:502'])(
    'is nothing where a formula has no result: %s',
    (text) => {
      expect(questionOf({ line: 1, text }, ask)).toEqual(new NoQuestion('invalid', 'an error of a spreadsheet formula, not an identifier'));
    },
  );

  it.each(['#1', '#ada', 'N/A', '#N/AB', 'ada#N/A', 'Err:5020'])('is asked where it only looks a little like that: %s', (text) => {
    expect(questionOf({ line: 1, text }, ask)).toEqual({ key: text });
  });
});
