import { describe, expect } from 'vitest';
import { addDays } from '../../src/rows/days.ts';
import { prepare } from '../../src/sandbox/exchange.ts';
import { createWorld } from '../../src/sandbox/world.ts';
import { type Asking, type Heard, it, records, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { searches, lists, signalDates } = landmarks;
const ids = (heard: Heard) => records(heard).map(({ signal_id }) => String(signal_id));
const dates = (heard: Heard) => records(heard).map(({ signal_date }) => String(signal_date));

/** All signals of a question, page by page until a page is short. */
async function everything({ ask }: Asking, query = ''): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let page = 0; ; page++) {
    const signals = records(await ask(`/investor-interest?page=${page}&${query}`));
    found.push(...signals);
    if (signals.length < 50) return found;
  }
}

const entitiesOf = (signals: readonly Record<string, unknown>[]) => [
  ...new Set(signals.map(({ entity_id }) => entity_id)),
];

describe('pages', () => {
  it('hold 50 by default, tile the feed without gap or repetition, and report no totals', async ({
    service: sandbox,
  }) => {
    const first = await sandbox.ask('/investor-interest');
    expect(records(first)).toHaveLength(50);
    expect([first.headers.get('x-total-count'), first.headers.get('link')]).toEqual([null, null]);
    const all = await everything(sandbox);
    expect(all).toHaveLength(480);
    expect(new Set(all.map(({ signal_id }) => signal_id)).size).toBe(480);
    const second = await sandbox.ask('/investor-interest?page=2&limit=7');
    expect(ids(second)).toEqual(all.slice(14, 21).map(({ signal_id }) => signal_id));
  });

  it.for([
    'limit=0',
    'limit=51',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1e1',
    'page=-1',
    'page=0.5',
    'page=x',
  ])('422 for %s', async (query, { ask }) => {
    expect(await ask(`/investor-interest?${query}`)).toMatchObject({
      status: 422,
      json: { errorCode: 'VALIDATION_ERROR' },
    });
  });

  it.for([
    ['limit=51', 'query.limit: expected a whole number from 1 to 50'],
    ['page=-1', 'query.page: expected a whole number from 0 on'],
    ['page=x', 'query.page: expected a number'],
  ])('says what is wrong with %s', async ([query, message], { ask }) => {
    expect((await ask(`/investor-interest?${query}`)).json).toMatchObject({ message });
  });

  it('are empty past the end, however far', async ({ ask }) => {
    for (const page of ['10', '99999999', '99999999999999999999']) {
      expect(await ask(`/investor-interest?page=${page}`)).toMatchObject({ status: 200, json: [] });
    }
  });

  it('take no notice of unknown parameters', async ({ ask }) => {
    expect((await ask('/investor-interest?colour=red&limit=1')).status).toBe(200);
  });
});

describe('order', () => {
  it('is newest first, ties by id', async () => {
    const all = await everything(await start());
    const inOrder = [...all].sort((one, other) =>
      one.signal_date === other.signal_date
        ? String(one.signal_id).localeCompare(String(other.signal_id))
        : String(other.signal_date).localeCompare(String(one.signal_date)),
    );
    expect(all).toEqual(inOrder);
    expect([all[0]?.signal_date, all.at(-1)?.signal_date]).toEqual([
      signalDates.last,
      signalDates.first,
    ]);
  });

  it('follows sort', async ({ service: sandbox }) => {
    const oldest = await sandbox.ask('/investor-interest?sort=signal_date_asc');
    expect(dates(oldest)).toEqual([...dates(oldest)].sort());
    expect(dates(oldest)[0]).toBe(signalDates.first);
    const scores = (await everything(sandbox, 'sort=signal_score_desc')).map(({ signal_score }) =>
      Number(signal_score),
    );
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(ids(await sandbox.ask('/investor-interest?sort=signal_date_desc'))).toEqual(
      ids(await sandbox.ask('/investor-interest')),
    );
    expect((await sandbox.ask('/investor-interest?sort=best')).status).toBe(422);
  });
});

describe('dates', () => {
  it.for(['', `search_id=${searches.globalTalent}`, `list_id=${lists.people.shared}`])(
    'bound the feed on both sides, both included: %s',
    async (scope, { service: sandbox }) => {
      const all = await everything(sandbox, scope);
      const day = String(all[Math.floor(all.length / 2)]?.signal_date);
      const within = await everything(
        sandbox,
        `${scope}&signal_date_after=${day}&signal_date_before=${day}`,
      );
      expect(within).toEqual(all.filter(({ signal_date }) => signal_date === day));
      const from = await everything(
        sandbox,
        `${scope}&signal_date_after=${day}&sort=signal_date_asc`,
      );
      expect(from).toHaveLength(all.filter(({ signal_date }) => String(signal_date) >= day).length);
      const until = await everything(sandbox, `${scope}&signal_date_before=${day}`);
      expect(until).toEqual(all.filter(({ signal_date }) => String(signal_date) <= day));
    },
  );

  it('may lie outside the data or exclude each other', async ({ ask }) => {
    const crossed = 'signal_date_after=2026-06-02&signal_date_before=2026-06-01';
    for (const query of [
      'signal_date_after=2030-01-01',
      'signal_date_before=1999-12-31',
      crossed,
    ]) {
      expect(await ask(`/investor-interest?${query}`)).toMatchObject({ status: 200, json: [] });
    }
    expect(
      records(
        await ask('/investor-interest?signal_date_after=1999-01-01&signal_date_before=2030-01-01'),
      ),
    ).toHaveLength(50);
  });

  it.for(['2026-02-30', '2026-13-01', '2026-6-1', '20260601', 'yesterday', ''])(
    '422 for %j',
    async (date, { ask }) => {
      expect((await ask(`/investor-interest?signal_date_after=${date}`)).status).toBe(422);
      expect((await ask(`/investor-interest?signal_date_before=${date}`)).status).toBe(422);
    },
  );
});

describe('scopes', () => {
  it('serve the signals of a saved search', async () => {
    const signals = await everything(await start(), `search_id=${searches.talent}`);
    expect(signals.length).toBeGreaterThan(50);
    expect(
      signals.every(
        ({ signal_type, signal_score }) => signal_type === 'Talent' && Number(signal_score) >= 6,
      ),
    ).toBe(true);
  });

  it.for([
    ['companies', lists.companies.shared, 'company', 'name'],
    ['people', lists.people.shared, 'person', 'full_name'],
  ] as const)(
    'serve the signals of the members of a list of %s, with or without entity id',
    async ([_kind, list, field, name], { service: sandbox }) => {
      const numberOf = (signal: Record<string, unknown>) => {
        const subject = new Map(Object.entries(Object(signal[field])));
        return Number(/\d+/.exec(String(subject.get(name)))?.[0] ?? Number.NaN);
      };
      const expected = (await everything(sandbox)).filter((signal) => numberOf(signal) <= 8);
      const signals = await everything(sandbox, `list_id=${list}`);
      expect(signals).toEqual(expected);
      expect(signals.filter(({ entity_id }) => entity_id === undefined).length).toBeGreaterThan(0);
    },
  );

  it('follow a list as it is modified', async ({ service: sandbox }) => {
    const path = `/lists/people/${lists.people.empty}`;
    expect(await everything(sandbox, `list_id=${lists.people.empty}`)).toEqual([]);
    await sandbox.ask(path, { method: 'PATCH', body: { add_ids: ['per_sample1'] } });
    const signals = await everything(sandbox, `list_id=${lists.people.empty}`);
    expect(signals.length).toBeGreaterThan(0);
    expect(entitiesOf(signals).filter((id) => id !== undefined)).toEqual(['per_sample1']);
    const profile = (await sandbox.ask('/people/per_sample1')).json;
    expect(profile).toMatchObject({
      investor_signal_ids: signals.map(({ signal_id }) => signal_id),
    });
  });

  it('let search_id win over list_id', async ({ ask }) => {
    const alone = await ask(`/investor-interest?search_id=${searches.fundingRounds}`);
    const both = await ask(
      `/investor-interest?search_id=${searches.fundingRounds}&list_id=${lists.people.unknown}`,
    );
    expect(both.json).toEqual(alone.json);
    expect(
      (await ask(`/investor-interest?list_id=${lists.people.shared}&search_id=${searches.unknown}`))
        .status,
    ).toBe(404);
  });

  it.each([
    [`search_id=${searches.unknown}`, 404],
    [`search_id=${searches.hiddenTalent}`, 404],
    ['search_id=abc', 404],
    ['search_id=', 404],
    [`search_id=${searches.broken}`, 500],
    [`search_id=${searches.empty}`, 200],
    [`list_id=${lists.people.unknown}`, 404],
    [`list_id=${lists.people.teamOnly}`, 404],
    ['list_id=not-a-uuid', 404],
    [`list_id=${lists.people.empty}`, 200],
    [`list_id=${lists.companies.global}`, 200],
    [`list_id=${lists.investors.created}`, 200],
    [`list_id=${lists.people.shared.toUpperCase()}`, 200],
  ])('%s is answered %i', async (query, status) => {
    const answer = await (await start()).ask(`/investor-interest?${query}`);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.json).toEqual({ message: expect.stringMatching(/\w/) });
  });
});

it('has both types of signal, some of either without entity id', async () => {
  const all = await everything(await start());
  for (const [type, field, other] of [
    ['Company', 'company', 'person'],
    ['Talent', 'person', 'company'],
  ]) {
    const ofType = all.filter(({ signal_type }) => signal_type === type);
    expect(
      ofType.every(
        (signal) => signal[field ?? ''] !== undefined && signal[other ?? ''] === undefined,
      ),
    ).toBe(true);
    const anonymous = ofType.filter((signal) => signal.entity_id === undefined);
    expect(anonymous.length).toBeGreaterThan(0);
    expect(anonymous.length).toBeLessThan(ofType.length);
  }
});

describe('today', () => {
  it('is the day of the newest signal, goes on while it runs, and changes nothing that was there', async () => {
    const midnight = Date.parse('2031-05-06');
    let now = midnight - 1;
    const service = await start({ today: undefined, now: () => now });
    const before = await everything(service);
    now = midnight;
    const after = await everything(service);
    expect([before[0]?.signal_date, after[0]?.signal_date]).toEqual(['2031-05-05', '2031-05-06']);
    expect(after.slice(4)).toEqual(before.slice(0, -4));
  });

  it('has two signals where two are made at once', () => {
    const world = createWorld({ now: () => Date.parse('2031-05-06') });
    expect(world.makeSignal().signal_id).not.toBe(world.makeSignal().signal_id);
  });

  it.each([120, 1000])(
    'any day has signals of its own, and the first of each list some of the week: %i people',
    (people) => {
      for (let days = 0; days < 400; days += 5) {
        const today = addDays('2026-11-29', days);
        const world = createWorld({ today, people });
        for (const scope of [
          {},
          { list_id: lists.people.shared },
          { list_id: lists.companies.shared },
          { search_id: searches.talent },
        ]) {
          const query = {
            ...scope,
            signal_date_after: addDays(today, Object.keys(scope).length * -7),
          };
          expect(
            prepare('readInvestorInterest', { path: {}, query }, world)().body,
            today,
          ).not.toEqual([]);
        }
      }
    },
  );
});
