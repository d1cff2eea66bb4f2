import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PdiError } from '../../src/errors.ts';
import { Answers, jobRow, type Outcome } from '../../src/jobs/answers.ts';
import { parseJson } from '../../src/json.ts';
import { type Journal, openJournal } from '../../src/money/journal.ts';
import { clock, newFolder, processes } from '../money/places.ts';

const identity = { command: 'person', operation: 'GET /people/{personId}', baseUrl: 'https://api.example.test/api/v1', key: 'k' };
const open = (path: string): Promise<Journal> =>
  openJournal({ path, identity, restart: false, billable: true, retryUnknown: false, processes: processes(), clock });

const ok: Outcome = { status: 'ok', record: { person_id: 'per_1' } };

describe('answers', () => {
  it('are found while they are on their way, so that nobody asks twice', () => {
    const answers = new Answers({ capacity: 10 });
    const outcome = Promise.resolve(ok);
    expect(answers.find('per_1')).toBeUndefined();
    answers.expect('per_1', outcome);
    expect(answers.find('per_1')).toBe(outcome);
  });

  it('are forgotten oldest first, past their capacity', () => {
    const answers = new Answers({ capacity: 2 });
    for (const item of ['a', 'b', 'c']) answers.expect(item, Promise.resolve(ok));
    expect(['a', 'b', 'c'].map((item) => answers.find(item) !== undefined)).toEqual([false, true, true]);
  });

  it('come out of the journal again, digit for digit, also when memory has forgotten them', async () => {
    const path = join(newFolder(), 'out.journal');
    const record = parseJson('{"person_id":"per_1","profnet_num_id":90071992547409931234}');
    const journal = await open(path);
    const answers = new Answers({ journal, capacity: 1 });
    answers.sending('per_1');
    answers.arrived([
      ['per_1', { status: 'ok', record }],
      ['per_2', { status: 'not_found', error: 'no match', failure: new PdiError('not_found', 'gone') }],
    ]);
    expect(await answers.find('per_1')).toEqual({ status: 'ok', error: undefined, record });
    journal.close();
    const again = await open(path);
    const resumed = new Answers({ journal: again, capacity: 1 });
    expect(await resumed.find('per_1')).toEqual({ status: 'ok', error: undefined, record });
    expect(await resumed.find('per_2')).toEqual({ status: 'not_found', error: 'no match' });
    again.close();
  });
});

describe('a row', () => {
  it('has the input as written, its own columns, and the outcome; columns read from the first match', () => {
    const own = { raw: '"x",1', cells: ['x', '1'] };
    expect(jobRow({ text: 'x', own }, { status: 'ok', record: [{ id: 1 }, { id: 2 }] })).toEqual({
      input: 'x',
      own,
      status: 'ok',
      record: [{ id: 1 }, { id: 2 }],
      shown: { id: 1 },
      failure: undefined,
    });
    expect(jobRow({ text: undefined }, { status: 'invalid', error: 'empty' })).toMatchObject({
      input: '',
      status: 'invalid',
      error: 'empty',
    });
  });
});
