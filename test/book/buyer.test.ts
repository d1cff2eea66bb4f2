/** A purchase from the cap to the book: what is written down before and after, what is withheld, and what is waited for. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cap } from '../../src/book/budget.ts';
import { type Bought, Buyer, timesFor } from '../../src/book/buyer.ts';
import type { Answer } from '../../src/client/client.ts';
import type { Question } from '../../src/contract/endpoint.ts';
import { readInvestorInterest } from '../../src/contract/feed.ts';
import { findInvestors } from '../../src/contract/investors.ts';
import { getPerson } from '../../src/contract/person.ts';
import { type FailureDetails, PdiError, ServiceError } from '../../src/errors.ts';
import type { FailureCode } from '../../src/exit.ts';
import { ApiRecord, recordsOf } from '../../src/rows/row.ts';
import { actors } from '../support/actor.ts';
import { newFolder } from '../support/run.ts';
import { callsOf } from '../support/service.ts';
import { buyerOf, clientOf } from './places.ts';

/** A run with a cap of 2 over a book of its own, and calls that end as told. */
function shop({ retriesOfUnknown = 0 } = {}) {
  const home = newFolder();
  const cap = new Cap(2);
  let answer: () => Promise<Answer> = async () => answered({});
  const made: (string | undefined)[] = [];
  const nobody = async () => {};
  let turns = { take: nobody, giveBack: nobody };
  const client = clientOf(async (_endpoint, _request, { item, ticket } = {}) => {
    made.push(item);
    const { take, giveBack } = ticket ?? turns;
    turns = { take: () => take.call(ticket), giveBack: () => giveBack.call(ticket) };
    return answer();
  });
  const buyer = buyerOf({
    client,
    path: join(home, 'state', 'pdi', 'book.db'),
    cap,
    retriesOfUnknown,
  });
  return {
    buyer,
    cap,
    made,
    /** The turns of the latest call. */
    turns: { take: () => turns.take(), giveBack: () => turns.giveBack() },
    /** Every call from now on ends so. */
    ending: (end: () => Promise<Answer>) => {
      answer = end;
    },
    buy: (item: string, stopped = () => false, sending?: () => Promise<void>) =>
      buyer.buy(person(item), { stopped, ...(sending !== undefined && { sending }) }),
    ask: (question: Question) => buyer.buy(question, { stopped: () => false }),
    calls: () => callsOf({ home }),
    outcomes: async () => (await callsOf({ home })).map(([, outcome]) => outcome),
  };
}

const person = (personId: string): Question => ({
  endpoint: getPerson,
  request: { path: { personId } },
});
const page = { endpoint: readInvestorInterest, request: { path: {}, query: { page: 3 } } };
const investors = {
  endpoint: findInvestors,
  request: { path: {}, query: { name: 'Sample Harbor' } },
};

const hashed = (text: string): string => `sha256:${hash('sha256', text).slice(0, 16)}`;

const answered = (body: unknown): Answer => ({
  status: 200,
  record: new ApiRecord(body),
  records: recordsOf({ value: body }),
});

const none = { billed: 0, unknown: 0 };
const failureIn = ({ result }: Bought) => (result instanceof PdiError ? result : undefined);

describe('a purchase', () => {
  it('is written down before the call, and settled after it', async () => {
    const { buy, ending, outcomes, calls, buyer, cap } = shop();
    ending(async () => {
      expect([await outcomes(), cap.left]).toEqual([['sent'], 1]);
      return answered({ person_id: 'per_1' });
    });
    expect(failureIn(await buy('per_1'))).toBeUndefined();
    expect([await calls(), buyer.spent, cap.left]).toEqual([
      [['per_1', 'billed']],
      { billed: 1, unknown: 0, lost: 0 },
      1,
    ]);
  });

  const gives = (body: unknown) => async () => answered(body);
  const fails =
    (details: FailureDetails, code: FailureCode = 'unavailable') =>
    () =>
      Promise.reject(new ServiceError(code, 'no answer', details));
  it.each([
    ['an answer', person('x'), gives({}), 'billed', { billed: 1, unknown: 0 }],
    ['a page', page, gives([{ signal_id: 's' }]), 'billed', { billed: 1, unknown: 0 }],
    ['an empty page', page, gives([]), 'not_billed', none],
    ['an answer of unstated price', investors, gives([]), 'unpriced', { billed: 0, unknown: 1 }],
    ['a failure that was not billed', person('x'), fails({ billed: 'no' }), 'not_billed', none],
    [
      'a failure that was billed',
      person('x'),
      fails({ billed: 'yes' }),
      'billed',
      { billed: 1, unknown: 0 },
    ],
    ['a lost answer', person('x'), fails({ billed: 'unknown' }), 'lost', { billed: 0, unknown: 1 }],
    [
      'a lost answer of unstated price',
      investors,
      fails({ billed: 'unknown' }),
      'unpriced',
      { billed: 0, unknown: 1 },
    ],
    ['a 404', person('x'), fails({ billed: 'no', status: 404 }, 'not_found'), 'unpriced', none],
    [
      'a 404 of unstated price',
      investors,
      fails({ billed: 'no', status: 404 }, 'not_found'),
      'unpriced',
      none,
    ],
    ['a refusal', person('x'), fails({ billed: 'no', status: 403 }, 'auth'), 'not_billed', none],
    [
      'no credits, told as 404',
      person('x'),
      fails({ billed: 'no', status: 404 }, 'credits'),
      'not_billed',
      none,
    ],
  ] as const)(
    'that ends with %s says so in the book and to the run, and keeps its place under the cap',
    async (...told) => {
      const [, question, end, outcome, spent]: readonly [
        string,
        Question,
        () => Promise<Answer>,
        string,
        object,
      ] = told;
      const { ask, ending, outcomes, buyer, cap } = shop();
      ending(end);
      const failure = failureIn(await ask(question));
      expect([await outcomes(), buyer.spent, cap.left]).toEqual([
        [outcome],
        expect.objectContaining(spent),
        1,
      ]);
      if (failure !== undefined) expect(failure.message).toBe('no answer');
    },
  );

  it('of a job is one of more that are under way, the farther the book is', () => {
    const far = [timesFor({ taking: 50, sending: 100 }), timesFor({ taking: 100, sending: 100 })];
    const near = buyerOf({ client: clientOf(async () => answered({})) });
    expect([near.timesAtOnce, ...far]).toEqual([1, 2, 3]);
  });

  it('that dies of a bug may have been sent', async () => {
    const { buy, ending, outcomes, cap } = shop();
    ending(() => Promise.reject(new TypeError('bug')));
    await expect(buy('per_1')).rejects.toThrow('bug');
    expect([await outcomes(), cap.left]).toEqual([['lost'], 1]);
  });

  it('whose book cannot be opened is not made, and leaves the cap as it was', async () => {
    const client = clientOf(async () => answered({}));
    const book = () => Promise.reject(new PdiError('internal', 'no book'));
    const cap = new Cap(1);
    const parts = {
      ...{
        place: { isFar: false, isThere: () => true },
        maxAge: 1,
        retriesOfUnknown: 0,
        longestWaitMs: 0,
        redact: String,
      },
    };
    const buyer = new Buyer({ client: async () => client, book, cap, ...parts });
    expect(failureIn(await buyer.buy(person('per_1'), { stopped: () => false }))).toMatchObject({
      message: 'no book',
    });
    expect(cap.left).toBe(1);
  });

  it('that could not even be prepared for was not sent: so the book says', async () => {
    const { buy, made, outcomes, cap } = shop();
    const sending = () =>
      Promise.reject(new PdiError('internal', 'cannot write the journal', { billed: 'no' }));
    expect(failureIn(await buy('per_1', () => false, sending))).toMatchObject({
      message: 'cannot write the journal',
    });
    expect([made, await outcomes(), cap.left]).toEqual([[], ['not_billed'], 1]);
  });

  it('that the service refused is in the book again, in its place under the cap, once its turn comes again', async () => {
    const { ask, ending, outcomes, cap, turns } = shop();
    const seen: unknown[] = [];
    const look = async () => seen.push(await outcomes(), cap.left);
    ending(async () => {
      await turns.giveBack();
      await look();
      cap.reserve(1);
      await turns.take();
      await look();
      return answered({ person_id: 'per_1' });
    });
    expect(failureIn(await ask(person('per_1')))).toBeUndefined();
    expect([seen, await outcomes()]).toEqual([[[], 1, ['sent'], 0], ['billed']]);
    ending(async () => {
      await turns.giveBack();
      throw new PdiError('interrupted', 'stopped', { billed: 'no' });
    });
    cap.reserve(-1);
    await ask(person('per_2'));
    expect(await outcomes()).toEqual(['billed', 'not_billed']);
  });

  it.each([
    ['before', 0, true, []],
    ['while it is written down', 1, undefined, [['per_1', 'not_billed']]],
  ])('of a run that is stopped %s is not made', async (_when, looks, withheld, written) => {
    const { buy, made, calls } = shop();
    let looked = 0;
    const bought = await buy('per_1', () => looked++ >= looks);
    expect(bought).toMatchObject({ result: { code: 'interrupted', details: { billed: 'no' } } });
    expect([bought.withheld, made, await calls()]).toEqual([withheld, [], written]);
  });

  it('of a run that is stopped waits no longer for a book that another process holds', async () => {
    const { act } = await actors();
    const path = join(newFolder(), 'book.db');
    const stop = new AbortController();
    const buyer = buyerOf({
      client: clientOf(async () => answered({})),
      path,
      stop: stop.signal,
      patienceMs: 60_000,
    });
    await buyer.buy(person('per_1'), { stopped: () => false });
    const holder = await act('hold', path);
    // It is stopped once it has been found to go on.
    const stopped = () => {
      const { aborted } = stop.signal;
      stop.abort();
      return aborted;
    };
    const result = { code: 'interrupted', details: { billed: 'no' } };
    expect(await buyer.buy(person('per_2'), { stopped })).toMatchObject({ withheld: true, result });
    await holder.kill();
  });

  it('that was lost, and not sent again because the run is stopped, may have been billed', async () => {
    const { ending, made, buyer } = shop({ retriesOfUnknown: 1 });
    let stopped = false;
    ending(() =>
      Promise.reject(new ServiceError('unavailable', 'no answer', { billed: 'unknown' })),
    );
    const goesOn = async () => (stopped = true);
    const { withheld, result } = await buyer.buy(person('per_1'), {
      stopped: () => stopped,
      goesOn,
    });
    expect({ withheld, result }).toMatchObject({
      withheld: true,
      result: { code: 'interrupted', details: { billed: 'unknown' } },
    });
    expect(made).toHaveLength(1);
  });

  it('that another run holds up is still one whose answer an earlier run may have lost', async () => {
    const place = {
      path: join(newFolder(), 'book.db'),
      maxAge: 1000,
      retriesOfUnknown: 1,
      longestWaitMs: 0,
    };
    const client = clientOf(() => new Promise(() => {}));
    const question = person('per_1');
    await new Promise<void>((resolve) => {
      void buyerOf({ ...place, client }).buy(question, {
        stopped: () => false,
        sending: async () => resolve(),
      });
    });
    const held = await buyerOf({ ...place, client }).buy(question, {
      stopped: () => false,
      lostBefore: true,
    });
    expect(held).toMatchObject({
      withheld: true,
      result: { code: 'unavailable', details: { billed: 'unknown' } },
    });
  });

  it.each([
    ['an identifier', person('per_1'), 'per_1'],
    ['an address', person('someone@example.test'), hashed('someone@example.test')],
    ['a name', investors, hashed('Sample Harbor')],
    ['a page', page, 'page:3'],
  ])(
    'of %s is in the calls as what tells nothing of a person',
    async (_what, question, written) => {
      const { ask, calls } = shop();
      await ask(question);
      expect(await calls()).toEqual([[written, expect.any(String)]]);
    },
  );
});
