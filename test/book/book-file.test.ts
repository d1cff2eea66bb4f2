/** The file of the book: made once, brought up to date, waited for, mended; and what the death of a run leaves in it. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { BookFile, openBookFile } from '../../src/book/book-file.ts';
import { Cap } from '../../src/book/budget.ts';
import { keyOf, ownerName, roomForAnswer, type Taken } from '../../src/book/calls.ts';
import { SqliteReports } from '../../src/book/sqlite-reports.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import { attempt } from '../../src/errors.ts';
import { lockNow } from '../../src/files/lock.ts';
import { type OpenDatabase, sqliteEngine } from '../../src/files/sqlite.ts';
import { actors } from '../support/actor.ts';
import { failureOf } from '../support/failure.ts';
import { withoutLocks } from '../support/locks.ts';
import { needsProgram } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import {
  bookOf,
  bookOptions,
  callsAt,
  changedByHand,
  countIn,
  facts,
  newBookPath,
  noon,
  settle,
  ticketOf,
} from './places.ts';

const operation = 'GET /people/{personId}';
const key = keyOf(ownerName(facts.owner), { operation, item: 'per_1' });
const call = { key, operation, item: 'per_1', billing: 'charged', maxAge: 3_600_000 } as const;

/** A book with a call that is under way. */
async function asking(more: Parameters<typeof bookOf>[0] = {}) {
  const path = newBookPath();
  const book = await bookOf({ path, ...more });
  return { path, book, ticket: ticketOf(await book.take(call)) };
}

it('undoes a transaction that fails, whole', async () => {
  const file = await openBookFile(bookOptions());
  const bug = new TypeError('a bug');
  const failing = file.transaction(() => {
    file.run("INSERT INTO owner (name, base_url) VALUES ('a', 'b')");
    throw bug;
  });
  await expect(failing).rejects.toBe(bug);
  expect(countIn(file, 'SELECT count(*) AS count FROM owner')).toBe(0);
  await file.transaction(() => file.run("INSERT INTO owner (name, base_url) VALUES ('a', 'b')"));
  expect(countIn(file, 'SELECT count(*) AS count FROM owner')).toBe(1);
  file.close();
});

it('a look sees what others write after a transaction that was refused', async () => {
  const { act } = await actors();
  const path = newBookPath();
  const one = await bookOf({ path, patienceMs: 20 });
  const other = await bookOf({ path });
  const holder = await act('hold', path);
  await failureOf(() => one.take({ ...call, key: 'another' }));
  await holder.kill();
  await settle(other, ticketOf(await other.take(call)));
  expect(one.kept(call)).toMatchObject({ body: '{}' });
  expect(Object.keys(await one.take({ ...call, key: 'another' }))).toEqual(['ticket']);
});

it('what is kept is shown while another process writes, without what is past its age', async () => {
  const { act } = await actors();
  const options = bookOptions({ path: newBookPath(), patienceMs: 20 });
  const book = await bookOf(options);
  await settle(book, ticketOf(await book.take(call)));
  await settle(book, ticketOf(await book.take({ ...call, key: 'bought later' })), {
    at: noon + 1000,
    body: '[1]',
  });
  const holder = await act('hold', options.path);
  const file = await openBookFile(options);
  const reports = new SqliteReports(file);
  const [kept, later, last] = [
    await reports.keptAnswers(noon),
    await reports.keptAnswers(noon + call.maxAge),
    await reports.keptAnswers(noon * 2),
  ];
  file.close();
  await holder.kill();
  const [first, second] = [noon, noon + 1000].map((at) => new Date(at).toISOString());
  expect(kept).toMatchObject([{ answers: 2, bytes: 5, oldest: first, latest: second }]);
  expect([later, last]).toMatchObject([
    [{ answers: 1, bytes: 3, oldest: second, latest: second }],
    [],
  ]);
});

it('a look that another process kept waiting is followed by looks through a connection of their own', async () => {
  const open = await sqliteEngine();
  let opened = 0;
  const { path } = bookOptions();
  const counting: OpenDatabase = (name) => {
    if (name === path) opened += 1;
    return open(name);
  };
  (await openBookFile(bookOptions({ path }))).close();
  const file = new BookFile(counting, bookOptions({ path }));
  await file.connect();
  expect(
    file.glance(() => {
      throw Object.assign(new Error('database is locked'), { errcode: 5, rawCode: 5 });
    }),
  ).toBeUndefined();
  const before = opened;
  for (const word of ['one', 'other']) expect(await file.read(() => word)).toBe(word);
  expect([opened - before, file.isReplaced]).toEqual([1, false]);
  file.close();
});

it('a call of a run that lives is held; once it is killed it is lost, sent again only where asked for, and then settled; its files go', async () => {
  const { act } = await actors();
  const path = newBookPath();
  const clock = Date.now;
  const book = await bookOf({ path, clock });
  const retrying = await bookOf({ path, clock, rules: { retryUnknown: true } });
  await settle(retrying, ticketOf(await retrying.take({ ...call, key: 'before' })));
  const filesOfRuns = () =>
    readdirSync(dirname(path)).filter((name) => /-(?:run|room)-/.test(name)).length;
  const before = filesOfRuns();
  const other = await act('send', path);
  expect([await book.take(call), filesOfRuns()]).toEqual(['held', before + 2]);
  await other.kill();
  expect([await book.find(call), await book.take(call), filesOfRuns()]).toEqual([
    'lost',
    'lost',
    before + 1,
  ]);
  await settle(retrying, ticketOf(await retrying.take(call)), { at: clock() });
  expect(await callsAt(path, 'settled')).toBe(1);
});

it('a run whose lock cannot be looked at is taken for a living one', async () => {
  const { act } = await actors();
  const path = newBookPath();
  await (await act('send', path)).kill();
  const [lock = ''] = readdirSync(dirname(path)).filter((name) => name.includes('-run-'));
  rmSync(join(dirname(path), lock));
  mkdirSync(join(dirname(path), lock));
  expect(await (await bookOf({ path, clock: Date.now })).take(call)).toBe('held');
});

it('a book outlives a power cut: what is committed is synced, and room is kept for each answer under way', async () => {
  const { path, book, ticket } = await asking();
  await book.take({ ...call, key: 'another' });
  const rooms = readdirSync('/proc/self/fd').map((name) =>
    attempt(
      () => `${readlinkSync(`/proc/self/fd/${name}`)} ${statSync(`/proc/self/fd/${name}`).size}`,
    ),
  );
  expect(rooms.filter((room) => room?.startsWith(`${path}-room-`))).toEqual([
    expect.stringMatching(` ${2 * roomForAnswer}$`),
  ]);
  await settle(book, ticket);
  const file = await openBookFile(bookOptions({ path }));
  expect(file.number('SELECT synchronous AS number FROM pragma_synchronous')).toBe(1);
  file.close();
});

it('a call is held whatever name the other run has for the book', async () => {
  const { path, book, ticket } = await asking();
  const link = join(newFolder(), 'link.db');
  symlinkSync(path, link);
  const other = await bookOf({ path: link, cap: new Cap(1) });
  expect(Object.keys(await other.take({ ...call, key: 'another' }))).toEqual(['ticket']);
  // It is held also where this run may make no more calls.
  expect(await other.take(call)).toBe('held');
  await settle(book, ticket);
  expect(other.kept(call)).toMatchObject({ body: '{}' });
});

it('that has another name too is refused, because runs by the one name would not see those by the other', async () => {
  const path = newBookPath();
  await (await bookOf({ path })).take(call);
  linkSync(path, `${path}.2`);
  expect(await failureOf(() => openBookFile(bookOptions({ path: `${path}.2` })))).toMatchObject({
    code: 'internal',
    message: `the book ${path}.2 has another name too (a hard link)`,
  });
});

it('purge --all forgets what a dead run lost, and leaves what a living one asks', async () => {
  const { act } = await actors();
  const path = newBookPath();
  const clock = Date.now;
  const dead = await act('send', path);
  // It began after the dead one.
  const living = await bookOf({ path, clock });
  await living.take({ ...call, key: 'of the living' });
  await dead.kill();
  const file = await openBookFile(bookOptions({ path, clock }));
  await new SqliteReports(file).purgeAll();
  file.close();
  const book = await bookOf({ path, clock });
  expect([
    Object.keys(await book.take(call)),
    await book.take({ ...call, key: 'of the living' }),
  ]).toEqual([['ticket'], 'held']);
});

it.each(['renamed', 'replaced', 'emptied'])(
  'that is %s under a run takes what is under way, and no call more',
  async (what) => {
    const { path, book, ticket } = await asking({ rules: { limits: { month: 5 } } });
    if (what === 'replaced') copyFileSync(path, `${path}.new`);
    if (what === 'emptied') truncateSync(path);
    else renameSync(path, `${path}.1`);
    if (what === 'replaced') renameSync(`${path}.new`, path);
    await settle(book, ticket);
    const message = `the book ${path} was moved or replaced while this run used it`;
    const failure = await failureOf(() => book.take({ ...call, key: 'another' }));
    expect(failure).toMatchObject({ code: 'internal', message, details: { billed: 'no' } });
    await book.close();
    expect(await callsAt(path, 'billed')).toBe(1);
    expect((await bookOf({ path })).kept(call)).toMatchObject({ body: '{}' });
  },
);

it.each(['renamed', 'replaced by an empty file', 'replaced by another book'])(
  'that is %s loses no call and no answer of the run',
  async (what) => {
    const path = newBookPath();
    const ended = await bookOf({ path });
    // A call has another number in another book.
    for (const key of ['one', 'two'])
      await settle(ended, ticketOf(await ended.take({ ...call, key })));
    const book = await bookOf({ path });
    await settle(book, ticketOf(await book.take(call)));
    await ended.close();
    const under = ticketOf(await book.take({ ...call, key: 'under way' }));
    const other = newBookPath();
    if (what === 'replaced by another book')
      (await openBookFile(bookOptions({ path: other }))).close();
    renameSync(path, `${path}.1`);
    if (what === 'replaced by an empty file') writeFileSync(path, '');
    if (what === 'replaced by another book') renameSync(other, path);
    const next = await bookOf({ path });
    await settle(next, ticketOf(await next.take({ ...call, key: 'of the next run' })));
    await settle(book, under);
    await book.close();
    await next.close();
    const file = await openBookFile(bookOptions({ path }));
    const keys = new Set(
      file.texts("SELECT CAST(key AS BLOB) AS text FROM call WHERE outcome = 'billed'"),
    );
    file.close();
    expect([...keys].sort()).toEqual(
      expect.arrayContaining([call.key, 'of the next run', 'under way']),
    );
    expect(await callsAt(path, 'lost')).toBe(0);
    expect((await bookOf({ path })).kept(call)).toMatchObject({ body: '{}' });
  },
);

it.each(['asks for another', 'ends'])(
  'that is renamed while no call is under way loses none of a run that %s next',
  async (what) => {
    const path = newBookPath();
    const book = await bookOf({ path });
    await settle(book, ticketOf(await book.take(call)));
    renameSync(path, `${path}.1`);
    if (what === 'asks for another') await failureOf(() => book.take({ ...call, key: 'another' }));
    await book.close();
    const file = await openBookFile(bookOptions({ path }));
    expect(countIn(file, "SELECT count(*) AS count FROM call WHERE outcome = 'billed'")).toBe(1);
    file.close();
    expect((await bookOf({ path })).kept(call)).toMatchObject({ body: '{}' });
  },
);

it('that is renamed under a run has there what other runs have written', async () => {
  const path = newBookPath();
  const ended = await bookOf({ path });
  const book = await bookOf({ path });
  await book.take(call);
  await settle(ended, ticketOf(await ended.take({ ...call, key: 'of a run that has ended' })));
  await ended.close();
  renameSync(path, `${path}.1`);
  await failureOf(() => book.take({ ...call, key: 'another' }));
  await book.close();
  expect(await callsAt(`${path}.1`, 'billed')).toBe(1);
});

it('the end of a run whose book was moved ends no run of the book in its place', async () => {
  const path = newBookPath();
  const moved = await bookOf({ path });
  await moved.take({ ...call, key: 'another' });
  renameSync(dirname(path), `${dirname(path)}-moved`);
  const living = await bookOf({ path });
  expect(Object.keys(await living.take(call))).toEqual(['ticket']);
  await moved.close();
  expect(await (await bookOf({ path })).take(call)).toBe('held');
});

it('where the folder of the book is gone, an answer is kept in a new book, and no more calls are made', async () => {
  const { path, book, ticket } = await asking();
  rmSync(dirname(path), { recursive: true });
  await settle(book, ticket);
  expect(book.kept(call)).toMatchObject({ body: '{}' });
  expect(await failureOf(() => book.take({ ...call, key: 'another' }))).toMatchObject({
    code: 'internal',
    details: { item: path },
  });
});

it('where a file has taken the place of its folder, the book is refused by name', async () => {
  const { path, book, ticket } = await asking();
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), '');
  expect((await failureOf(() => settle(book, ticket))).message).toContain(
    `cannot use the book ${path}: `,
  );
});

it.each([
  ['has dropped a table', 'DROP TABLE answer', undefined],
  [
    'is a newer pdi, and has changed them',
    'ALTER TABLE answer RENAME body TO text; PRAGMA user_version=9',
    /was written by a newer pdi/,
  ],
])('where another program %s under a run, no bug is told', async (_what, sql, words) => {
  const { path, book, ticket } = await asking();
  await changedByHand(path, sql);
  if (words === undefined) {
    await settle(book, ticket);
    expect(book.kept(call)).toMatchObject({ body: '{}' });
  } else
    expect(await failureOf(() => settle(book, ticket))).toMatchObject({
      message: expect.stringMatching(words),
    });
});

it.each([
  [
    'was copied by .dump',
    (path: string, copy: string) => {
      const dumped = execFileSync('sqlite3', [path, '.dump']);
      execFileSync('sqlite3', [copy], { input: dumped });
    },
  ],
  [
    'was copied by .clone',
    (path: string, copy: string) =>
      execFileSync('sqlite3', [path, `.clone ${copy}`], { stdio: 'ignore' }),
  ],
  [
    'was copied, and lost its version',
    async (path: string, copy: string) => {
      await changedByHand(path, `VACUUM INTO '${copy}'`);
      await changedByHand(copy, 'PRAGMA user_version=0');
    },
  ],
])('that %s is known by its tables', needsProgram('sqlite3'), async (_what, copyTo) => {
  const { path, book, ticket } = await asking();
  await settle(book, ticket);
  const copy = join(newFolder(), 'book.db');
  await copyTo(path, copy);
  expect((await bookOf({ path: copy })).kept(call)).toMatchObject({ body: '{}' });
});

it('that another program has written anew, with other tables, is told so', async () => {
  const { path } = await asking();
  await changedByHand(path, 'PRAGMA application_id=0; ALTER TABLE answer ADD COLUMN note TEXT');
  expect((await failureOf(bookOf({ path }))).message).toMatch(
    /another program has written it anew/,
  );
});

it('where another database has taken the place of the book, a look finds nothing, and what is written is refused', async () => {
  const { path, book, ticket } = await asking();
  renameSync(path, `${path}.moved`);
  await changedByHand(path, 'CREATE TABLE theirs (a)');
  for (const write of [() => book.take({ ...call, key: 'another' }), () => settle(book, ticket)]) {
    expect(await failureOf(write)).toMatchObject({
      message: `${path} is a database of another program`,
    });
    expect(book.kept(call)).toBeUndefined();
  }
});

it('a purge leaves what is bought while it goes on', async () => {
  const { path, book, ticket } = await asking();
  const file = await openBookFile(bookOptions({ path }));
  const transaction = file.transaction.bind(file);
  file.transaction = async (...given) => {
    await settle(book, ticket);
    return transaction(...given);
  };
  expect(await new SqliteReports(file).purge(noon)).toEqual({ deleted: 0, kept: 1 });
  file.close();
});

it('what is deleted leaves the write-ahead log too, or whoever still reads is named', async () => {
  const { path, book, ticket } = await asking();
  await settle(book, ticket);
  const reader = (await sqliteEngine())(path);
  reader.exec('BEGIN; SELECT * FROM answer');
  const file = await openBookFile(bookOptions({ path, patienceMs: 20 }));
  expect(await failureOf(() => new SqliteReports(file).purgeAll())).toMatchObject({
    message: expect.stringContaining('has been held for'),
  });
  reader.exec('ROLLBACK');
  reader.close();
  file.close();
});

it('a call whose COMMIT fails once takes one place under the cap', async () => {
  const open = await sqliteEngine();
  const options = bookOptions({ cap: new Cap(2) });
  let fails = 1;
  const failing: OpenDatabase = (path) => {
    const database = open(path);
    const exec = (sql: string) => {
      if (sql === 'COMMIT' && fails-- > 0)
        throw Object.assign(new Error('of the disk'), { errcode: 13, rawCode: 13 });
      return database.exec(sql);
    };
    return { exec, close: () => database.close(), prepare: (sql) => database.prepare(sql) };
  };
  (await openBookFile(options)).close();
  const file = new BookFile(failing, options);
  await file.connect();
  const book = new SqliteRun(file, options);
  expect([Object.keys(await book.take(call)), options.cap.left]).toEqual([['ticket'], 1]);
  await book.close();
});

it('calls of one turn of the event loop are one transaction; where it fails, it fails for each', async () => {
  const book = await bookOf({ path: newBookPath() });
  const broken = { ...call, key: 'x', operation: null as unknown as string };
  const all = await Promise.allSettled([
    book.take(call),
    book.take(broken),
    book.take({ ...call, key: 'y' }),
  ]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(Object.keys(await book.take(call))).toEqual(['ticket']);
});

it('on a disk whose locks are refused is refused by name, and nobody waits for another process', async () => {
  const options = bookOptions({ path: newBookPath(), patienceMs: 3_600_000 });
  expect(await failureOf(new BookFile(await withoutLocks(), options).connect())).toMatchObject({
    code: 'internal',
    message: `cannot use the book ${options.path}: the file locks of its disk do not work`,
  });
});

it('a damaged book is moved aside by one run alone', async () => {
  const options = bookOptions({ path: join(newFolder(), 'book.db'), patienceMs: 100 });
  writeFileSync(options.path, 'no book at all'.repeat(400));
  const lock = lockNow(await sqliteEngine(), `${options.path}-mending`);
  expect(await failureOf(openBookFile(options))).toMatchObject({
    code: 'internal',
    message: expect.stringMatching(
      /has been held for .* by another process, unless the file locks of its disk do not work$/,
    ),
  });
  expect(readdirSync(dirname(options.path)).filter((name) => name.includes('damaged'))).toEqual([]);
  lock?.release();
  (await openBookFile(options)).close();
  expect(
    readdirSync(dirname(options.path)).filter((name) => name.includes('damaged')),
  ).toHaveLength(1);
});

it.each([
  ['the disk is full, even with what the write-ahead log gives back', 13, 2],
  ['the book is found damaged', 11, 1],
])(
  'an answer is kept where %s: room was kept, and the book is opened anew',
  async (_what, code, times) => {
    let failures = 0;
    const book = await failingBook(bookOptions(), code, () => {
      failures += 1;
      return failures <= times;
    });
    await settle(book, ticketOf(await book.take(call)));
    expect([failures, book.kept(call)]).toMatchObject([times + 1, { body: '{}' }]);
    await book.close();
  },
);

/** A book whose disk fails with this code when an answer is to be kept, as long as `fails` says so. */
async function failingBook(
  options: ReturnType<typeof bookOptions>,
  code: number,
  fails: () => boolean,
): Promise<SqliteRun> {
  const open = await sqliteEngine();
  const failing: OpenDatabase = (path) => {
    const database = open(path);
    return {
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
      prepare: (sql) => {
        if (!sql.startsWith('INSERT INTO answer') || !fails()) return database.prepare(sql);
        throw Object.assign(new Error('of the disk'), { errcode: code, rawCode: code });
      },
    };
  };
  (await openBookFile(options)).close();
  const file = new BookFile(failing, options);
  await file.connect();
  return new SqliteRun(file, options);
}

const damaged = 11;

it('an answer is kept where somebody has emptied the book, and no call more is made: it is moved aside, and a new one begun', async () => {
  const options = bookOptions({ patienceMs: 500 });
  let size = 1;
  const book = await failingBook(options, damaged, () => {
    if (size === 0) return false;
    truncateSync(options.path);
    size = 0;
    return true;
  });
  await settle(book, ticketOf(await book.take(call)));
  expect(book.kept(call)).toMatchObject({ body: '{}' });
  expect(await failureOf(() => book.take({ ...call, key: 'another' }))).toMatchObject({
    message: expect.stringContaining('was moved or replaced'),
  });
  await book.close();
});

it('a run whose damaged book could only be begun anew after a while is written down in the new one', async () => {
  const options = bookOptions({ patienceMs: 100 });
  let fails = true;
  const book = await failingBook(options, damaged, () => fails);
  const ticket = ticketOf(await book.take(call));
  const mending = lockNow(await sqliteEngine(), `${options.path}-mending`);
  await changedByHand(options.path, 'PRAGMA wal_checkpoint(TRUNCATE)');
  writeFileSync(options.path, 'no book at all'.repeat(400));
  expect(await failureOf(() => settle(book, ticket))).toMatchObject({
    message: expect.stringContaining('has been held for'),
  });
  mending?.release();
  fails = false;
  const asked = { ...call, key: 'another' };
  expect(Object.keys(await book.take(asked))).toEqual(['ticket']);
  const ofAnother = await bookOf({ path: options.path });
  await ofAnother.take({ ...call, key: 'yet another' });
  await ofAnother.close();
  expect(await (await bookOf({ path: options.path })).take(asked)).toBe('held');
  await book.close();
});

it('that another program holds is not said to be held by the run itself', async () => {
  const { path, book, ticket } = await asking({ patienceMs: 50 });
  const other = (await sqliteEngine())(path);
  other.exec('BEGIN IMMEDIATE');
  expect(await failureOf(() => settle(book, ticket))).toMatchObject({
    message: expect.stringContaining('by another process, unless'),
  });
  other.exec('ROLLBACK');
  other.close();
  await book.close();
});

it('that another process was making at first stays ours: whoever comes and goes after it takes nothing from under us', async () => {
  const { act } = await actors();
  const options = bookOptions({ patienceMs: 50 });
  const maker = await act('make', options.path);
  expect(await failureOf(openBookFile(options))).toMatchObject({
    message: expect.stringContaining('has been held'),
  });
  await maker.kill();
  const file = await openBookFile(options);
  const asked = () => file.transaction(() => file.number('SELECT count(*) AS number FROM owner'));
  await asked();
  await act('visit', options.path);
  await asked();
  expect(file.isReplaced).toBe(false);
  file.close();
});

it('an answer in which the disk changed a letter is no answer, and ends no process', async () => {
  const { path, book, ticket } = await asking();
  await settle(book, ticket, { body: '{"a":"b"}' });
  await book.close();
  await changedByHand(path, "UPDATE answer SET body = CAST(X'7b2261223a22ff227d' AS TEXT)");
  expect((await bookOf({ path })).kept(call)).toBeUndefined();
});

it('batches that wait for the book at once take no place under the cap twice', async () => {
  const { act } = await actors();
  const path = newBookPath();
  const cap = new Cap(2);
  const book = await bookOf({ path, cap });
  const holder = await act('hold', path);
  const waiting: Promise<Taken>[] = [];
  for (let number = 0; number < 6; number += 1) {
    waiting.push(book.take({ ...call, key: `key ${number}` }));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await holder.kill();
  const taken = await Promise.all(waiting);
  expect(taken.filter((one) => one === 'capped')).toHaveLength(4);
  const file = await openBookFile(bookOptions({ path }));
  expect([cap.left, countIn(file, 'SELECT count(*) AS count FROM run')]).toEqual([0, 1]);
  file.close();
});
