/** A run of its own: `actor WHAT PATH` does one thing with the book, says so, and lives until it is killed. */

import { openBookFile } from '../../../src/book/book-file.ts';
import { Cap } from '../../../src/book/budget.ts';
import { keyOf, ownerName } from '../../../src/book/calls.ts';
import { SqliteRun } from '../../../src/book/sqlite-run.ts';
import { sqliteEngine, whenClosed } from '../../../src/files/sqlite.ts';

const [what = '', path = '', start = '0'] = process.argv.slice(2);
const place = { path, patienceMs: 60_000, notice: () => {}, clock: Date.now };
const owner = { baseUrl: 'https://api.example.test/api/v1', key: 'k' };
const operation = 'GET /people/{personId}';

const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Writes a call down as sent, and gets no answer. */
  send: async () => {
    const who = {
      owner,
      profile: 'default',
      command: 'person',
      user: 'ada',
      host: 'here',
      file: '',
    };
    const facts = { ...who, origin: 'https://api.example.test', sandbox: false };
    const rules = { fresh: false, retryUnknown: false, limits: {}, keepVersions: 1 };
    const run = {
      clock: place.clock,
      facts,
      rules,
      cap: new Cap('unlimited'),
      pid: process.pid,
      onFirstKept: () => {},
    };
    const book = new SqliteRun(await openBookFile(place), run);
    const key = keyOf(ownerName(owner), { operation, item: 'per_1' });
    return book.take({ key, operation, item: 'per_1', billing: 'charged', maxAge: 3_600_000 });
  },
  /** Begins to write, and stands still. */
  hold: async () => {
    const file = await openBookFile(place);
    file.close();
    const database = (await sqliteEngine())(path);
    database.exec('BEGIN IMMEDIATE');
    // A database that nobody has any more is collected, and its lock is freed.
    process.once('exit', () => database.close());
  },
  /** Begins to make the book, and stands still. */
  make: async () => {
    const database = (await sqliteEngine())(path);
    database.exec('PRAGMA journal_mode=WAL; BEGIN IMMEDIATE');
    process.once('exit', () => database.close());
  },
  /** Looks into the book, and closes it for good: whoever thinks that nobody else has it tidies up. */
  visit: async () => {
    const database = (await sqliteEngine())(path);
    database.exec('SELECT count(*) FROM owner');
    await whenClosed(database);
  },
  /** Is asking, begins to write, and stops itself; goes on with it when it is told to. */
  stop: async () => {
    await acts.send?.();
    const database = (await sqliteEngine())(path);
    database.exec('BEGIN IMMEDIATE');
    process.once('SIGCONT', () => database.exec('COMMIT'));
  },
  /** Opens the book at a moment at which others open it too. */
  open: async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Number(start) - Date.now())));
    const file = await openBookFile(place);
    await file.transaction(() =>
      file.run("INSERT INTO owner (name, base_url) VALUES (?, 'x')", String(process.pid)),
    );
    file.close();
    process.exit(0);
  },
};

await acts[what]?.();
process.stdout.write('done\n');
setInterval(() => {}, 1000);
