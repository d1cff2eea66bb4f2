/** A book that somebody has touched: opened to others, in another journal mode, tidied away in part, or restored from an older copy. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBookFile } from '../../src/book/book-file.ts';
import { keyOf, ownerName } from '../../src/book/calls.ts';
import { connected } from '../../src/book/schema.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { actors } from '../support/actor.ts';
import { failureOf } from '../support/failure.ts';
import { needsRoot } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { booksAreClosed } from '../support/service.ts';
import {
  type BookOfTest,
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

async function closedBook(): Promise<string> {
  const path = newBookPath();
  (await openBookFile(bookOptions({ path }))).close();
  await booksAreClosed();
  return path;
}

describe('a book that others may read', () => {
  const parts = ['', '-wal', '-shm'];

  it.each([0o644, 0o666])('is closed to them, with what is beside it: %o', async (mode) => {
    const path = await closedBook();
    const other = await openBookFile(bookOptions({ path }));
    for (const part of parts) chmodSync(path + part, mode);
    chmodSync(join(path, '..'), 0o755);
    const file = await openBookFile(bookOptions({ path }));
    expect([...parts, '/..'].map((part) => statSync(join(`${path}${part}`)).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600, 0o700,
    ]);
    for (const one of [file, other]) one.close();
  });

  it('that is root’s alone, or in a folder of root’s, says whose it is', needsRoot, async () => {
    const path = await closedBook();
    const open = () => failureOf(openBookFile(bookOptions({ path })));
    const folder = dirname(path);
    onTestFinished(() => process.seteuid?.(0));
    for (const [mode, words] of [
      [0o755, 'it belongs to root, mode 0600'],
      [0o700, `${folder} belongs to root, mode 0700`],
    ] as const) {
      for (const above of [dirname(dirname(folder)), dirname(folder)]) chmodSync(above, 0o755);
      chmodSync(folder, mode);
      process.seteuid?.(65_534);
      const { message, details } = await open();
      process.seteuid?.(0);
      expect([message, details.hint]).toEqual([
        `cannot use the book ${path}: ${words}`,
        expect.stringMatching(/^a book serves one user \(pdi help team\); /),
      ]);
    }
  });

  it('is refused by name where it is another user’s', needsRoot, async () => {
    const path = await closedBook();
    chownSync(path, 4321, 4321);
    (await openBookFile(bookOptions({ path }))).close();
    chmodSync(path, 0o644);
    const failure = await failureOf(openBookFile(bookOptions({ path })));
    expect(failure).toMatchObject({
      code: 'internal',
      message: `the book ${path} is another user's, and open to others`,
    });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

it('a book that another tool has put into another journal mode has a write-ahead log again', async () => {
  const path = await closedBook();
  await changedByHand(path, 'PRAGMA journal_mode=DELETE');
  const copy = join(newFolder(), 'copy.db');
  await changedByHand(path, `VACUUM INTO '${copy}'`);
  await booksAreClosed();
  for (const name of [path, copy]) {
    (await openBookFile(bookOptions({ path: name }))).close();
    await booksAreClosed();
    const database = (await sqliteEngine())(name);
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    database.close();
  }
});

it('a book on a disk that gives it no write-ahead log is refused', async () => {
  const [path, open] = [await closedBook(), await sqliteEngine()];
  const withoutLog = (name?: string) => {
    const database = open(name);
    const prepare = (sql: string) => database.prepare(sql.replace('=WAL', '=DELETE'));
    return { prepare, exec: (sql: string) => database.exec(sql), close: () => database.close() };
  };
  expect(() => connected(withoutLog, path)).toThrow('no write-ahead log');
});

const callOf = (item: string) => {
  const operation = 'GET /people/{personId}';
  return {
    key: keyOf(ownerName(facts.owner), { operation, item }),
    operation,
    item,
    billing: 'charged',
    maxAge: 3_600_000,
  } as const;
};

/** A run that has bought these. */
async function buying(path: string, items: readonly string[], more: BookOfTest = {}) {
  const book = await bookOf({ path, ...more });
  for (const item of items)
    await settle(book, ticketOf(await book.take(callOf(item))), { at: noon });
  return book;
}

async function bought(path: string, items: readonly string[]): Promise<void> {
  const file = await openBookFile(bookOptions({ path }));
  const book = new SqliteRun(file, bookOptions({ path }));
  for (const item of items) await settle(book, ticketOf(await book.take(callOf(item))));
  await book.close();
  file.close();
  await booksAreClosed();
}

const removed = (parts: readonly string[]) => (path: string) => {
  for (const part of parts) rmSync(path + part);
};
const touches = {
  'its shared memory is removed': removed(['-shm']),
  'its shared memory and its log are removed': removed(['-shm', '-wal']),
  'a backup is copied over it': (path: string, backup: string) => copyFileSync(backup, path),
  'a backup is moved over it': (path: string, backup: string) => renameSync(backup, path),
} as const;

it.each([
  ['its shared memory is removed', 'nobody'],
  ['its shared memory is removed', 'a run that was killed'],
  ['its shared memory and its log are removed', 'nobody'],
  ['its shared memory and its log are removed', 'a run that lives'],
  ['its shared memory and its log are removed', 'a run that was killed'],
  ['a backup is copied over it', 'nobody'],
  ['a backup is copied over it', 'a run that lives'],
  ['a backup is moved over it', 'a run that was killed'],
] as const)(
  'under a run, %s, and %s has opened it since: nothing more is sent, nothing bought is lost',
  async (what, who) => {
    const { act } = await actors();
    const path = newBookPath();
    await bought(path, ['before']);
    const backup = join(newFolder(), 'backup.db');
    copyFileSync(path, backup);
    await bought(path, ['since']);
    const book = await buying(path, ['first']);
    const underWay = ticketOf(await book.take(callOf('under way')));
    touches[what](path, backup);
    const other = who === 'nobody' ? undefined : await act('send', path);
    if (who === 'a run that was killed') await other?.kill();
    const failure = await failureOf(() => book.take(callOf('more')));
    expect(failure).toMatchObject({
      message: `the book ${path} was moved or replaced while this run used it`,
      details: { billed: 'no' },
    });
    await settle(book, underWay);
    await book.close();
    await other?.kill();
    await booksAreClosed();
    const later = await bookOf({ path });
    const known = [
      'before',
      'first',
      'under way',
      ...(what.startsWith('its') && who === 'nobody' ? ['since'] : []),
    ];
    for (const item of known) expect(later.kept(callOf(item)), item).toMatchObject({ body: '{}' });
    if (who !== 'nobody') expect(await later.find(callOf('per_1'))).toBe('lost');
    await expectSound(path);
  },
);

async function expectSound(path: string): Promise<void> {
  const file = await openBookFile(bookOptions({ path }));
  expect(
    file.texts('SELECT CAST(integrity_check AS BLOB) AS text FROM pragma_integrity_check'),
  ).toEqual(['ok']);
  file.close();
}

describe('an older copy over the log of a run that was killed', () => {
  const making = {
    cp: async (path: string, backup: string) => copyFileSync(path, backup),
    'VACUUM INTO': (path: string, backup: string) => changedByHand(path, `VACUUM INTO '${backup}'`),
  } as const;

  it.each([
    ['a backup is copied over it', 'cp'],
    ['a backup is copied over it', 'VACUUM INTO'],
    ['a backup is moved over it', 'cp'],
  ] as const)(
    '%s (%s): is told of before it is opened, the log is set aside by name, and the copy is used',
    async (how, by) => {
      const { act } = await actors();
      const path = newBookPath();
      await bought(path, ['before']);
      const backup = join(newFolder(), 'backup.db');
      await making[by](path, backup);
      await booksAreClosed();
      await bought(path, ['since']);
      await (await act('send', path)).kill();
      const files = () =>
        readdirSync(dirname(path)).filter((name) => !/-(?:run|room|head)-/.test(name));
      expect(files()).toContain('book.db-wal');
      touches[how](path, backup);
      const notices: string[] = [];
      const options = bookOptions({ path, notice: (words: string) => notices.push(words) });
      const file = await openBookFile(options);
      const aside = files().find((name) => /^book\.db\.newer-.*-wal$/.test(name));
      expect(notices).toEqual([expect.stringContaining(`the book ${path} is an older copy: `)]);
      expect(notices[0]).toContain(aside);
      expect(countIn(file, 'SELECT count(*) AS count FROM answer')).toBe(1);
      file.close();
      await expectSound(path);
      await booksAreClosed();
      await bought(path, ['again']);
      expect([notices.length, files().filter((name) => name.includes('damaged'))]).toEqual([1, []]);
    },
  );

  it('the log that a killed run left beside its own book is taken, whatever runs before it have written', async () => {
    const { act } = await actors();
    const path = newBookPath();
    for (const item of ['one', 'two', 'three']) await bought(path, [item]);
    await (await act('send', path)).kill();
    const notices: string[] = [];
    const book = await bookOf({ path, clock: Date.now, notice: (words) => notices.push(words) });
    expect([await book.find(callOf('per_1')), notices, basename(path)]).toEqual([
      'lost',
      [],
      'book.db',
    ]);
    expect(await callsAt(path, 'billed')).toBe(3);
  });
});
