import { describe, expect, it } from 'vitest';
import { NoQuestion, questionOf } from '../../src/road/ask.ts';
import type { InputRow } from '../../src/rows/row.ts';

const ask = (text: string, { line }: InputRow) => (text.startsWith('bad') ? { invalid: 'it is bad' } : { key: `${text} of ${line}` });

describe('what a row asks', () => {
  it('is for the command to say, which sees the whole row', () => {
    expect(questionOf({ line: 3, text: 'a' }, ask)).toEqual({ key: 'a of 3' });
  });

  it.each<[string, InputRow, NoQuestion]>([
    ['malformed', { line: 1, text: 'bad one' }, new NoQuestion('invalid', 'it is bad')],
    ['empty', { line: 1, text: undefined }, new NoQuestion('invalid', 'the row has no identifier')],
    ['broken, whatever its text', { line: 1, text: 'a', invalid: 'not valid UTF-8' }, new NoQuestion('invalid', 'not valid UTF-8')],
    [
      'without a record of an earlier command',
      { line: 1, text: undefined, status: 'not_found', invalid: 'none' },
      new NoQuestion('not_found', 'none'),
    ],
  ])('is nothing where the row is %s', (_words, row, expected) => {
    const question = questionOf(row, ask);
    expect(question).toBeInstanceOf(NoQuestion);
    expect(question).toEqual(expected);
  });

  it.each(['#N/A', '#n/a', '#NV', '#N/D', '#REF!', '#BEZUG!', '#DIV/0!', '#NAME?', '#GETTING_DATA', 'Err:502'])(
    'is nothing where a formula has no result: %s',
    (text) => {
      expect(questionOf({ line: 1, text }, ask)).toEqual(new NoQuestion('invalid', 'an error of a spreadsheet formula, not an identifier'));
    },
  );

  it.each(['#1', '#ada', 'N/A', '#N/AB', 'ada#N/A', 'Err:5020'])('is asked where it only looks a little like that: %s', (text) => {
    expect(questionOf({ line: 1, text }, ask)).toEqual({ key: `${text} of 1` });
  });
});
