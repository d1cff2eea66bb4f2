import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roomForAnswer } from '../../src/book/calls.ts';
import { type JobFile, openJobFile, peekJobFile } from '../../src/book/job-file.ts';
import { answerLine, jobLine, readEntry } from '../../src/book/job-lines.ts';
import { attempt } from '../../src/errors.ts';
import { maxDepth } from '../../src/json/exact.ts';
import { readRecord } from '../../src/rows/row.ts';
import { anyCharacter } from '../support/any-text.ts';
import { failureOf } from '../support/failure.ts';
import { newFolder } from '../support/run.ts';
import { identity, outcomeOf, type Told, told } from './places.ts';

type JobFileOptions = Parameters<typeof openJobFile>[0];

const newPath = (): string => join(newFolder(), 'people.csv.journal');

const rules = { retryUnknown: false };

const open = (path: string, more: Partial<JobFileOptions> = {}): Promise<JobFile> =>
  openJobFile({ path, identity, restart: false, ...rules, ...more });

/** A closed journal with `answers` in it. */
async function journalWith(
  answers: Readonly<Record<string, Told>>,
  path = newPath(),
): Promise<string> {
  const journal = await open(path);
  for (const [item, outcome] of Object.entries(answers)) {
    journal.sent(item);
    journal.answered(item, outcomeOf(outcome));
  }
  journal.close();
  return path;
}

const exact = '{"id":12345678901234567890.10,"name":"Zoë\u2028"}';

describe('a journal', () => {
  test('that is refused stays open nowhere', async () => {
    const path = await journalWith({ per_1: { status: 'ok', record: exact } });
    await expect(open(path, { identity: { ...identity, command: 'revenue' } })).rejects.toThrow(
      'another command',
    );
    const opened = readdirSync('/proc/self/fd').map((number) =>
      attempt(() => readlinkSync(`/proc/self/fd/${number}`)),
    );
    expect(opened).not.toContain(path);
  });

  test('gives back answers as they were received, in this run and the next', async () => {
    const path = newPath();
    const outcomes = {
      per_1: { status: 'ok', record: exact },
      'per "2"\n': { status: 'not_found', error: 'no such person' },
    } as const;
    const first = await open(path);
    expect(first.isEmpty).toBe(true);
    for (const [item, outcome] of Object.entries(outcomes)) {
      first.answered(item, outcomeOf(outcome));
      expect(told(first.find(item))).toEqual(outcome);
    }
    expect([first.resumed, first.isEmpty]).toEqual([false, false]);
    first.close();
    first.close();
    chmodSync(path, 0o644);
    const second = await open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const [item, outcome] of Object.entries(outcomes))
      expect(told(second.find(item))).toEqual(outcome);
    expect(second.find('per_3')).toBeUndefined();
    expect(second.resumed).toBe(true);
    second.remove();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('keeps as much room for the answers under way as answers were long so far', async () => {
    const path = newPath();
    const journal = await open(path);
    const roomWith = (calls: number) => {
      for (let call = 0; call < calls; call += 1) journal.sent(`per_${calls}_${call}`);
      return statSync(path).size;
    };
    const first = roomWith(1);
    journal.answered(
      'per_1_0',
      outcomeOf({ status: 'ok', record: `{"text":"${'x'.repeat(20_000)}"}` }),
    );
    const [few, many] = [roomWith(4), roomWith(16)];
    expect([few - first, many > 20 * 40_000, many < 20 * 64_000]).toEqual([0, true, true]);
    journal.close();
  });

  test('knows of a call that was refused what it knew before', async () => {
    const path = newPath();
    const first = await open(path);
    first.sent('per_lost');
    first.close();
    const second = await open(path, { retryUnknown: true });
    for (const item of ['per_lost', 'per_new']) {
      second.sent(item);
      second.unsent(item);
    }
    expect([second.lost('per_lost')?.status, second.lost('per_new')]).toEqual([
      'unknown',
      undefined,
    ]);
    second.abandon();
    const third = await open(path);
    expect([third.find('per_lost')?.status, third.find('per_new')]).toEqual(['unknown', undefined]);
    third.close();
  });

  test.each([
    ['ok', true],
    ['not_found', true],
    ['invalid', true],
    ['unknown', true],
    ['failed', false],
    ['skipped', false],
  ] as const)('an earlier %s is known: %s', async (status, known) => {
    const outcome: Told = { status, ...(status === 'ok' && { record: exact }) };
    const journal = await open(await journalWith({ item: outcome }));
    expect(told(journal.find('item'))).toEqual(known ? outcome : undefined);
    journal.answered('item', outcomeOf(outcome));
    expect(told(journal.find('item'))).toEqual(outcome);
    journal.close();
  });

  test.each([
    ['a call that may be billed', {}, 'unknown'],
    ['--retry-unknown', { retryUnknown: true }, undefined],
  ])('sent and not answered, then %s', async (_, more, status) => {
    const path = newPath();
    const killed = await open(path);
    for (const item of ['one', 'two']) killed.sent(item);
    killed.answered('two', outcomeOf({ status: 'unknown', error: 'timeout' }));
    expect(killed.find('one')?.status).toBe('unknown');
    killed.close();
    const journal = await open(path, more);
    expect([journal.find('one')?.status, journal.find('two')?.status]).toEqual([status, status]);
    journal.sent('one');
    journal.answered('one', outcomeOf({ status: 'unknown' }));
    expect(journal.find('one')?.status).toBe('unknown');
    journal.close();
  });

  test('keeps room on the disk for every answer under way, and for no other', async () => {
    const path = newPath();
    const journal = await open(path);
    for (const item of ['one', 'two', 'three']) journal.sent(item);
    expect(statSync(path).size).toBeGreaterThan(3 * roomForAnswer);
    journal.answered('one', outcomeOf({ status: 'ok', record: '1' }));
    journal.sent('four');
    expect(statSync(path).size).toBeLessThan(4 * roomForAnswer);
    journal.remove();
  });

  test('never loses a bought answer to a later failure', async () => {
    const path = await journalWith({ item: { status: 'ok', record: '1' } });
    const journal = await open(path);
    journal.sent('item');
    journal.answered('item', outcomeOf({ status: 'failed' }));
    expect(told(journal.find('item'))).toEqual({ status: 'ok', record: '1' });
    journal.close();
  });
});

describe('a torn last line', () => {
  const lastAnswer = { status: 'ok', record: '{"name":"Zoë"}' } as const;

  test('is left out wherever it was torn, and the lines before and after it live', async () => {
    const whole = readFileSync(
      await journalWith({ per_1: { status: 'ok', record: exact }, last: lastAnswer }),
    );
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let cut = lastLine; cut <= whole.length; cut += 1) {
      const path = newPath();
      writeFileSync(path, whole.subarray(0, cut));
      const journal = await open(path);
      expect(journal.find('per_1')?.record?.text).toBe(exact);
      expect(journal.find('last')?.status).toBe(cut >= whole.length - 1 ? 'ok' : 'unknown');
      journal.answered('next', outcomeOf(lastAnswer));
      expect(told(journal.find('next'))).toEqual(lastAnswer);
      journal.close();
      const again = await open(path);
      expect([told(again.find('next')), again.find('per_1')?.record?.text]).toEqual([
        lastAnswer,
        exact,
      ]);
      again.close();
    }
  });

  test('that is the header leaves a new journal', async () => {
    const whole = readFileSync(await journalWith({}));
    for (let cut = 0; cut < whole.length; cut += 1) {
      const path = newPath();
      writeFileSync(path, whole.subarray(0, cut));
      const journal = await open(path);
      journal.answered('one', outcomeOf(lastAnswer));
      journal.close();
      expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
      (await open(path)).close();
    }
  });

  test.each(['{"item":', '\0\0\0', '{"item":"x","status":"nonsense"}\n', 'half é'])(
    'may hold anything: %j',
    async (rest) => {
      const path = await journalWith({ one: lastAnswer });
      const whole = readFileSync(path, 'utf8');
      writeFileSync(path, whole + rest);
      const journal = await open(path);
      expect(told(journal.find('one'))).toEqual(lastAnswer);
      journal.close();
      expect(readFileSync(path, 'utf8')).toBe(whole);
    },
  );
});

describe('a journal is refused', () => {
  test.each([undefined, 'unknown', 'not_found', 'invalid'] as const)(
    'when it is of another run and one item was sent, and then is %s, whatever came after',
    async (status) => {
      const path = newPath();
      const journal = await open(path);
      for (const item of ['one', 'two']) journal.sent(item);
      if (status !== undefined) journal.answered('one', outcomeOf({ status }));
      journal.answered('two', outcomeOf({ status: 'skipped' }));
      journal.close();
      const before = readFileSync(path);
      const other = { identity: { ...identity, key: 'other' } };
      expect((await failureOf(() => open(path, other))).message).toContain('another API key');
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  test('when it is of another run, holds nothing, and the new header cannot be written: it stays as it was', async () => {
    const path = await journalWith({ one: { status: 'skipped' } });
    const before = readFileSync(path);
    const full: JobFileOptions['write'] = () => {
      throw new Error('ENOSPC: no space left on device, write');
    };
    const failure = await failureOf(() =>
      open(path, { identity: { ...identity, key: 'other' }, write: full }),
    );
    expect(failure).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('no space left'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    (await open(path)).close();
  });

  test.each([
    ['EIO', false],
    ['ENOSPC', true],
  ])(
    'by the disk (%s): the same command may go through later where that passes',
    async (code, retryable) => {
      const write: JobFileOptions['write'] = () => {
        throw Object.assign(new Error(`${code}: of the disk`), { code });
      };
      const path = await journalWith({ one: { status: 'skipped' } });
      const journal = await open(path, { write });
      const [unsent, unkept] = ['two: the call was not sent', 'two: its answer is not kept'].map(
        (words) => expect.stringContaining(words),
      );
      expect(await failureOf(async () => journal.sent('two'))).toMatchObject({
        message: unsent,
        details: { billed: 'no', retryable },
      });
      const answered = async () => journal.answered('two', outcomeOf({ status: 'ok' }));
      expect(await failureOf(answered)).toMatchObject({
        code: 'internal',
        message: unkept,
        details: { billed: 'unknown', retryable },
      });
      journal.close();
    },
  );

  test("but not when it holds nothing: another run goes on in it, wherever it was torn as it said so, and then it is that run's", async () => {
    const path = await journalWith({ one: { status: 'skipped' } });
    const { length } = readFileSync(path);
    const other = { identity: { ...identity, key: 'other' } };
    (await open(path, other)).close();
    const whole = readFileSync(path);
    for (let cut = length; cut <= whole.length; cut += 7) {
      writeFileSync(path, whole.subarray(0, cut));
      const journal = await open(path, other);
      expect([journal.resumed, journal.find('one')]).toEqual([true, undefined]);
      journal.answered('one', outcomeOf({ status: 'ok', record: exact }));
      journal.close();
      expect((await failureOf(() => open(path))).message).toContain('another API key');
      const resumed = await open(path, other);
      expect(resumed.find('one')?.status).toBe('ok');
      resumed.close();
    }
    writeFileSync(
      path,
      Buffer.concat([readFileSync(path), whole.subarray(length), whole.subarray(length)]),
    );
    expect((await failureOf(() => open(path, other))).message).toContain(
      'the line is damaged, and others follow it',
    );
  });

  test('when a line in its middle is damaged, by number, and is not changed', async () => {
    const path = await journalWith({
      one: { status: 'ok', record: '1' },
      two: { status: 'ok', record: '2' },
    });
    const damaged = readFileSync(path, 'utf8').replace('"item":"one"', '"item":"one');
    writeFileSync(path, damaged);
    expect((await failureOf(() => open(path))).message).toBe(
      `${path}, line 3: the line is damaged, and others follow it`,
    );
    expect(readFileSync(path, 'utf8')).toBe(damaged);
    (await open(path, { restart: true })).remove();
  });

  test('when another version wrote it', async () => {
    const path = newPath();
    writeFileSync(path, '{"pdi_journal":3}\n');
    expect((await failureOf(() => open(path))).message).toContain('another version');
  });

  test.each(['my own notes', 'notes\n', '{"pdi":1}\n'])(
    'when it is no journal, --restart or not: %j',
    async (text) => {
      const path = newPath();
      writeFileSync(path, text);
      for (const restart of [false, true]) {
        expect((await failureOf(() => open(path, { restart }))).message).toBe(
          `${path} exists and is no journal of pdi`,
        );
      }
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  test('when it is a link or a folder', async () => {
    const target = await journalWith({});
    const link = newPath();
    symlinkSync(target, link);
    expect(await failureOf(() => open(link))).toMatchObject({
      code: 'usage',
      message: `${link} is a symbolic link`,
      details: {
        hint: 'put the file that it leads to in its place: what that holds is not bought again',
      },
    });
    const other = newPath();
    linkSync(target, other);
    expect((await failureOf(() => open(other))).message).toBe(
      `${other} is a hard link, under whose other name another run may write it`,
    );
    const folder = newPath();
    mkdirSync(folder);
    expect((await failureOf(() => open(folder))).message).toBe(`${folder} is not a regular file`);
  });
});

describe('a look at a journal', () => {
  test('finds none where there is none, and creates none', async () => {
    const path = newPath();
    expect(await peekJobFile(path, identity, rules.retryUnknown)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  test('reads it, also while a run has it and writes', async () => {
    const path = newPath();
    const running = await open(path);
    for (const item of ['one', 'two', 'three']) running.sent(item);
    running.answered('one', outcomeOf({ status: 'ok', record: exact }));
    running.answered('two', outcomeOf({ status: 'failed', error: 'x' }));
    writeFileSync(path, `${readFileSync(path, 'utf8').trimEnd()}\n{"it`);
    const size = statSync(path).size;
    const view = await peekJobFile(path, identity, rules.retryUnknown);
    expect(view?.find('one')?.record?.text).toBe(exact);
    expect(view?.find('two')).toBeUndefined();
    expect(view?.find('three')?.status).toBe('unknown');
    view?.close();
    expect(statSync(path).size).toBe(size);
    running.close();
  });
});

const deep = `${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}`;
const bought = (record: string) => ({ status: 'ok', record: readRecord(record) }) as const;

/** The record's text in a line. */
function recordIn(line: string): string | undefined {
  const entry = readEntry(line);
  return entry !== undefined && 'outcome' in entry ? entry.outcome.record?.text : undefined;
}

describe('a line about an answer', () => {
  test.each([
    ['an object', '{"id":12345678901234567890.10,"name":"Zoë\u2028"}'],
    ['fields in their order', '{"b":1,"2":1,"1":2}'],
    ['a bare number', '1.0'],
    ['the deepest record', deep],
    ['what looks like a line of ours', '{"item":"x","record":{"record":"{}"}}'],
  ])('keeps each character of %s', (_, record) => {
    const line = answerLine('per_1', bought(record));
    expect(line).toBe(`{"item":"per_1","status":"ok","record":${record}}\n`);
    expect(recordIn(line)).toBe(record);
  });

  test('is one line, read as it was written, whatever item and record are, and torn wherever it was cut', () => {
    const item = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('x","record":{"a":1}', 'one\ntwo', ''),
    );
    const text = fc
      .tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\t'))
      .map(([value, gap]) => JSON.stringify(value, null, gap));
    fc.assert(
      fc.property(item, text, fc.nat(), (item, json, cut) => {
        const line = answerLine(item, bought(json));
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(readEntry(line)).toMatchObject({ item, outcome: { status: 'ok' } });
        expect([recordIn(line), recordIn(`${line.trimEnd()}   `)]).toEqual([
          readRecord(json).text,
          readRecord(json).text,
        ]);
        expect(readEntry(line.slice(0, cut % (line.length - 1)))).toBeUndefined();
        const outcome = { status: 'not_found', error: `not found: ${item}` } as const;
        expect(readEntry(answerLine(item, outcome))).toEqual({ item, outcome });
        expect(readEntry(jobLine({ sent: item }))).toMatchObject({
          item,
          outcome: { status: 'unknown' },
        });
      }),
    );
  });

  test.each(['{"a":1', '{"a":1}}', '"{}', '', 'nothing', `[${deep}]`])(
    'is damaged where its record is %s',
    (record) => {
      expect(readEntry(`{"item":"per_1","status":"ok","record":${record}}`)).toBeUndefined();
    },
  );
});
