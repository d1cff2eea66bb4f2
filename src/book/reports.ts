/** What the book holds of all accounts and base URLs, for `pdi spend` and `pdi store`, which also deletes from it. */
import * as z from 'zod/mini';
import type { BookFile } from './book-file.ts';
import { forgetWaiting } from './bookmarks.ts';
import { hashOf, keyOf } from './calls.ts';
import { Runs } from './runs.ts';
import {
  bytesOf,
  dayOfCall,
  describeRun,
  reportedOutcome,
  runAtWork,
  runsAtWorkSql,
  storedText,
  whereLost,
  whereSent,
} from './schema.ts';

const keyColumns = {
  day: 'day',
  month: 'substr(day, 1, 7)',
  command: 'command',
  profile: 'profile',
  user: 'user',
  host: 'host',
  file: 'file',
  /** In milliseconds, which only the calls about one id have. */
  at: 'at',
} as const;
export type SpendKey = keyof typeof keyColumns;

/** `settled`: its answer was lost, and the same call, sent again, was answered. */
export const spendCounts = ['billed', 'lost', 'settled', 'unpriced', 'not_billed'] as const;
export type SpendCounts = Readonly<Record<(typeof spendCounts)[number], number>>;
export interface SpendQuestion {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly by: readonly SpendKey[];
  /** Only the calls that asked about it, or whose hash stands in its place. */
  readonly about?: readonly string[];
  readonly profile?: string | undefined;
  /** Only the sandbox's calls, which cost nothing, or only the others. */
  readonly sandbox: boolean;
}

const time = z.pipe(
  z.number(),
  z.transform((at: number) => new Date(at).toISOString()),
);

const spendRow = z.object({
  day: z.optional(storedText),
  month: z.optional(storedText),
  command: z.optional(storedText),
  profile: z.optional(storedText),
  user: z.optional(storedText),
  host: z.optional(storedText),
  file: z.optional(storedText),
  at: z.optional(time),
  billed: z.number(),
  lost: z.number(),
  settled: z.number(),
  unpriced: z.number(),
  not_billed: z.number(),
});

const countedCalls = `SELECT source, day, outcome, calls FROM spent
  UNION ALL SELECT source, ${dayOfCall('call')}, ${reportedOutcome('call')}, 1 FROM call WHERE ${whereSent}`;

const callsAbout = (
  names: number,
): string => `SELECT source, at, ${dayOfCall('call')} AS day, ${reportedOutcome('call')} AS outcome, 1 AS calls
  FROM call WHERE item IN (${Array.from({ length: names }, () => '?').join()})`;

/** A call under way counts as `lost`, because it may have been billed. */
export function spendReport(
  file: BookFile,
  { since = '', until = '9999', by, about = [], profile, sandbox }: SpendQuestion,
) {
  const counts = spendCounts.map(
    (name) => `coalesce(sum(calls) FILTER (WHERE counted.outcome = '${name}'), 0) AS ${name}`,
  );
  const columns = [
    ...by.map((key) => (key === 'at' ? key : bytesOf(keyColumns[key], key))),
    ...counts,
  ].join();
  // The engine groups by nothing else than a text that is always the same where no key is asked for.
  const keys = [...by.map((key) => keyColumns[key]), "''"].join();
  const names = about.flatMap((id) => [id, hashOf(id)]);
  const calls = names.length === 0 ? countedCalls : callsAbout(names.length);
  const sql = `SELECT ${columns} FROM (${calls}) AS counted JOIN source ON source.id = counted.source
    WHERE sandbox = ? AND day BETWEEN ? AND ? AND (? IS NULL OR profile = ?) GROUP BY ${keys} HAVING sum(calls) > 0 ORDER BY ${keys}`;
  return file.rows(
    spendRow,
    sql,
    ...names,
    sandbox ? 1 : 0,
    since,
    `${until}~`,
    profile ?? null,
    profile ?? null,
  );
}

export function totalOf(rows: readonly SpendCounts[]): SpendCounts {
  const total = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };
  for (const row of rows) for (const name of spendCounts) total[name] += row[name];
  return total;
}

const keptRow = z.object({
  operation: storedText,
  base_url: storedText,
  account: z.nullable(storedText),
  answers: z.number(),
  bytes: z.number(),
  oldest: time,
  latest: time,
});

const inGroup = 'answer.owner = kept.owner AND answer.operation = kept.operation';
const pastItsAge = (sum: string): string =>
  `(SELECT ${sum} FROM answer INDEXED BY answer_until WHERE until <= ? AND ${inGroup})`;
const timeOfKept = (which: 'min' | 'max'): string =>
  `(SELECT ${which}(at) FROM answer WHERE until > ? AND ${inGroup})`;

/** So many that are past their age are counted one by one; of more, those that are not. */
const fewExpired = 20_000;

/** Without what is past its age, which may be a million answers: it goes little by little at the end of each run. */
export function keptAnswers(file: BookFile, now: number) {
  return file.read(() => {
    const expired = file.number(
      `SELECT count(*) AS number FROM (SELECT 1 FROM answer WHERE until <= ? LIMIT ${fewExpired})`,
      now,
    );
    return expired < fewExpired
      ? file.rows(keptRow, allButExpiredSql, now, now, now, now)
      : file.rows(keptRow, unexpiredSql, now);
  });
}

/** How many answers there are, past their age or not. */
export const answersThere = (file: BookFile): Promise<number> =>
  file.read(() => file.number(countSql));

const countSql = 'SELECT coalesce(sum(answers), 0) AS number FROM kept';

const allButExpiredSql = `SELECT * FROM (SELECT ${bytesOf('operation')}, ${bytesOf('base_url')}, ${bytesOf('account')},
      answers - ${pastItsAge('count(*)')} AS answers, bytes - ${pastItsAge('coalesce(sum(answer.bytes), 0)')} AS bytes,
      ${timeOfKept('min')} AS oldest, ${timeOfKept('max')} AS latest
    FROM kept JOIN owner ON owner.id = kept.owner) WHERE answers > 0 ORDER BY base_url, account, operation`;

const unexpiredSql = `SELECT ${bytesOf('operation')}, ${bytesOf('base_url')}, ${bytesOf('account')}, answers, bytes, oldest, latest FROM
    (SELECT owner, operation, count(*) AS answers, sum(bytes) AS bytes, min(at) AS oldest, max(at) AS latest
      FROM answer INDEXED BY answer_until WHERE until > ? GROUP BY owner, operation) AS kept
  JOIN owner ON owner.id = kept.owner ORDER BY base_url, account, operation`;

export const lostCalls = (file: BookFile): Promise<number> =>
  file.read(() =>
    file.number(`SELECT count(*) AS number FROM call WHERE ${whereLost} AND max_age > 0`),
  );

/** Also what a run had under way when it was killed is lost from here on. */
export const concludeDeadRuns = (file: BookFile): Promise<void> =>
  file.transaction(() => new Runs(file).concludeDead());

/** The runs that use the book now. */
export function runsAtWork(file: BookFile): Promise<readonly string[]> {
  const runs = new Runs(file);
  return file.read(() =>
    file
      .rows(runAtWork, runsAtWorkSql)
      .filter(({ id }) => runs.isAlive(id))
      .map(describeRun),
  );
}

type AskedItems = readonly Parameters<typeof keyOf>[1][];

function keysOf(file: BookFile, questions: AskedItems): readonly string[] {
  const owners = file.texts(`SELECT ${bytesOf('name', 'text')} FROM owner`);
  return owners.flatMap((owner) => questions.map((question) => keyOf(owner, question)));
}

export const hasAnswer = (file: BookFile, questions: AskedItems): Promise<boolean> =>
  file.read(() =>
    keysOf(file, questions).some(
      (key) => file.number('SELECT count(*) AS number FROM answer WHERE key = ?', key) > 0,
    ),
  );

/** Gives how many answers and waiting signals there were, and the calls in which a hash stands for the id from then on. */
export async function forgetAnswers(file: BookFile, id: string, questions: AskedItems) {
  const forgotten = await file.transaction(() => {
    const calls = file.run('UPDATE call SET item = ? WHERE item = ?', hashOf(id), id);
    const remove = (deleted: number, key: string) =>
      deleted + file.run('DELETE FROM answer WHERE key = ?', key);
    return { answers: keysOf(file, questions).reduce(remove, forgetWaiting(file, id)), calls };
  });
  await file.shrink();
  return forgotten;
}

export async function purgeAnswers(file: BookFile, upTo: number) {
  // What is bought while it goes on stays. With the plain `id`, SQLite would try one answer after the other from the last.
  const last = await file.read(() =>
    file.number('SELECT coalesce(max(+id), 0) AS number FROM answer WHERE at <= ?', upTo),
  );
  const sql = `DELETE FROM answer WHERE id IN (SELECT id FROM answer WHERE at <= ? AND id <= ? LIMIT ${deletedAtOnce})`;
  let deleted = 0;
  for (let gone = deletedAtOnce; gone === deletedAtOnce; deleted += gone)
    gone = await file.transaction(() => file.run(sql, upTo, last));
  await file.shrink();
  return { deleted, kept: await answersThere(file) };
}

/** So many at a time, because other runs wait for the end of a transaction. */
const deletedAtOnce = 2000;

/** What was lost before is sent again from now on; what runs are asking now is theirs. */
export async function purgeAll(file: BookFile) {
  await concludeDeadRuns(file);
  await file.transaction(() =>
    file.run(`UPDATE call SET max_age = 0 WHERE ${whereLost} AND max_age > 0`),
  );
  return purgeAnswers(file, Number.MAX_SAFE_INTEGER);
}
