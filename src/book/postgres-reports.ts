/** What a team's book tells of all accounts and base URLs, and what is deleted from it. */
import * as z from 'zod/mini';
import { attempt } from '../errors.ts';
import { isObject } from '../json/exact.ts';
import { stateAfter } from './bookmarks.ts';
import { budgetUses, type Limits } from './budget.ts';
import { hashOf, keyOf, type Owner, ownerName } from './calls.ts';
import { type PostgresDatabase, textRow } from './postgres-database.ts';
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

const keyColumns: Readonly<Record<SpendKey, string>> = {
  day: 'day',
  month: 'left(day, 7)',
  command: 'command',
  profile: 'profile',
  user: 'source."user"',
  host: 'host',
  file: 'file',
  at: 'at',
};

const spendRow = spendRowOf(z.string());

const reported = 'pdi.reported(outcome, billing) AS outcome, 1 AS calls';
const countedCalls = `SELECT source, day, outcome, calls FROM pdi.spent UNION ALL
  SELECT source, pdi.day(at), ${reported} FROM pdi.call WHERE outcome = 'sent'`;
const callsAbout = `SELECT source, at, pdi.day(at) AS day, ${reported}
  FROM pdi.call WHERE item = ANY ($5::text[])`;

const bookedCall = bookedCallOf(z.string());
const callsSql = `SELECT call.id, at, run, billing, operation, coalesce(item, '') AS item, command,
    CASE WHEN outcome = 'sent' AND NOT pdi.alive(run) THEN 'lost' ELSE outcome END AS outcome
  FROM pdi.call JOIN pdi.owner ON owner.id = call.owner JOIN pdi.source ON source.id = call.source
  WHERE name = $1 AND at BETWEEN $2 AND $3 ORDER BY at, call.id`;
const billedUnansweredSql = `SELECT coalesce(item, '') AS text FROM pdi.call
  JOIN pdi.owner ON owner.id = call.owner
  WHERE name = $1 AND outcome = 'billed_lost' AND max_age > 0 ORDER BY call.id`;

/** Asked once a statement, so that an index serves. */
const now = '(SELECT pdi.ms())';

const keptBody = keptBodyOf(z.string());
const bodiesSql = `SELECT key AS place, at, missing::int AS missing, body FROM pdi.answer
  WHERE owner IN (SELECT id FROM pdi.owner WHERE base_url = $1 AND name LIKE $2) AND operation = $3
    AND CASE WHEN $5 THEN until ELSE at + max_age END > ${now} AND key > $4 ORDER BY key LIMIT 100`;

const keptRow = keptRowOf(z.string());
const inGroup = 'a.owner = kept.owner AND a.operation = kept.operation';
const keptSql = `SELECT operation, base_url, account, answers - gone AS answers,
    bytes - gone_bytes AS bytes, oldest, latest
  FROM pdi.kept JOIN pdi.owner ON owner.id = kept.owner,
    LATERAL (SELECT count(*) AS gone, coalesce(sum(a.bytes), 0)::bigint AS gone_bytes
      FROM pdi.answer a WHERE ${inGroup} AND until <= ${now}) AS expired,
    LATERAL (SELECT (SELECT min(at) FROM pdi.answer a WHERE ${inGroup} AND until > ${now}) AS oldest,
      (SELECT max(at) FROM pdi.answer a WHERE ${inGroup} AND until > ${now}) AS latest) AS times
  WHERE answers > gone ORDER BY base_url COLLATE "C",
    account COLLATE "C" NULLS FIRST, operation COLLATE "C"`;

const ownerRow = z.object({ id: z.number(), name: z.string() });
const usedSql = `SELECT pdi.used(id, pdi.days($2, pdi.ms())) AS number
  FROM pdi.owner WHERE name = $1`;
const latestSql = `SELECT least($1, greatest(pdi.ms(), (SELECT max(at) FROM pdi.answer)))
  AS number`;
const forgottenRow = z.object({ answers: z.number(), calls: z.number() });

const waitingRow = z.object({
  bookmark: z.string(),
  sandbox: z.boolean(),
  place: z.number(),
  record: z.string(),
  state: z.nullable(z.string()),
});
const waitingSql = `SELECT bookmark, outbox.sandbox, place, record, state FROM pdi.outbox
  LEFT JOIN pdi.bookmark ON name = bookmark AND bookmark.sandbox = outbox.sandbox
  WHERE position($1 IN record) > 0`;

export class PostgresReports implements Reports {
  constructor(private readonly database: PostgresDatabase) {}

  async budgetUses(owner: Owner, limits: Limits) {
    const use = async (period: keyof Limits) =>
      [period, await this.database.number(usedSql, ownerName(owner), period)] as const;
    const periods = (['month', 'day'] as const).filter((period) => limits[period] !== undefined);
    const used = new Map(await Promise.all(periods.map(use)));
    return budgetUses(limits, (period) => used.get(period) ?? 0);
  }

  spend({ since = '', until = '9999', by, about = [], profile, sandbox }: SpendQuestion) {
    const columns = [
      ...by.map((key) => `${keyColumns[key]} AS "${key}"`),
      ...spendCounts.map(
        (name) => `coalesce(sum(calls) FILTER (WHERE outcome = '${name}'), 0)::bigint AS ${name}`,
      ),
    ].join();
    const keys = by.map((key) => keyColumns[key]);
    const order = keys.map((key) => (key === 'at' ? key : `${key} COLLATE "C"`));
    const names = about.flatMap((id) => [id, hashOf(id)]);
    const sql = `SELECT ${columns} FROM (${names.length === 0 ? countedCalls : callsAbout}) AS counted
      JOIN pdi.source ON source.id = counted.source
      WHERE sandbox = $1 AND day BETWEEN $2 AND $3 AND ($4::text IS NULL OR profile = $4)
      GROUP BY (${keys.join()}) HAVING sum(calls) > 0 ${order.length === 0 ? '' : `ORDER BY ${order.join()}`}`;
    const which = [sandbox, since, `${until}~`, profile ?? null] as const;
    const added = names.length === 0 ? [] : [names];
    return this.database.rows(spendRow, sql, ...which, ...added);
  }

  /** By the server's clock. */
  keptAnswers() {
    return this.database.rows(keptRow, keptSql);
  }

  answers(versions: boolean, ...of: KeptOf) {
    return this.database.rows(keptBody, bodiesSql, ...of, versions);
  }

  answersThere(): Promise<number> {
    const sql = 'SELECT coalesce(sum(answers), 0)::bigint AS number FROM pdi.kept';
    return this.database.number(sql);
  }

  lostCalls(): Promise<number> {
    const where = "outcome IN ('lost', 'billed_lost') AND max_age > 0";
    return this.database.number(`SELECT count(*) AS number FROM pdi.call WHERE ${where}`);
  }

  async billedUnanswered(owner: Owner) {
    const rows = await this.database.rows(textRow, billedUnansweredSql, ownerName(owner));
    return rows.map(({ text }) => text ?? '');
  }

  calls(owner: Owner, from: number, to: number) {
    return this.database.rows(bookedCall, callsSql, ownerName(owner), from, to);
  }

  settleByLog(owner: Owner, ends: readonly EndByLog[]): Promise<void> {
    const sql = 'SELECT pdi.settle_by_log($1, $2::int8[], $3::text[], $4::text[])';
    const [ids, outcomes] = [ends.map(({ id }) => id), ends.map(({ outcome }) => outcome)];
    const afters = ends.map(({ after }) => after);
    return this.database.change(sql, ownerName(owner), ids, outcomes, afters);
  }

  async hasAnswer(id: string, questions: AskedItems): Promise<boolean> {
    const sql = `SELECT count(*) AS number FROM pdi.answer, (
      SELECT unnest($1::text[]) AS k UNION SELECT key FROM pdi.call WHERE item IN ($2, $3)) AS asked
      WHERE answer.key >= k AND answer.key < k || '!'`;
    const keys = await this.keysOf(questions);
    return (await this.database.number(sql, keys, id, hashOf(id))) > 0;
  }

  async concludeDeadRuns(): Promise<void> {
    const sql = 'SELECT pdi.bury_dead(id) FROM (SELECT id FROM pdi.owner ORDER BY id) AS owner';
    await this.database.change(sql);
  }

  async forget(id: string, questions: AskedItems) {
    const waiting = await this.forgetWaiting(id);
    const keys = await this.keysOf(questions);
    const sql = 'SELECT answers, calls FROM pdi.forget($1, $2, $3::text[])';
    const [gone] = await this.database.rows(forgottenRow, sql, id, hashOf(id), keys);
    return { answers: (gone?.answers ?? 0) + waiting, calls: gone?.calls ?? 0 };
  }

  async purge(upTo: number) {
    const { database } = this;
    // What is bought while it goes on stays. A clock may have been wrong.
    const last = await database.number(latestSql, upTo);
    let deleted = 0;
    for (const { id } of await this.owners())
      for (let gone = 1; gone > 0; deleted += gone)
        gone = await database.number('SELECT pdi.purge($1, $2) AS number', id, last);
    return { deleted, kept: await this.answersThere() };
  }

  async purgeAll() {
    for (const { id } of await this.owners())
      await this.database.change('SELECT pdi.let_go($1)', id);
    return this.purge(Number.MAX_SAFE_INTEGER);
  }

  private owners() {
    return this.database.rows(ownerRow, 'SELECT id, name FROM pdi.owner ORDER BY id');
  }

  private async keysOf(questions: AskedItems): Promise<readonly string[]> {
    const owners = await this.owners();
    return owners.flatMap(({ name }) => questions.map((question) => keyOf(name, question)));
  }

  /** They count as delivered: none comes again. */
  private async forgetWaiting(id: string): Promise<number> {
    const rows = await this.database.rows(waitingRow, waitingSql, JSON.stringify(id));
    const about = rows.filter(({ record }) => isAbout(id, record));
    const states = new Map<string, string>();
    for (const { bookmark, sandbox, place, record, state } of about) {
      const which = `${bookmark} ${sandbox}`;
      const after = stateAfter(bookmark, states.get(which) ?? state ?? '', record);
      if (after !== undefined) states.set(which, after);
      const sql = 'SELECT pdi.forget_waiting($1, $2, $3, $4)';
      await this.database.change(sql, bookmark, sandbox, place, after ?? state);
    }
    return about.length;
  }
}

function isAbout(id: string, record: string): boolean {
  const value: unknown = attempt(() => JSON.parse(record));
  return isObject(value) && value.entity_id === id;
}
