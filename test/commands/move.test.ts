/** A book is copied into another, whichever engines keep them: afterwards the copy says and buys what the first one would. */
import { symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyBookmark } from '../../src/book/bookmark.ts';
import type { BookContent } from '../../src/book/content.ts';
import { openBook } from '../../src/book/open-book.ts';
import { bookOptions, callsAt, changedByHand } from '../book/places.ts';
import { gate } from '../support/later.ts';
import type { Handler } from '../support/origin.ts';
import { Cluster, needsPostgres, passage } from '../support/postgres.ts';
import { dated, feedPage, idIn } from '../support/records.ts';
import {
  errorOf,
  expectMistake,
  keeping,
  linesFile,
  newFile,
  objectOf,
  origin,
  pdi as program,
  recordsOf,
} from '../support/service.ts';

const signals = dated(0, 60);

/** Each name is the number of its request. */
const answer: Handler = ({ path }, response, count) => {
  if (!path.includes('/people/')) return { json: feedPage(path, signals) };
  const id = idIn(path);
  if (id === 'per_lost') return void response.destroy();
  return id === 'per_none'
    ? { status: 404, json: { error: 'no' } }
    : { json: { person_id: id, full_name: String(count) } };
};

/** A service of persons and signals, and the program with another book at each address. */
async function office(handler: Handler = answer) {
  const { pdi, service } = await keeping(origin(handler));
  const at = (book: string, env = {}) => ({
    run: (words: string | readonly string[]) => pdi(words, { env: { PDI_BOOK: book, ...env } }),
  });
  return { at, service };
}

const by = 'day,month,command,profile,user,host,file';
/** All that a book tells, but for where it is. */
async function told(book: string): Promise<unknown> {
  const ask = async (words: string) => {
    const { stdout, stderr } = await program([...words.split(' '), '-o', 'json'], {
      env: { PDI_BOOK: book, PDI_BUDGET: '500/month,400/day', PDI_BASE_URL: 'http://127.0.0.1:9' },
    });
    return [stdout, stderr].join('\n').replaceAll(book, 'BOOK');
  };
  const words = [
    ...[
      `spend --by ${by}`,
      `spend --sandbox --by ${by}`,
      'spend --id per_1',
      'spend --id per_lost',
    ],
    ...['store', 'bookmarks', 'bookmarks --sandbox'],
  ];
  return Promise.all(words.map(ask));
}

const server = { variables: {}, platform: 'linux', home: undefined };
const opened = (path: string) =>
  openBook(bookOptions({ path, ...(path.startsWith('postgres:') && { server }) }));

const move = (...books: readonly string[]) => program(['book', 'move', ...books]);

const into = async (from: string, to: string) => {
  const { code, stdout, stderr } = await move(from, to);
  expect(code, stderr).toBe(0);
  return { ...JSON.parse(stdout), stderr };
};

it('copies the book in use where one is named, and says what to do next; FROM may be no book', async () => {
  const { at } = await office();
  const [from, to] = [newFile('from.db'), newFile('to.db')];
  expectMistake(await move(from, to), 2, `there is no book at ${from}`);
  await at(from).run('person per_1 per_2 -q');
  const moved = await at(from).run(['book', 'move', to]);
  expect(objectOf(moved)).toEqual({ from, to, calls: 2, answers: 2, bookmarks: 0 });
  expect(moved.stderr).toBe(
    `{"notice":"${from} is left as it is: \`pdi config set book ${to}\` makes pdi use the copy"}\n`,
  );
  expect(await told(to)).toEqual(await told(from));
});

it('copies as lost what a killed run had under way', async () => {
  const { at } = await office();
  const [from, to] = [newFile('from.db'), newFile('to.db')];
  await at(from).run('person per_1 -q');
  await changedByHand(
    from,
    `INSERT INTO run (id, token, host, pid, began) VALUES (99, 'x', 'h', 1, 0);
     INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing)
       SELECT 99, source, 'other', at, max_age, 'sent', operation, 'per_2', billing FROM call`,
  );
  expect(await into(from, to)).toMatchObject({ calls: 2, answers: 1 });
  expect(await told(to)).toEqual(await told(from));
  expect(await callsAt(to, 'lost')).toBe(1);
});

describe('with PostgreSQL', needsPostgres, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());
  let databases = 0;
  const newDatabase = (): string => {
    databases += 1;
    cluster.sql(`CREATE DATABASE book${databases}`);
    return cluster.url('postgres', `book${databases}`);
  };
  const engines = [
    ['a file', () => newFile('team.db')],
    ['PostgreSQL', newDatabase],
  ] as const;

  it('goes from any engine into any', async () => {
    const { at, service } = await office();
    const first = newFile('first.db');
    const [done, job] = [newFile('done.csv'), linesFile(['per_4', 'per_5'])];
    const finish = (book: string) => at(book).run(['person', '-i', job, '--out', done]);
    await at(first).run('person per_1 per_2 per_none per_lost');
    await at(first).run('person per_3 --tag monday');
    await finish(first);
    await at(first).run('revenue company-1 --sandbox');
    const feed = 'feed --since-last --after 2026-06-28';
    await at(first, { PATH: process.env.PATH }).run(`${feed} --deliver false`);
    const said = await told(first);
    const books = [first, newFile('second.db'), newDatabase(), newDatabase(), newFile('last.db')];
    const { length } = service.requests;
    for (const [place, book] of books.slice(1).entries()) {
      expect(await into(books[place] ?? '', book)).toMatchObject({ calls: 10, bookmarks: 1 });
      expect(await told(book)).toEqual(said);
      expect((await finish(book)).stderr).toContain('nothing to do');
      expect((await at(book).run('person per_1 per_none per_lost')).code).toBe(8);
      const bought = await at(book).run('person per_9 --budget 7/month');
      expect([bought.code, bought.stderr]).toEqual([7, expect.stringContaining('used up')]);
    }
    expect(service.requests.length).toBe(length);
    const { stdout } = await at(books.at(-1) ?? '').run(`${feed} -o ndjson`);
    expect(recordsOf(stdout).slice(0, 60)).toEqual(signals);
  });

  it('carries the earlier answers to a question', async () => {
    const { at } = await office();
    const books = [newFile('first.db'), newDatabase(), newDatabase(), newFile('last.db')];
    const env = { PDI_KEEP_VERSIONS: '2' };
    const versions = (book = '') =>
      at(book, env).run('store export person --all-versions -o csv --no-header --fields full_name');
    for (let bought = 0; bought < 3; bought += 1)
      await at(books[0] ?? '', env).run('person per_1 --fresh -q');
    for (const [place, book] of books.slice(1).entries()) {
      expect(await into(books[place] ?? '', book)).toMatchObject({ calls: 3, answers: 2 });
      expect((await versions(book)).stdout).toBe('2\r\n3\r\n');
    }
    await at(books.at(-1) ?? '', env).run('person per_1 --fresh -q');
    expect((await versions(books.at(-1))).stdout).toBe('3\r\n4\r\n');
  });

  it.each(engines)('is merged into %s: of two answers the newer stays', async (_, newBook) => {
    const { at, service } = await office();
    const [a, b] = [newFile('a.db'), newFile('b.db')];
    await at(a).run('person per_1 per_2 -q');
    await at(b).run('person per_2 per_3 per_lost -q');
    const [team, other] = [newBook(), newBook()];
    expect(await into(a, team)).toMatchObject({ calls: 2, answers: 2 });
    expect(await into(b, team)).toMatchObject({ calls: 3, answers: 2 });
    await into(b, other);
    expect(await into(a, other)).toMatchObject({ calls: 2, answers: 1 });
    expect(await told(team)).toEqual(await told(other));
    const { length } = service.requests;
    const { stdout } = await at(team).run('person per_1 per_2 per_3 -q -o ndjson');
    expect(recordsOf(stdout).map(({ full_name }) => full_name)).toEqual(['1', '3', '4']);
    expect(service.requests.length).toBe(length);
  });

  it.each(engines)(
    'is refused by %s where it was moved there already, or a bookmark is in both',
    async (_, newBook) => {
      const { at } = await office();
      const [from, other, to] = [newFile('from.db'), newFile('other.db'), newBook()];
      await at(from).run('person per_1 -q');
      await at(other).run('feed --since-last daily -q');
      await into(other, to);
      await into(from, to);
      const said = await told(to);
      await at(from).run('person per_2 -q');
      expectMistake(
        await move(from, to),
        2,
        `${from} was moved there already: ${to} has its calls`,
      );
      expectMistake(await move(other, to), 2, `${to} has a bookmark of this name too: daily`);
      expect(await told(to)).toEqual(said);
    },
  );

  it.each(engines)('is refused where it is the same book, or in use: %s', async (_, newBook) => {
    const { opened: isReleased, open: release } = gate();
    const { opened: asked, open: arrived } = gate();
    const { at } = await office(async (...request) => {
      if (!request[0].path.endsWith('per_slow')) return answer(...request);
      arrived();
      await isReleased;
      return answer(...request);
    });
    const [book, file] = [newBook(), newFile('file.db')];
    await at(file).run('person per_1 -q');
    const alias = book.startsWith('postgres')
      ? `${book.replace('127.0.0.1', '')}?host=${cluster.folder}`
      : newFile('alias.db');
    if (alias !== book && !alias.startsWith('postgres')) symlinkSync(book, alias);
    const running = at(book).run('person per_slow');
    await asked;
    for (const books of [
      [book, newFile('new.db')],
      [file, book],
    ])
      expectMistake(await move(...books), 2, `the book ${book} is in use by process`);
    release();
    await running;
    const held = await opened(book);
    await held
      .bookmarks(false)
      .save({ name: 'daily', scope: {}, savedAt: '', bookmark: emptyBookmark });
    const lock = await held.bookmarks(false).take('daily');
    expectMistake(await move(book, newFile('new.db')), 2, 'the bookmark daily is in use');
    lock.release();
    await held.close();
    expectMistake(await move(book, alias), 2, 'are the same book');
  });

  it('asks nothing on another connection than that of the transaction', async () => {
    const { port, cut } = await passage(cluster.port);
    const to = new URL(newDatabase());
    const path = Object.assign(new URL(to), { port: String(port) }).href;
    const book = await opened(path);
    const row = { bookmark: 'daily', sandbox: 0, record: '{}' };
    const work = async (content: BookContent) => {
      await content.add('outbox', [{ ...row, place: 1 }]);
      cut();
      for (const place of [2, 3]) await content.add('outbox', [{ ...row, place }]).catch(() => {});
    };
    await expect(book.whole(work)).rejects.toThrow('the connection was closed');
    await book.close();
    expect(cluster.sql('SELECT count(*) FROM pdi.outbox', to.pathname.slice(1))).toBe('0');
  });

  it('leaves TO as it was where its server goes away', async () => {
    const { at } = await office();
    const from = newFile('from.db');
    const to = new URL(newDatabase());
    await at(from).run('person per_1 per_2 -q');
    const { port, events, cut } = await passage(cluster.port);
    events.on('sent', (text: string) => text.includes('INTO pdi.answer') && cut());
    const way = Object.assign(new URL(to), { port: String(port) }).href;
    const result = await program(['book', 'move', from, way, '--max-wait', '1']);
    expect([result.code, result.stdout]).toEqual([5, '']);
    expect(errorOf(result).hint).toContain(`nothing of it is in ${way}`);
    expect(await told(to.href)).toEqual(await told(newFile('new.db')));
  });
});
