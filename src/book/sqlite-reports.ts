/** Reports of the book in SQLite. */
import * as z from 'zod/mini';
import type { BookFile } from './book-file.ts';
import { budgetUses, daysOf, type Limits } from './budget.ts';
import { behind, hashOf, keyOf, type Owner, ownerName } from './calls.ts';
import {
  type AskedItems,
  bookedCallOf,
  type EndByLog,
  type KeptOf,
  keptBodyOf,
  keptRowOf,
  type Reports,
  type SpendKey,
  type SpendQuestion,
  spendCounts,
  spendRowOf,
} from './reports.ts';
import { Runs } from './runs.ts';
import {
  bytesOf,
  dayOfCall,
  reportedOutcome,
  storedText,
  whereLost,
  whereOpen,
  whereSent,
} from './schema.ts';
import { forgetWaiting } from './sqlite-bookmarks.ts';

const keyColumns = {
  day: 'day',
  month: 'substr(day, 1, 7)',
  command: 'command',
  profile: 'profile',
  user: 'user',
  host: 'host',
  file: 'file',
  at: 'at',
} as const satisfies Record<SpendKey, string>;

const spendRow = spendRowOf(storedText);

const countedCalls = `SELECT source, day, outcome, calls FROM spent
  UNION ALL SELECT source, ${dayOfCall('call')}, ${reportedOutcome('call')}, 1 FROM call WHERE ${whereSent}`;

const callsAbout = (
  names: number,
): string => `SELECT source, at, ${dayOfCall('call')} AS day, ${reportedOutcome('call')} AS outcome, 1 AS calls
  FROM call WHERE item IN (${Array.from({ length: names }, () => '?').join()})`;

const bookedCall = bookedCallOf(storedText);
const callsSql = `SELECT call.id, at, run, ${bytesOf('outcome')}, ${bytesOf('billing')}, ${bytesOf('operation')},
    ${bytesOf("coalesce(item, '')", 'item')}, ${bytesOf('command')}
  FROM call JOIN source ON source.id = call.source JOIN owner ON owner.id = source.owner
  WHERE owner.name = ? AND at BETWEEN ? AND ? ORDER BY at, call.id`;
const billedUnansweredSql = `SELECT ${bytesOf("coalesce(item, '')", 'text')} FROM call
  JOIN source ON source.id = call.source JOIN owner ON owner.id = source.owner
  WHERE ${whereOpen} AND outcome = 'billed_lost' AND max_age > 0 AND owner.name = ? ORDER BY call.id`;

const keptBody = keptBodyOf(storedText);
// By the index of their owner, each page would be sorted anew.
const bodiesSql = (place: string, until: string): string =>
  `SELECT ${bytesOf(`CAST(${place} AS TEXT)`, 'place')}, at, missing, ${bytesOf('body')} FROM answer
  WHERE ${until} > ? AND +owner IN (SELECT id FROM owner WHERE base_url = ? AND name LIKE ?) AND +operation = ?
    AND ${place} > ? ORDER BY ${place} LIMIT 100`;
/** Of any operation, also one that no document has. */
const keysAboutSql = `SELECT DISTINCT ${bytesOf('key', 'text')} FROM call WHERE item IN (?, ?)`;
const ofKey = 'key >= ? AND key < ?';

const keptRow = keptRowOf(storedText);

const inGroup = 'answer.owner = kept.owner AND answer.operation = kept.operation';
const pastItsAge = (sum: string): string =>
  `(SELECT ${sum} FROM answer INDEXED BY answer_until WHERE until <= ? AND ${inGroup})`;
const timeOfKept = (which: 'min' | 'max'): string =>
  `(SELECT ${which}(at) FROM answer WHERE until > ? AND ${inGroup})`;

/** So many that are past their age are counted one by one; of more, those that are not. */
const fewExpired = 20_000;

const countSql = 'SELECT coalesce(sum(answers), 0) AS number FROM kept';

const allButExpiredSql = `SELECT * FROM (SELECT ${bytesOf('operation')}, ${bytesOf('base_url')}, ${bytesOf('account')},
      answers - ${pastItsAge('count(*)')} AS answers, bytes - ${pastItsAge('coalesce(sum(answer.bytes), 0)')} AS bytes,
      ${timeOfKept('min')} AS oldest, ${timeOfKept('max')} AS latest
    FROM kept JOIN owner ON owner.id = kept.owner) WHERE answers > 0 ORDER BY base_url, account, operation`;

const unexpiredSql = `SELECT ${bytesOf('operation')}, ${bytesOf('base_url')}, ${bytesOf('account')}, answers, bytes, oldest, latest FROM
    (SELECT owner, operation, count(*) AS answers, sum(bytes) AS bytes, min(at) AS oldest, max(at) AS latest
      FROM answer INDEXED BY answer_until WHERE until > ? GROUP BY owner, operation) AS kept
  JOIN owner ON owner.id = kept.owner ORDER BY base_url, account, operation`;

/** So many at a time, because other runs wait for the end of a transaction. */
const deletedAtOnce = 2000;
const purgeSql = `DELETE FROM answer WHERE id IN (SELECT id FROM answer WHERE at <= ? AND id <= ? LIMIT ${deletedAtOnce})`;

export class SqliteReports implements Reports {
  constructor(private readonly file: BookFile) {}

  budgetUses(owner: Owner, limits: Limits, at: number) {
    return this.file.read(() => usesIn(this.file, ownerName(owner), limits, at));
  }

  spend({ since = '', until = '9999', by, about = [], profile, sandbox }: SpendQuestion) {
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
    const isSandbox = sandbox ? 1 : 0;
    const [named, last] = [profile ?? null, `${until}~`];
    return this.file.read(() =>
      this.file.rows(spendRow, sql, ...names, isSandbox, since, last, named, named),
    );
  }

  /** What is past its age may be a million answers: it goes little by little at the end of each run. */
  keptAnswers(now: number) {
    const { file } = this;
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

  answers(versions: boolean, ...[base, owner, operation, place]: KeptOf) {
    const sql = versions ? bodiesSql('key', '+until') : bodiesSql('id', 'at + max_age');
    const after = versions ? place : Number(place);
    return this.file.read(() =>
      this.file.rows(keptBody, sql, Date.now(), base, owner, operation, after),
    );
  }

  answersThere(): Promise<number> {
    return this.file.read(() => this.file.number(countSql));
  }

  lostCalls(): Promise<number> {
    return this.file.read(() =>
      this.file.number(`SELECT count(*) AS number FROM call WHERE ${whereLost} AND max_age > 0`),
    );
  }

  billedUnanswered(owner: Owner) {
    return this.file.read(() => this.file.texts(billedUnansweredSql, ownerName(owner)));
  }

  calls(owner: Owner, from: number, to: number) {
    const { file } = this;
    const runs = new Runs(file);
    return file.read(() =>
      file
        .rows(bookedCall, callsSql, ownerName(owner), from, to)
        .map((call) =>
          call.outcome === 'sent' && !runs.isAlive(call.run) ? { ...call, outcome: 'lost' } : call,
        ),
    );
  }

  settleByLog(_owner: Owner, ends: readonly EndByLog[]): Promise<void> {
    const { file } = this;
    const sql = 'UPDATE call SET outcome = ? WHERE id = ? AND outcome = ?';
    return file.transaction(() => {
      new Runs(file).concludeDead();
      for (const { id, outcome, after } of ends) file.run(sql, after, id, outcome);
    });
  }

  hasAnswer(id: string, questions: AskedItems): Promise<boolean> {
    const sql = `SELECT count(*) AS number FROM answer WHERE ${ofKey}`;
    return this.file.read(() =>
      this.keysAbout(id, questions).some((key) => this.file.number(sql, key, behind(key)) > 0),
    );
  }

  concludeDeadRuns(): Promise<void> {
    return this.file.transaction(() => new Runs(this.file).concludeDead());
  }

  async forget(id: string, questions: AskedItems) {
    const { file } = this;
    const forgotten = await file.transaction(() => {
      const calls = file.run('UPDATE call SET item = ? WHERE item = ?', hashOf(id), id);
      const remove = (deleted: number, key: string) =>
        deleted + file.run(`DELETE FROM answer WHERE ${ofKey}`, key, behind(key));
      const keys = this.keysAbout(id, questions);
      return { answers: keys.reduce(remove, forgetWaiting(file, id)), calls };
    });
    await file.shrink();
    return forgotten;
  }

  async purge(upTo: number) {
    const { file } = this;
    // What is bought while it goes on stays. With the plain `id`, SQLite would try one answer after the other from the last.
    const last = await file.read(() =>
      file.number('SELECT coalesce(max(+id), 0) AS number FROM answer WHERE at <= ?', upTo),
    );
    let deleted = 0;
    for (let gone = deletedAtOnce; gone === deletedAtOnce; deleted += gone)
      gone = await file.transaction(() => file.run(purgeSql, upTo, last));
    await file.shrink();
    return { deleted, kept: await this.answersThere() };
  }

  async purgeAll() {
    const { file } = this;
    await this.concludeDeadRuns();
    await file.transaction(() =>
      file.run(`UPDATE call SET max_age = 0 WHERE ${whereLost} AND max_age > 0`),
    );
    return this.purge(Number.MAX_SAFE_INTEGER);
  }

  private keysAbout(id: string, questions: AskedItems): readonly string[] {
    const owners = this.file.texts(`SELECT ${bytesOf('name', 'text')} FROM owner`);
    const keys = owners.flatMap((owner) => questions.map((question) => keyOf(owner, question)));
    return [...new Set([...keys, ...this.file.texts(keysAboutSql, id, hashOf(id))])];
  }
}

const endedSql = `SELECT coalesce(sum(calls), 0) AS number FROM owner JOIN source ON source.owner = owner.id JOIN spent ON spent.source = source.id
  WHERE owner.name = ? AND day BETWEEN ? AND ? AND outcome <> 'not_billed'`;
const underWayRow = z.object({ run: z.number(), calls: z.number() });
const underWaySql = `SELECT run, count(*) AS calls FROM call JOIN source ON source.id = call.source JOIN owner ON owner.id = source.owner
  WHERE ${whereSent} AND owner.name = ? AND ${dayOfCall('call')} BETWEEN ? AND ? GROUP BY run`;

/** Calls under way count, because they may be billed. */
export const usesIn = (file: BookFile, owner: string, limits: Limits, at: number) =>
  budgetUses(limits, (period) => {
    const days = daysOf(period, at);
    return file.number(endedSql, owner, ...days) + underWayIn(file, owner, days);
  });

export const underWayIn = (
  file: BookFile,
  owner: string,
  days: readonly [string, string],
  isOf = (_run: number) => true,
): number =>
  file
    .rows(underWayRow, underWaySql, owner, ...days)
    .reduce((sum, { run, calls }) => sum + (isOf(run) ? calls : 0), 0);
