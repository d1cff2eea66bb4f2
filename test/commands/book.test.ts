/** Which book it is, who uses it, and how it is backed up and restored. */
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { idIn, personIds, profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import {
  arrayOf,
  booksAreClosed,
  expectMistake,
  keeping,
  linesFile,
  newFile,
  objectOf,
  origin,
  pdi as program,
  slowAtFirst,
} from '../support/service.ts';

const bookIn = (home: string): string => join(home, 'state', 'pdi', 'book.db');

it('is none before the first call that may be billed, and is not made by looking', async () => {
  const home = newFolder();
  const looked = await program('book', { home });
  expect([looked.code, looked.stdout, readdirSync(home)]).toEqual([0, '[]\n', []]);
  expect(looked.stderr).toContain(`there is no book at ${bookIn(home)} yet`);
  expectMistake(
    await program(`book backup ${newFile()}`, { home }),
    2,
    `there is no book at ${bookIn(home)}`,
  );
});

it('names the runs at work while they are', async () => {
  const { pdi, home, asked, release } = await slowAtFirst(({ path }) => profile(path));
  const running = pdi('person per_1');
  await asked;
  const worker = expect.stringMatching(new RegExp(`^process ${process.pid} on .*, since 20`));
  expect(arrayOf(await program('book', { home }))).toEqual([
    { book: bookIn(home), version: 1, bytes: expect.any(Number), at_work: [worker] },
  ]);
  release();
  await running;
  expect(arrayOf(await program('book', { home }))).toMatchObject([{ at_work: [] }]);
});

it('is copied whole, private, also while a run goes on; an existing file needs --force, and no book in use is replaced', async () => {
  const { service, pdi, home } = await keeping(origin(({ path }) => profile(path)));
  await pdi('person per_1 per_2');
  const backup = newFile("it's a backup.db");
  expect(objectOf(await program(['book', 'backup', backup], { home }))).toEqual({
    backup,
    bytes: statSync(backup).size,
    book: bookIn(home),
  });
  expect([statSync(backup).mode & 0o777, readdirSync(dirname(backup))]).toEqual([
    0o600,
    ["it's a backup.db"],
  ]);
  const bytes = readFileSync(backup);
  expectMistake(await program(['book', 'backup', backup], { home }), 2, 'the file exists');
  expect(readFileSync(backup).equals(bytes)).toBe(true);
  await pdi('person per_3');
  expect((await program(['book', 'backup', backup, '--force'], { home })).code).toBe(0);
  expectMistake(
    await program(['book', 'backup', bookIn(home), '--force'], { home }),
    2,
    'is the book itself',
  );
  const inUse = newFile('other.db');
  for (const name of [inUse, `${inUse}-wal`]) writeFileSync(name, '');
  expectMistake(
    await program(['book', 'backup', inUse, '--force'], { home }),
    2,
    'is a book that is in use',
  );
  expectMistake(
    await program(['book', 'backup', join(newFolder(), 'none', 'x')], { home }),
    2,
    'there is no such folder',
  );
  // Restored, it has what was bought.
  await booksAreClosed();
  copyFileSync(backup, bookIn(home));
  const { length } = service.requests;
  expect([(await pdi('person per_1 per_2 per_3')).code, service.requests.length]).toEqual([
    0,
    length,
  ]);
});

it.each([['-shm'], ['-shm', '-wal']])(
  'that loses %s under a run ends it before its next call; again, nothing is billed twice',
  async (...parts) => {
    let home = '';
    const served = await keeping(
      origin(({ path }, _response, count) => {
        if (count === 4) for (const part of parts) rmSync(bookIn(home) + part);
        return profile(path);
      }),
    );
    home = served.home;
    const job = ['person', '-i', linesFile(personIds(12)), '-o', 'csv', '--concurrency', '2'];
    const first = await served.pdi(job);
    expect([first.code, first.stderr]).toEqual([
      1,
      expect.stringContaining('was moved or replaced while this run used it'),
    ]);
    expect(served.service.requests.length).toBeLessThan(8);
    expect((await served.pdi(job)).code).toBe(0);
    expect(served.service.requests.map(({ path }) => idIn(path)).sort()).toEqual(
      personIds(12).sort(),
    );
  },
);
