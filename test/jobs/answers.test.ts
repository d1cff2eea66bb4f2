import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PdiError } from '../../src/errors.ts';
import { Answers, jobRow } from '../../src/jobs/answers.ts';
import { Asked } from '../../src/jobs/asked.ts';
import { type Journal, openJournal } from '../../src/money/journal.ts';
import { columnsFrom } from '../../src/output/read.ts';
import { ApiRecord, readRecord } from '../../src/rows/record.ts';
import type { Outcome } from '../../src/rows/result-row.ts';
import { clock, newFolder, processes } from '../money/places.ts';

const identity = { command: 'person', operation: 'GET /people/{personId}', baseUrl: 'https://api.example.test/api/v1', key: 'k' };
const open = (path: string): Promise<Journal> =>
  openJournal({ path, identity, restart: false, billable: true, retryUnknown: false, processes: processes(), clock });

const ok: Outcome = { status: 'ok', record: readRecord('{"person_id":"per_1"}') };

/** Remembers that one request asks for these items. */
function asking(answers: Answers, ...items: readonly string[]): Asked {
  const asked = new Asked();
  for (const item of items) answers.expect(item, asked);
  return asked;
}

describe('answers', () => {
  it('are found while they are on their way, so that nobody asks twice', async () => {
    const answers = new Answers({ capacity: 10 });
    expect(answers.asked('per_1')).toBeUndefined();
    const asked = asking(answers, 'per_0', 'per_1');
    expect(answers.asked('per_1')).toBe(asked);
    const waiting = asked.outcomeOf('per_1');
    asked.settle([{ status: 'invalid' }, ok]);
    expect(await waiting).toEqual(ok);
    expect(await asked.outcomeOf('per_0')).toEqual({ status: 'invalid' });
  });

  it('are kept up to their capacity, then the latest quarter of it at least', () => {
    const answers = new Answers({ capacity: 8 });
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
    const known = () => items.filter((item) => answers.asked(item) !== undefined).join('');
    for (const item of items.slice(0, 8)) asking(answers, item);
    expect(known()).toBe('abcdefgh');
    asking(answers, 'i');
    asking(answers, 'j');
    expect(known()).toBe('abcdefghij');
    asking(answers, 'k');
    expect(known()).toBe('ijk');
  });

  it('are read again from their text for who asks again', async () => {
    const outcome: Outcome = { status: 'ok', record: readRecord('{"person_id":"per_1"}') };
    const asked = asking(new Answers({ capacity: 2 }), 'per_1');
    asked.settle([outcome]);
    const again = await asked.outcomeOf('per_1');
    expect(again).toEqual(outcome);
    expect(again.record).not.toBe(outcome.record);
  });

  it('are left to the journal once they are in it, digit for digit', async () => {
    const path = join(newFolder(), 'out.journal');
    const record = readRecord('{"person_id":"per_1","profnet_num_id":90071992547409931234}');
    const journal = await open(path);
    const answers = new Answers({ journal, capacity: 10 });
    answers.sending('per_1');
    const underWay = asking(answers, 'per_3');
    answers.arrived(asking(answers, 'per_1', 'per_2'), [
      { status: 'ok', record },
      { status: 'not_found', error: 'no match', failure: new PdiError('not_found', 'gone') },
    ]);
    expect(['per_1', 'per_2', 'per_3'].map((item) => answers.asked(item))).toEqual([undefined, undefined, underWay]);
    expect(answers.known('per_1')).toEqual({ status: 'ok', error: undefined, record });
    journal.close();
    const again = await open(path);
    const resumed = new Answers({ journal: again, capacity: 1 });
    expect(resumed.known('per_1')).toEqual({ status: 'ok', error: undefined, record });
    expect(resumed.known('per_2')).toEqual({ status: 'not_found', error: 'no match' });
    again.close();
  });
});

describe('a row', () => {
  it('has the input as written, its own columns, and the outcome; columns read from the first match', () => {
    const own = { raw: '"x",1', cells: ['x', '1'] };
    const record = new ApiRecord([{ id: 1 }, { id: 2 }]);
    const row = jobRow({ text: 'x', own }, { status: 'ok', record });
    expect(columnsFrom(row)).toEqual({ id: 1, pdi_matches: 2 });
    expect(row).toEqual({
      input: 'x',
      own,
      status: 'ok',
      record,
    });
    expect(jobRow({ text: undefined }, { status: 'invalid', error: 'empty' })).toMatchObject({
      input: '',
      status: 'invalid',
      error: 'empty',
    });
  });
});
