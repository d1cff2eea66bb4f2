/** How the rows of a job are asked about: order, what is under way, and what becomes of it where the job ends early. */

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openJobFile, openNamelessJobFile } from '../../src/book/job-file.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { getPerson } from '../../src/contract/person.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import type { Write } from '../../src/files/private.ts';
import {
  Asking,
  type Job,
  type JobRun,
  type Keyed,
  NoQuestion,
  questionOf,
} from '../../src/road/ask.ts';
import { DistinctTexts } from '../../src/road/distinct-texts.ts';
import { type Outcome, readRecord } from '../../src/rows/row.ts';
import { clientOf, identity } from '../book/places.ts';
import { anyCharacter } from '../support/any-text.ts';
import { gate } from '../support/later.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { collected, collectedWithFailure, inputRows, lookupOf, runOf } from './direct.ts';

type Send = (keys: readonly string[]) => Promise<void>;

const texts = (total: number): readonly string[] =>
  Array.from({ length: total }, (_, number) => `${number}`);

/** A job whose questions are the texts, `perRequest` at a time; its client fails for bugs alone. */
function asking(
  send: Send,
  perRequest = 1,
  more: Partial<JobRun> = {},
  endpoint: Endpoint = getPerson,
) {
  const job: Job<Keyed> = {
    endpoint,
    identifierColumns: [],
    ask: (text) => ({ key: text }),
    perRequest,
    requests: () => [],
    sender: () => async (questions) => {
      await send(questions.map(({ key }) => key));
      return questions.map(({ key }): Outcome => ({ status: 'ok', error: `of ${key}` }));
    },
  };
  const client = clientOf(async () => Promise.reject(new Error('not asked')));
  return new Asking(job, { ...runOf(client, []), ...more });
}

async function* groupsOf(all: readonly string[], size: number) {
  const rows = inputRows(all);
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

const few = fc.integer({ min: 1, max: 9 });

describe('rows are asked about', () => {
  it('in their order whatever order the answers come in, each question once, no more at once than allowed', async () => {
    const keys = fc.array(fc.nat(12).map(String), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        keys,
        few,
        few,
        few,
        async (scheduler, written, concurrency, perRequest, size) => {
          const asked: string[] = [];
          let [under, most] = [0, 0];
          const send: Send = async (sent) => {
            asked.push(...sent);
            expect(sent.length).toBeLessThanOrEqual(perRequest);
            under += 1;
            most = Math.max(most, under);
            await scheduler.schedule(Promise.resolve());
            under -= 1;
          };
          const reading = collected(
            asking(send, perRequest, { concurrency, input: groupsOf(written, size) }).rows(),
          );
          const rows = await scheduler.waitFor(reading);
          expect(rows.map(({ input, error }) => [input, error])).toEqual(
            written.map((text) => [text, `of ${text}`]),
          );
          expect(most).toBeLessThanOrEqual(concurrency);
          expect(asked.toSorted()).toEqual([...new Set(written)].toSorted());
        },
      ),
    );
  });

  it.each([
    ['as help says: each of 10,000 free questions once', resolvePeople, 10_000],
    [
      'what may be billed once, however much comes between, also where no journal can be made',
      getPerson,
      10_500,
    ],
  ])('%s', async (_what, endpoint, count) => {
    let asked = 0;
    const send: Send = async (sent) => {
      asked += sent.length;
    };
    const written = [...texts(count), ...texts(count)];
    const rows = await collected(
      asking(send, 50, { input: groupsOf(written, 500) }, endpoint).rows(),
    );
    expect([rows.length, asked]).toEqual([2 * count, count]);
  });

  it('with a journal: what is under way is never asked again, however much comes between', async () => {
    const path = join(newFolder(), 'people.csv.journal');
    const journal = await openJobFile({ path, identity, restart: false, retryUnknown: false });
    const asked: string[] = [];
    let answerSlow = () => {};
    const send: Send = async ([key = '']) => {
      asked.push(key);
      if (key === 'slow') await new Promise<void>((resolve) => (answerSlow = resolve));
      if (key === 'last') answerSlow();
    };
    const written = ['slow', ...texts(12_000), 'slow', 'last'];
    const rows = await collected(
      asking(send, 1, { journal, concurrency: 2000, input: groupsOf(written, 500) }).rows(),
    );
    journal.close();
    expect([rows.length, asked.length, asked.filter((key) => key === 'slow')]).toEqual([
      12_003,
      12_002,
      ['slow'],
    ]);
  });

  it('with FILE, where the disk refuses an answer once: that one goes out, and no call is made after it', async () => {
    const [path, asked] = [join(newFolder(), 'people.csv.journal'), personIds(3)];
    const write: Write = (file, bytes, at) =>
      Buffer.from(bytes).includes('"record"') ? 0 : writeSync(file, bytes, 0, bytes.length, at);
    const journal = await openJobFile({
      path,
      identity,
      restart: false,
      retryUnknown: false,
      write,
    });
    const client = clientOf(async () => ({ status: 200, record: readRecord('{}'), records: [] }));
    const { rows, failure } = await collectedWithFailure(
      lookupOf(client, inputRows(asked), { journal, concurrency: 1 }),
    );
    journal.close();
    expect([rows.map(({ status }) => status), failure.code]).toEqual([
      ['ok', 'skipped', 'skipped'],
      'internal',
    ]);
  });

  it('without FILE, where the disk has no room for answers that were bought: they are kept in memory, and no call is spared', async () => {
    let left = 2;
    const journal = openNamelessJobFile((file, bytes, at) =>
      left-- > 0 ? writeSync(file, bytes, 0, bytes.length, at) : 0,
    );
    const asked: unknown[] = [];
    const client = clientOf(async (_endpoint, { path }) => {
      asked.push(...Object.values(path));
      return { status: 200, record: readRecord('{}'), records: [] };
    });
    const ids = personIds(40);
    const rows = await collected(lookupOf(client, inputRows([...ids, ...ids]), { journal }));
    expect([rows.map(({ status }) => status), asked]).toEqual([Array(80).fill('ok'), ids]);
  });

  it('while one answer is slow: the others go on, some rows ahead', async () => {
    const asked: string[] = [];
    const send: Send = async ([key = '']) => {
      asked.push(key);
      if (key === '0') await new Promise(() => {});
    };
    void asking(send, 1, { concurrency: 2, input: groupsOf(texts(100), 7) })
      .rows()
      [Symbol.asyncIterator]()
      .next();
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    expect(asked).toEqual(texts(16));
  });

  it('and handed out where they are there, while the input is slow', async () => {
    async function* slow() {
      yield inputRows(['a', 'b']);
      await new Promise(() => {});
    }
    const rows = asking(async () => {}, 1, { input: slow() })
      .rows()
      [Symbol.asyncIterator]();
    expect((await rows.next()).value).toHaveLength(2);
  });
});

describe('a job that ends early', () => {
  it('gives the rows before the place where the input broke', async () => {
    async function* broken() {
      yield inputRows(texts(3));
      throw new Error('the file ends in an open quote');
    }
    const rows: unknown[] = [];
    const read = async () => {
      for await (const group of asking(async () => setImmediate(), 2, { input: broken() }).rows())
        rows.push(group);
    };
    await expect(read()).rejects.toThrow('open quote');
    expect(rows.flat()).toHaveLength(3);
  });

  it('finishes what is under way when its reader leaves, though some of it breaks off, and lets go of the input', async () => {
    let closed = false;
    async function* input() {
      try {
        yield* groupsOf(texts(1000), 10);
      } finally {
        closed = true;
      }
    }
    const [asked, finished]: [string[], string[]] = [[], []];
    const send: Send = async ([key = '']) => {
      asked.push(key);
      if (key === '1') throw new TypeError('a bug');
      for (let turn = 0; turn < (Number(key) + 1) * 3; turn += 1) await setImmediate();
      finished.push(key);
    };
    let leaving: readonly string[] = [];
    for await (const _first of asking(send, 1, { concurrency: 4, input: input() }).rows()) {
      leaving = [...asked];
      break;
    }
    await setImmediate();
    expect(leaving.filter((key) => key !== '1').every((key) => finished.includes(key))).toBe(true);
    expect(closed).toBe(true);
  });

  it('throws a bug in its turn, and never as an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const held = gate();
    const send: Send = async ([key]) => {
      if (key === '1') throw new Error('a bug');
      await held.opened;
    };
    const rows = asking(send, 1, { input: groupsOf(texts(2), 2) })
      .rows()
      [Symbol.asyncIterator]();
    const first = rows.next();
    // Node tells of unhandled rejections once the microtasks are done.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    held.open();
    expect((await first).value).toHaveLength(1);
    await expect(rows.next()).rejects.toThrow('a bug');
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

const ask = (key: string) => ({ key });

describe('what a row asks', () => {
  it.each([
    ...[
      '#N/A',
      '#n/a',
      '#NV',
      '#N/D',
      '#REF!',
      '#BEZUG!',
      '#DIV/0!',
      '#NAME?',
      '#GETTING_DATA',
      'Err:502',
    ],
    ...['#¡REF!', '#¿NOMBRE?', '#ДЕЛ/0!', '#値!', '#YOK', 'Fehler:502'],
  ])('is nothing where a formula has no result: %s', (text) => {
    expect(questionOf({ line: 1, text }, ask)).toEqual(
      new NoQuestion('invalid', 'an error of a spreadsheet formula, not an identifier'),
    );
  });

  it.each(['#1', '#ada', 'N/A', '#N/AB', 'ada#N/A', 'Err:5020'])(
    'is asked where it only looks a little like that: %s',
    (text) => {
      expect(questionOf({ line: 1, text }, ask)).toEqual({ key: text });
    },
  );
});

it('which texts came before is known, as by a set', () => {
  const text = fc.oneof(
    fc.constantFrom('', 'a', 'b', 'ab', 'ba', '\u0000', '\ud83d'),
    fc.string({ maxLength: 6, unit: anyCharacter }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const [known, distinct] = [new Set<string>(), new DistinctTexts()];
      for (const one of texts) {
        expect(distinct.add(one)).toBe(!known.has(one));
        known.add(one);
        expect(distinct.size).toBe(known.size);
      }
    }),
  );
});

it.each([
  ['numbers', (index: number) => String(index)],
  ['ids', (index: number) => `per_sample${index}`],
  ['links', (index: number) => `https://www.profnet.example/in/person-${index.toString(36)}`],
  ['blocks', (index: number) => String.fromCharCode(index & 1023, index >> 10)],
])('takes no two of many %s for one', (_kind, textOf) => {
  const distinct = new DistinctTexts();
  for (let index = 0; index < 300_000; index += 1) distinct.add(textOf(index));
  expect(distinct.size).toBe(300_000);
  expect(distinct.add(textOf(7))).toBe(false);
});
