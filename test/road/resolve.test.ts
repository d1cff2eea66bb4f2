import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Handler } from '../support/origin.ts';
import { groupOf, itemsIn, malformed } from '../support/records.ts';
import { linesFile, origin, rowsOf, saidBy, statusesOf } from '../support/service.ts';

const slugs = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `slug-${index}`);

/** Answers each item; items that say `malformed` spoil their batch, as only the service can tell. */
const resolving: Handler = ({ body }): Answer => {
  const items = itemsIn(body);
  if (items.some((item) => String(Object.values(item)[0]).startsWith('malformed')))
    return malformed;
  return { json: items.map(groupOf) };
};

const statusAndId = (stdout: string) =>
  rowsOf(stdout).map((row) => [
    row.input,
    row.pdi_status,
    row['matches.0.person_id'] ?? row.person_id,
  ]);

describe('the resolver', () => {
  it.each(['csv', 'ndjson'])(
    'gives a row that asks again the same answer, digit for digit, however it is written (%s)',
    async (format) => {
      const number = '90071992547409931234';
      const found = `{"query": {"profnet_num_id": ${number}}, "matches": [{"person_id": "per_1", "profnet_num_id": 1.50}]}`;
      const indented = `[\n ${found},\n {"query": {"profnet_id": "b"}, "matches": []}\n]\n`;
      for (const text of [indented, indented.replace(/\s/g, '')]) {
        const { service, pdi } = await origin(() => ({ text }));
        const { stdout } = await pdi([
          'resolve',
          '-i',
          linesFile([number, 'b', number, 'b', number]),
          '-o',
          format,
        ]);
        const [first, second, ...again] = stdout.trimEnd().split(/\r?\n/).slice(-5);
        expect(again).toEqual([first, second, first]);
        expect(first).toContain(number);
        expect(first?.includes('1.50')).toBe(format === 'ndjson');
        expect(service.requests).toHaveLength(1);
      }
    },
  );
});

describe('a batch that the service refuses', () => {
  it('is split until the culprits stand alone, wherever they are, in few requests', async () => {
    const { service, pdi } = await origin(resolving);
    const places = fc.uniqueArray(fc.integer({ min: 0, max: 129 }), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(places, async (bad) => {
        const before = service.requests.length;
        const written = slugs(130).map((slug, index) =>
          bad.includes(index) ? `malformed-${index}` : slug,
        );
        const result = await pdi(`resolve -i ${linesFile(written)} -o csv`);
        const expected = written.map((text) =>
          text.startsWith('slug') ? [text, 'ok', `per_${text}`] : [text, 'invalid', ''],
        );
        expect(statusAndId(result.stdout)).toEqual(expected);
        expect(result.code).toBe(8);
        expect(result.stderr).toContain(
          '130 rows: 128 ok, 2 invalid; reasons: 2 the request was refused as malformed (422); 0 calls billed',
        );
        expect(service.requests.length - before).toBeLessThanOrEqual(30);
      }),
      { numRuns: 10, examples: [[[0, 129]], [[24, 25]], [[49, 50]], [[0, 1]]] },
    );
  });

  it('is split where the refusal is a 400, which no document gives', async () => {
    const refused: Answer = {
      status: 400,
      json: { errorCode: 'BAD_REQUEST', message: 'no such value' },
    };
    const { pdi } = await origin((...request) =>
      /malformed/.test(request[0].body) ? refused : resolving(...request),
    );
    const written = slugs(1000).map((slug, at) => (at % 60 === 7 ? `malformed-${at}` : slug));
    const result = await pdi(`resolve -i ${linesFile(written)} -o csv`);
    const expected = written.map((text) =>
      text.startsWith('slug') ? [text, 'ok', `per_${text}`] : [text, 'invalid', ''],
    );
    expect([result.code, statusAndId(result.stdout)]).toEqual([8, expected]);
  });

  it('is split where a gateway takes no request of its size', async () => {
    const tooLarge: Answer = {
      status: 413,
      text: '<html><title>413 Request Entity Too Large</title></html>',
    };
    const { pdi } = await origin((...request) =>
      itemsIn(request[0].body).length > 20 ? tooLarge : resolving(...request),
    );
    const result = await pdi(['resolve', '-i', linesFile(slugs(1000)), '-o', 'csv']);
    expect([result.code, new Set(statusesOf(result.stdout))]).toEqual([0, new Set(['ok'])]);
  });

  it('is not split for long where every request gets a 400: a large job makes hardly more requests', async () => {
    const { service, pdi } = await origin(() => ({
      status: 400,
      json: { errorCode: 'BAD_REQUEST', message: 'no' },
    }));
    const result = await pdi(['resolve', '-i', linesFile(slugs(5000)), '-o', 'csv']);
    expect([...new Set(statusesOf(result.stdout))]).toEqual(['invalid']);
    expect(service.requests.length).toBeLessThan(200);
  });

  it('leaves every row invalid where everything is refused, and says why', async () => {
    const { service, pdi } = await origin(() => malformed);
    const result = await pdi(['resolve', '-i', linesFile(slugs(4)), '-o', 'csv']);
    expect(result.code).toBe(8);
    expect(statusesOf(result.stdout)).toEqual(['invalid', 'invalid', 'invalid', 'invalid']);
    expect(result.stdout).toContain('an item is malformed');
    expect(service.requests).toHaveLength(7);
  });
});

describe('a 404 of the whole request', () => {
  const notThere: Handler = () => ({ status: 404, json: { message: 'no such route' } });

  it('is no missing match: every row is failed and told to check the base URL', async () => {
    const { pdi } = await origin(notThere);
    const result = await pdi(['resolve', '-i', linesFile(slugs(60)), '-o', 'csv']);
    const rows = rowsOf(result.stdout);
    expect([result.code, rows.length]).toEqual([8, 60]);
    expect([
      ...new Set(rows.map(({ pdi_status, pdi_error }) => `${pdi_status}: ${pdi_error}`)),
    ]).toEqual([
      'failed: not found (404): no such route; check that the base URL is the versioned root of the API (…/api/v1)',
    ]);
  });
});

it('a group of another shape fails its own row, and no other of its batch', async () => {
  const odd: readonly unknown[] = [{ profnet_id: 3 }, 'slug-1', null, []];
  const { pdi } = await origin(({ body }) => ({
    json: [
      ...itemsIn(body)
        .slice(0, 4)
        .map((item, at) => ({ ...groupOf(item), query: odd[at] })),
      { query: itemsIn(body)[4], matches: null },
      { query: itemsIn(body)[5] },
      'no group',
      ...itemsIn(body).slice(7).map(groupOf),
    ],
  }));
  const result = await pdi(['resolve', '-i', linesFile(slugs(9)), '-o', 'csv']);
  expect(statusesOf(result.stdout)).toEqual([...Array<string>(7).fill('failed'), 'ok', 'ok']);
  expect(rowsOf(result.stdout).map(({ pdi_error }) => pdi_error)).toEqual([
    ...['3', 'none', 'none', 'none'].map(
      (echo) => `the answer is about another identifier: ${echo}`,
    ),
    'the field "matches" should be an array, and is null',
    'the field "matches" should be an array, and is missing',
    'the answer is about another identifier: none',
    ...['', ''],
  ]);
  expect(result.code).toBe(8);
});

describe('an answer that does not fit its request', () => {
  const other = { query: { profnet_id: 'someone-else' }, matches: [{ person_id: 'per_wrong' }] };
  it.each<
    [words: string, code: number, answer: (items: ReturnType<typeof itemsIn>) => readonly unknown[]]
  >([
    ['in another order', 8, (items) => items.map(groupOf).reverse()],
    ['rotated by one', 8, (items) => [...items.slice(1), ...items.slice(0, 1)].map(groupOf)],
    ['with a group missing', 5, (items) => items.slice(1).map(groupOf)],
    ['with the last group missing', 5, (items) => items.slice(0, -1).map(groupOf)],
    ['with a group too many', 5, (items) => [...items.map(groupOf), other]],
    ['with another value echoed', 8, (items) => [...items.slice(1).map(groupOf), other]],
    [
      'with another field beside the echo',
      8,
      (items) => items.map((query) => groupOf({ ...query, profnet_urn: 'urn:x:1' })),
    ],
    ['with the echo empty', 8, (items) => items.map((query) => ({ ...groupOf(query), query: {} }))],
    ['empty', 5, () => []],
  ])('%s is an error and never a wrong row', async (_words, code, answer) => {
    const { pdi } = await origin(({ body }) => ({ json: answer(itemsIn(body)) }));
    const result = await pdi(['resolve', '-i', linesFile(slugs(8)), '-o', 'csv']);
    expect([
      ...new Set(
        rowsOf(result.stdout).map(
          (row) => `${row.pdi_status} ${row['matches.0.person_id'] ?? row.person_id}`,
        ),
      ),
    ]).toEqual(['failed ']);
    expect(rowsOf(result.stdout)).toHaveLength(8);
    expect(result.stdout).not.toContain('per_');
    expect(result.code).toBe(code);
    const alone = await pdi('resolve slug-0 slug-1 -o ndjson');
    expect(alone.stdout).not.toContain('per_');
  });

  it('fails the one row whose echo is another identifier, and names it', async () => {
    // Reads numbers as doubles, and says which it looked for.
    const { pdi } = await origin(({ body }) => ({ json: itemsIn(body).map(groupOf) }));
    const rows = [...slugs(60), '90071992547409931', ...slugs(60).map((slug) => `${slug}-b`)];
    const result = await pdi(`resolve -i ${linesFile(rows)} -o csv --on-error continue`);
    const bad = rowsOf(result.stdout).filter(({ pdi_status }) => pdi_status !== 'ok');
    expect([result.code, bad.length]).toEqual([8, 1]);
    expect(bad[0]).toMatchObject({
      input: '90071992547409931',
      pdi_status: 'failed',
      pdi_error: 'the answer is about another identifier: 90071992547409940',
    });
    const one = await pdi('resolve 90071992547409931 -o json');
    expect(saidBy(one)).toEqual([
      { error: expect.objectContaining({ code: 'unavailable', item: '90071992547409931' }) },
    ]);
  });

  it('does not end the run, however many rows it fails', async () => {
    const { pdi } = await origin(({ body }) => ({
      json: itemsIn(body).map((query, place) =>
        groupOf(place < 30 ? { profnet_id: 'someone-else' } : query),
      ),
    }));
    const result = await pdi([
      'resolve',
      '-i',
      linesFile(slugs(150)),
      '-o',
      'csv',
      '--concurrency',
      '1',
    ]);
    const statuses = statusesOf(result.stdout);
    expect([result.code, statuses]).toEqual([
      8,
      slugs(150).map((_, index) => (index % 50 < 30 ? 'failed' : 'ok')),
    ]);
  });

  it('with a group missing fails its own batch only', async () => {
    const { pdi } = await origin(({ body }) => {
      const items = itemsIn(body);
      return {
        json: items.some(({ profnet_id }) => profnet_id === 'slug-60')
          ? items.slice(1).map(groupOf)
          : items.map(groupOf),
      };
    });
    const result = await pdi(['resolve', '-i', linesFile(slugs(130)), '-o', 'csv']);
    const statuses = statusesOf(result.stdout);
    expect(statuses).toEqual(
      slugs(130).map((_, index) => (index >= 50 && index < 100 ? 'failed' : 'ok')),
    );
  });

  it.each([
    ['fields that nobody documented', { trace: 'x-1', kind: 'id' }],
    [
      'null for the identifiers that were not given',
      { profnet_url: null, profnet_num_id: null, profnet_urn: null },
    ],
  ])('may echo %s', async (_words, more) => {
    const { pdi } = await origin(({ body }) => ({
      json: itemsIn(body).map((query) => ({ ...groupOf(query), query: { ...query, ...more } })),
    }));
    const { code, stdout } = await pdi('resolve a b -o csv');
    expect([code, ...statusAndId(stdout)]).toEqual([0, ['a', 'ok', 'per_a'], ['b', 'ok', 'per_b']]);
  });
});
