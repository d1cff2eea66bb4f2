// @ts-check
/** What a book of a million answers and calls adds to a command: nothing may grow with it. */
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { amount, interleave, ratio } from './figures.mjs';
import { wallMs, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const answers = 1_000_000;
const bytes = 2700;

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function book(pdi) {
  const stateOf = (/** @type {string} */ name) => join(workFolder, `book-${name}`);
  const asking = (/** @type {string} */ name, /** @type {readonly string[]} */ words) => () =>
    wallMs([process.execPath, pdi, '--sandbox', ...words], { XDG_STATE_HOME: stateOf(name) });
  const person = (/** @type {string} */ name) =>
    asking(name, ['person', 'per_sample1', '--fresh', '--max-age', '30d', '-q']);
  for (const name of ['empty', 'full']) {
    mkdirSync(stateOf(name), { recursive: true });
    person(name)();
  }
  fill(join(stateOf('full'), 'pdi', 'book.db'));
  const runs = await interleave(roundsOf(15), { empty: person('empty'), full: person('full') }, 1);
  const reports = ['store', 'spend'].map((word) => {
    const rounds = Array.from({ length: roundsOf(5) }, asking('full', [word]));
    return amount(`book: pdi ${word} beside 1,000,000 answers, ms`, rounds);
  });
  for (const name of ['empty', 'full']) rmSync(stateOf(name), { recursive: true });
  return [
    ratio('book: person beside 1,000,000 answers', runs('full'), runs('empty'), {
      own: 'full',
      baseline: 'empty',
    }),
    ...reports,
  ];
}

/** A call in each two seconds of a month, each with its answer. */
function fill(/** @type {string} */ path) {
  const require = createRequire(import.meta.url);
  const database = new (require('libsql'))(path);
  database.exec(`PRAGMA synchronous=OFF;
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${answers})
    INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing)
      SELECT 1, 1, hex(n * 7919), ${Date.now()} - n * 2000, 2592000000, 'billed', 'GET /people/{personId}', 'per_' || n, 'charged' FROM number;
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${answers})
    INSERT INTO answer (key, run, owner, operation, at, until, max_age, missing, bytes, body)
      SELECT hex(n * 7919), 1, 1, 'GET /people/{personId}', ${Date.now()} - n * 2000, ${Date.now()} + 2592000000, 2592000000, 0, ${bytes},
        printf('%.*c', ${bytes}, 'x') FROM number;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}
