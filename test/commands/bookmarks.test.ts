import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { dated, feedPage, idsIn } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import {
  arrayOf,
  errorOf,
  origin,
  pdi as program,
  rowsOf,
  saidBy,
  spoilBook,
} from '../support/service.ts';

/** A home with the bookmark `daily` of a feed that was read whole. */
async function read(count: number) {
  const { service, pdi, home } = await origin(({ path }) => ({
    json: feedPage(path, dated(0, count)),
  }));
  const next = async () =>
    idsIn((await pdi('feed --since-last daily --after 0001-01-01 -o ndjson')).stdout);
  expect(await next()).toHaveLength(count);
  return { service, home, next };
}

describe('pdi bookmarks', () => {
  it('says that there is none, and what makes one', async () => {
    const { code, stdout, stderr } = await program('bookmarks -o table', { home: newFolder() });
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      'pdi: there is no bookmark; `pdi feed --since-last NAME` makes one\n',
    ]);
  });

  it('shows how far each has come, and of which feed it is, without a call', async () => {
    const { service, home } = await read(120);
    const before = service.requests.length;
    expect(arrayOf(await program('bookmarks', { home }))).toEqual([
      {
        name: 'daily',
        newest: '2026-06-30',
        unread: '',
        to_count: '',
        waiting: 0,
        saved_at: expect.stringMatching(/^\d{4}-/),
        base_url: service.baseUrl,
        signals: 20,
        bytes: expect.any(Number),
        book: join(home, 'state/pdi/book.db'),
      },
    ]);
    expect(rowsOf((await program('bookmarks -o csv', { home })).stdout)).toMatchObject([
      { name: 'daily', search: '' },
    ]);
    expect((await program('bookmarks -o table', { home })).stdout).toMatch(/newest +2026-06-30/);
    expect(service.requests.length).toBe(before);
  });

  it('has no column in a table for what is not needed every day', async () => {
    const { pdi } = await origin(() => ({ json: dated(0, 3) }));
    const { home } = await pdi('feed --since-last daily --after 0001-01-01 --sort score -o ndjson');
    // Its signals are those of its order.
    expect((await pdi('feed --since-last daily -o ndjson', { home })).code).toBe(2);
    await pdi('feed --since-last other --after 0001-01-01 --sort date -o ndjson', { home });
    const [header] = (await program('bookmarks -o table', { home })).stdout.split('\n');
    expect(header?.trim().split(/\s+/)).toEqual([
      'name',
      'newest',
      'waiting',
      'saved_at',
      'base_url',
    ]);
  });

  it('shows the others where one is damaged, and what to do about that one', async () => {
    const { home } = await read(3);
    const { pdi } = await origin(() => ({ json: dated(0, 3) }));
    for (const name of ['a', 'z']) await pdi(`feed --since-last ${name}`, { home });
    await spoilBook(
      { home },
      `UPDATE bookmark SET state = replace(state, '"gaps"', '"gap"') WHERE name = 'daily'`,
    );
    const damaged = await program('bookmarks', { home });
    expect([damaged.code, arrayOf(damaged).map(({ name }) => name)]).toEqual([1, ['a', 'z']]);
    expect(errorOf(damaged)).toMatchObject({
      message: 'the bookmark daily in the book is damaged',
      hint: '`pdi bookmarks reset daily` removes it: the next run begins it a week ago, or where --after says',
    });
    await program('bookmarks reset daily', { home });
    expect((await program('bookmarks', { home })).code).toBe(0);
  });

  it('keeps those of the sandbox apart', async () => {
    const { home } = await read(3);
    await program('--sandbox feed --all --since-last tried -o ndjson', { home });
    expect(arrayOf(await program('bookmarks', { home })).map(({ name }) => name)).toEqual([
      'daily',
    ]);
    expect(arrayOf(await program('--sandbox bookmarks', { home })).map(({ name }) => name)).toEqual(
      ['tried'],
    );
  });
});

describe('pdi bookmarks reset', () => {
  it('without a day: the next run begins anew', async () => {
    const { home, next } = await read(60);
    expect(await next()).toEqual([]);
    const result = await program('bookmarks reset daily', { home });
    const notice =
      'the bookmark daily is forgotten: the next run begins it a week ago, or where --after says';
    expect([result.code, saidBy(result)]).toEqual([0, [{ notice }]]);
    expect(await next()).toHaveLength(60);
  });

  it('--to a day: what is of that day or later is delivered again, and no older', async () => {
    const { home, next, service } = await read(400);
    await program('bookmarks reset daily --to 2026-06-20', { home });
    const before = service.requests.length;
    expect(await next()).toEqual(dated(0, 220).map(({ signal_id }) => signal_id));
    expect(service.requests[before]?.path).toContain(
      '?signal_date_after=2026-06-20&page=0&limit=50',
    );
    expect(await next()).toEqual([]);
    expect((await program('bookmarks reset daily --to today', { home })).code).toBe(0);
  });

  it.each([
    ['bookmarks reset weekly', 'there is no bookmark'],
    ['bookmarks reset ../daily', 'there is no bookmark'],
    ['bookmarks reset daily --to 2999-01-01', 'is still to come'],
    ['bookmarks reset daily --to soon', 'expected a day'],
    ['bookmarks reset', 'name'],
  ])('%s: exit 2, and nothing is changed', async (line, words) => {
    const { home, next } = await read(3);
    const result = await program(line, { home });
    expect([result.code, errorOf(result).message]).toEqual([2, expect.stringContaining(words)]);
    expect(await next()).toEqual([]);
  });

  it('is refused while a run uses the bookmark', async ({ pdi }) => {
    const argv = 'feed --all --since-last daily --limit 5 -o ndjson';
    let refused: Promise<{ code: number }> | undefined;
    await pdi(argv);
    const onStderr = () => {
      refused ??= pdi('bookmarks reset daily');
    };
    await pdi(`${argv} --verbose`, { onStderr });
    expect((await refused)?.code).toBe(2);
  });
});
