/** The journal of a job that costs nothing: what a run leaves there, and what the next one finds. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPath } from '../../src/files/lock.ts';
import type { Journal } from '../../src/money/journal.ts';
import { answerLine } from '../../src/money/journal-lines.ts';
import { type JournalOptions, openJournal, peekJournal } from '../../src/money/journal-open.ts';
import { clock, diskWithRoom, failureOf, newFolder, outcomeOf, processes, told } from './places.ts';
import { sameHash } from './same-hash.ts';
import { identity } from './scripts/parts.ts';

const newPath = (): string => journalPath(join(newFolder(), 'people.csv'));
const rules = { billable: false, retryUnknown: false };
const open = (path: string, more: Partial<JournalOptions> = {}): Promise<Journal> =>
  openJournal({ path, identity, restart: false, ...rules, processes: processes(), clock, ...more });

const found = { status: 'ok', record: '{"query":{"id":"é"},"number":12345678901234567890.10,"matches":[{}]}' } as const;
const missing = { status: 'not_found', error: 'no match', record: '{"query":{},"matches":[]}' } as const;
const failed = { status: 'failed', error: 'no answer' } as const;

/** A journal that holds the answers of one request. */
async function journalWithRequest(path = newPath()): Promise<string> {
  const journal = await open(path);
  expect([journal.isEmpty, journal.resumed]).toEqual([true, false]);
  for (const item of ['é', 'b']) await journal.sent(item);
  await journal.answeredAll(['é', 'b "quoted"\n', 'c'], [found, missing, failed].map(outcomeOf));
  expect(journal.isEmpty).toBe(false);
  journal.close();
  return path;
}

const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

describe('the journal of a free job', () => {
  test('has a line a request, and none for what is only sent', async () => {
    const lines = linesOf(await journalWithRequest());
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ items: ['é', 'b "quoted"\n', 'c'], records: [{}, {}, null] });
  });

  test('gives its answers back to the next run, digit for digit, and nothing of what failed', async () => {
    const path = await journalWithRequest();
    const journal = await open(path);
    expect([told(journal.known('é')), told(journal.known('b "quoted"\n'))]).toEqual([found, missing]);
    expect([journal.known('c'), journal.known('d'), journal.lost('c'), journal.unclaimed]).toEqual([undefined, undefined, undefined, 0]);
    await journal.answeredAll(['c'], [outcomeOf(found)]);
    journal.close();
    const third = await open(path);
    expect(['é', 'c'].map((item) => told(third.known(item)))).toEqual([found, found]);
    third.close();
    const view = await peekJournal({ path, identity, ...rules });
    expect([told(view?.known('c')), view?.known('d')]).toEqual([found, undefined]);
    view?.close();
  });

  test('never takes the answer of one item for that of another with its hash: it is asked again', async () => {
    const [one, other] = sameHash();
    const path = newPath();
    const journal = await open(path);
    await journal.answeredAll([one], [outcomeOf(found)]);
    await journal.answeredAll([other], [outcomeOf(missing)]);
    journal.close();
    const again = await open(path);
    expect([again.known(one), told(again.known(other))]).toEqual([undefined, missing]);
    again.close();
  });

  test('keeps no index of what this run learns', async () => {
    const journal = await open(newPath());
    await journal.answeredAll(['a'], [outcomeOf(found)]);
    expect([journal.known('a'), journal.answersThisRun]).toEqual([undefined, false]);
    journal.close();
  });

  test('never loses an answer to a later failure', async () => {
    const path = await journalWithRequest();
    const journal = await open(path);
    await journal.answeredAll(['é'], [outcomeOf(failed)]);
    journal.close();
    const again = await open(path);
    expect(told(again.known('é'))).toEqual(found);
    again.close();
  });

  test('reads the lines of earlier versions, an answer each', async () => {
    const path = await journalWithRequest();
    appendFileSync(path, answerLine('old', outcomeOf(found)));
    writeFileSync(path, readFileSync(path, 'utf8').replace('"pdi_journal":2', '"pdi_journal":1'));
    const journal = await open(path);
    expect(['old', 'é'].map((item) => told(journal.known(item)))).toEqual([found, found]);
    journal.close();
  });

  test('asks again where a record is damaged, and leaves out a line that was cut off', async () => {
    const path = await journalWithRequest();
    const [header = '', request = ''] = linesOf(path);
    const damaged = request.replace('"matches":[{}]', '"matches":[{]}').replace('"é"', '"damaged"');
    writeFileSync(path, `${[header, damaged, request].join('\n')}\n${request.slice(0, -20)}`);
    const journal = await open(path);
    expect(journal.known('damaged')).toBeUndefined();
    expect(told(journal.known('é'))).toEqual(found);
    journal.close();
    expect(linesOf(path)).toEqual([header, damaged, request]);
  });

  test('on a full disk says whose answers are lost, and goes on behind the lines that are whole', async () => {
    const path = newPath();
    const disk = diskWithRoom(700);
    const journal = await open(path, { write: disk.write });
    await journal.answeredAll(['kept'], [outcomeOf(found)]);
    const failure = await failureOf(() =>
      journal.answeredAll(
        ['a', 'b', 'c', 'd', 'e', 'f'],
        Array.from({ length: 6 }, () => outcomeOf(found)),
      ),
    );
    expect(failure.message).toContain('a and 5 more: its answer is lost');
    expect(failure.details.billed).toBe('no');
    disk.free(500);
    await journal.answeredAll(['after'], [outcomeOf(missing)]);
    journal.close();
    const resumed = await open(path);
    expect(['kept', 'a', 'after'].map((item) => told(resumed.known(item)))).toEqual([found, undefined, missing]);
    resumed.close();
  });

  test('counts as bought for another command, which refuses it', async () => {
    const path = await journalWithRequest();
    const other = { ...identity, command: 'revenue' };
    for (const billable of [true, false]) {
      const failure = await failureOf(() => open(path, { identity: other, billable }));
      expect([failure.code, failure.details.hint]).toEqual(['usage', expect.stringContaining('2 answers in it')]);
    }
  });
});
