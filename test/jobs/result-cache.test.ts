import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type JobFile, openJobFile } from '../../src/book/job-file.ts';
import { PdiError, ServiceError } from '../../src/errors.ts';
import { lockOutput } from '../../src/files/lock.ts';
import { PendingRequest, ResultCache } from '../../src/jobs/result-cache.ts';
import { StopRule } from '../../src/jobs/stop-rule.ts';
import { columnsFrom } from '../../src/output/read.ts';
import { ApiRecord, readRecord } from '../../src/rows/record.ts';
import { type Outcome, resultRow } from '../../src/rows/result-row.ts';
import { newFolder } from '../book/places.ts';

const identity = { command: 'person', operation: 'GET /people/{personId}', baseUrl: 'https://api.example.test/api/v1', key: 'k' };
const open = async (path: string): Promise<JobFile> =>
  openJobFile({ path, identity, restart: false, retryUnknown: false, lock: await lockOutput(path, path) });

const stopRule = new StopRule({ interrupt: new AbortController().signal, stopOnError: false });

const ok: Outcome = { status: 'ok', record: readRecord('{"person_id":"per_1"}') };

/** Remembers that one request asks for these items. */
function asking(results: ResultCache, ...items: readonly string[]): PendingRequest {
  const asked = new PendingRequest();
  for (const item of items) results.expect(item, asked);
  return asked;
}

describe('results', () => {
  it('are found while they are on their way, so that nobody asks twice', async () => {
    const results = new ResultCache({ capacity: 10 });
    expect(results.pending('per_1')).toBeUndefined();
    const asked = asking(results, 'per_0', 'per_1');
    expect(results.pending('per_1')).toBe(asked);
    const waiting = asked.outcomeOf('per_1');
    asked.settle([{ status: 'invalid' }, ok]);
    expect(await waiting).toEqual(ok);
    expect(await asked.outcomeOf('per_0')).toEqual({ status: 'invalid' });
  });

  it('are kept up to their capacity, then the latest quarter of it at least', () => {
    const results = new ResultCache({ capacity: 8 });
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
    const known = () => items.filter((item) => results.pending(item) !== undefined).join('');
    for (const item of items.slice(0, 8)) asking(results, item);
    expect(known()).toBe('abcdefgh');
    asking(results, 'i');
    asking(results, 'j');
    expect(known()).toBe('abcdefghij');
    asking(results, 'k');
    expect(known()).toBe('ijk');
  });

  it('are read again from their text for who asks again', async () => {
    const outcome: Outcome = { status: 'ok', record: readRecord('{"person_id":"per_1"}') };
    const asked = asking(new ResultCache({ capacity: 2 }), 'per_1');
    asked.settle([outcome]);
    const again = await asked.outcomeOf('per_1');
    expect(again).toEqual(outcome);
    expect(again.record).not.toBe(outcome.record);
  });

  it('are left to the journal once they are in it, digit for digit', async () => {
    const path = join(newFolder(), 'out.journal');
    const record = readRecord('{"person_id":"per_1","profnet_num_id":90071992547409931234}');
    const journal = await open(path);
    const results = new ResultCache({ journal, capacity: 10 });
    await results.sending('per_1');
    const underWay = asking(results, 'per_3');
    await results.save(
      asking(results, 'per_1', 'per_2'),
      [
        { status: 'ok', record },
        { status: 'not_found', error: 'no match', failure: new PdiError('not_found', 'gone') },
      ],
      stopRule,
    );
    expect(['per_1', 'per_2', 'per_3'].map((item) => results.pending(item))).toEqual([undefined, undefined, underWay]);
    expect(results.known('per_1')).toEqual({ status: 'ok', error: undefined, record });
    journal.close();
    const again = await open(path);
    const resumed = new ResultCache({ journal: again, capacity: 1 });
    expect(resumed.known('per_1')).toEqual({ status: 'ok', source: 'journal', record });
    expect(resumed.known('per_2')).toEqual({ status: 'not_found', source: 'journal', error: 'no match' });
    again.close();
  });
});

it('gives those who wait the outcome that a journal has meanwhile', async () => {
  const journal = await open(join(newFolder(), 'out.journal'));
  const results = new ResultCache({ journal, capacity: 10 });
  const asked = asking(results, 'per_1');
  const waiting = results.pending('per_1')?.outcomeOf('per_1');
  await results.save(asked, [ok], stopRule);
  expect(results.pending('per_1')).toBeUndefined();
  asked.settle([ok]);
  expect(await waiting).toEqual(ok);
  journal.close();
});

describe('a row', () => {
  it('has the input as written, its own columns, and the outcome; columns read from the first match', () => {
    const own = { raw: '"x",1', cells: ['x', '1'] };
    const record = new ApiRecord([{ id: 1 }, { id: 2 }]);
    const row = resultRow({ text: 'x', own }, { status: 'ok', record });
    expect(columnsFrom(row)).toEqual({ id: 1, pdi_matches: 2 });
    expect(row).toEqual({
      input: 'x',
      own,
      status: 'ok',
      record,
    });
    expect(resultRow({ text: undefined }, { status: 'invalid', error: 'empty' })).toMatchObject({
      input: '',
      status: 'invalid',
      error: 'empty',
    });
  });
});

function requestFor(...items: readonly string[]): PendingRequest {
  const request = new PendingRequest();
  request.items.push(...items);
  return request;
}

describe('items asked for together', () => {
  it('have their outcomes by place, for those who wait and for those who come later', async () => {
    const request = requestFor('a', 'b');
    const waiting = request.outcomeOf('b');
    request.settle([{ status: 'ok', record: new ApiRecord({ a: 1 }) }, { status: 'not_found' }]);
    expect(await waiting).toEqual({ status: 'not_found' });
    expect((await request.outcomeOf('a')).record?.value).toEqual({ a: 1 });
  });

  it('are read again from their text, every digit, for each who asks later', async () => {
    const request = requestFor('a');
    const text = '{"n":90071992547409931,"m":1.50}';
    request.settle([{ status: 'ok', record: readRecord(text) }]);
    const [first, second] = [await request.outcomeOf('a'), await request.outcomeOf('a')];
    expect([first.record?.text, second.record?.text]).toEqual([text, text]);
    expect(first.record).not.toBe(second.record);
  });

  it('keep the words of a failure, not the failure', async () => {
    const request = requestFor('a');
    request.settle([{ status: 'failed', error: 'no answer', failure: new ServiceError('unavailable', 'no answer', {}) }]);
    expect(await request.outcomeOf('a')).toEqual({ status: 'failed', error: 'no answer' });
  });

  it('fail for all who wait and all who come later, and without a word where nobody does', async () => {
    const bug = new TypeError('a bug');
    const request = requestFor('a');
    const waiting = request.outcomeOf('a');
    request.fail(bug);
    await expect(waiting).rejects.toBe(bug);
    await expect(request.outcomeOf('a')).rejects.toBe(bug);
    // A rejection that nobody handles fails the run of the tests.
    requestFor('b').fail(bug);
    await setImmediate();
  });
});
