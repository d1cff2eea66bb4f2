/** The calls of one run in a book on PostgreSQL: the run lives by a lease, and waits for no settlement. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { orFailure } from '../errors.ts';
import { endOfTurn, gather } from '../files/gather.ts';
import type { RunBook, RunBookOptions } from './book.ts';
import type { Limits } from './budget.ts';
import {
  type BookCall,
  hashOf,
  type KeptAnswer,
  keyOf,
  type Lost,
  newPlacesIn,
  ownerName,
  type Settled,
  type Taken,
  type Ticket,
} from './calls.ts';
import type { PostgresValue } from './postgres-connection.ts';
import { type PostgresDatabase, patienceAtEndMs } from './postgres-database.ts';
import { leaseMs, version } from './postgres-schema.ts';

const beginRow = z.object({ at: z.number(), is_first: z.boolean() });
const stateRow = z.object({
  state: z.string(),
  number: z.nullable(z.number()),
  body: z.nullable(z.string()),
});
const lookRow = z.extend(stateRow, { place: z.number() });
const takeRow = z.extend(stateRow, { closed: z.number() });

const beginSql =
  'SELECT at, is_first FROM pdi.begin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)';
const lookSql =
  'SELECT place, state, number, body FROM pdi.look($1, $2::text[], $3::int8[], $4, $5)';
const takeSql = `SELECT state, number, body, closed FROM pdi.take($1, $2, $3, $4, $5, $6, $7,
  $8::int4[], $9::text[], $10::int8[], $11::text[], $12::text[], $13::text[], $14::bool[])`;
const settleSql = `SELECT pdi.settle($1, $2::int8[], $3::int4[], $4::text[], $5::int8[], $6::text[],
  $7::text[], $8::text[], $9::text[], $10::int8[], $11::bool[], $12::text[], $13)`;
const lostRow = z.object({ key: z.string(), id: z.number() });
/** Who has the lock of FILE knows that earlier runs on it are over, also before their leases are. */
const lostSql = `SELECT key, call.id FROM pdi.call JOIN pdi.owner ON owner.id = call.owner
    JOIN pdi.source ON source.id = call.source
  WHERE name = $1 AND (outcome IN ('lost', 'billed_lost') OR (outcome = 'sent' AND host = $2 AND file = $3))
  ORDER BY call.id`;
const boughtSql = `SELECT coalesce(max(at), 0) AS number FROM pdi.call
  WHERE item = ANY ($1::text[]) AND key = $2
  AND (outcome = 'billed' OR (outcome = 'unpriced' AND billing = 'unstated'))`;
const clearedSql = `SELECT (NOT EXISTS (SELECT 1 FROM pdi.call
    WHERE key = $2 AND outcome IN ('sent', 'lost', 'billed_lost'))
  AND EXISTS (SELECT 1 FROM pdi.call
    WHERE item = ANY ($1::text[]) AND key = $2 AND outcome = 'cleared'))::int AS number`;

/** What is sent has to reach the service while the lease lasts. */
const surelyHeldMs = (leaseMs * 2) / 3;

export class PostgresRun implements RunBook {
  private readonly token = randomUUID();
  private readonly ownerName: string;
  private nonce = 0;
  private begun: z.infer<typeof beginRow> | undefined;
  /** What to add to the clock of this machine. */
  private ahead = 0;
  private hasKept = false;
  private beats: NodeJS.Timeout | undefined;
  private renewed = { wall: 0, steady: 0 };
  private readonly settling = new Set<Promise<unknown>>();

  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: RunBookOptions,
  ) {
    this.ownerName = ownerName(options.facts.owner);
  }

  now(): number {
    return this.options.clock() + this.ahead;
  }

  keyOf(question: Parameters<typeof keyOf>[1], ofThisRun: boolean): string {
    return keyOf(this.ownerName, question, ofThisRun ? this.token : '');
  }

  async boughtAt({ key, item }: BookCall): Promise<number | undefined> {
    if (item === undefined) return undefined;
    const names = [item, hashOf(item)];
    return (await this.database.number(boughtSql, names, key)) || undefined;
  }

  async isCleared({ key, item = '' }: BookCall): Promise<boolean> {
    return (await this.database.number(clearedSql, [item, hashOf(item)], key)) === 1;
  }

  readonly find = gather(async (calls: readonly BookCall[]): Promise<readonly Looked[]> => {
    const { fresh, retryUnknown } = this.options.rules;
    const keys = calls.map(({ key }) => key);
    const ages = calls.map(({ maxAge }) => maxAge);
    const token = fresh ? this.token : null;
    const rows = await this.database.patient(
      () => this.database.ask(lookRow, lookSql, version, keys, ages, token, retryUnknown),
      this.options.stop,
    );
    const found = new Map(rows.map(({ place, ...row }) => [place, knownOf(row)]));
    return calls.map((_, at) => found.get(at + 1));
  });

  readonly take = gather(async (calls: readonly BookCall[]): Promise<readonly Taken[]> => {
    const { cap } = this.options;
    // Several moments may be under way, so places are reserved before, and given back.
    const places = Math.min(calls.filter(({ hasPlace }) => hasPlace !== true).length, cap.left);
    cap.reserve(places);
    let used = 0;
    try {
      const taken = await this.takeAll(calls, places);
      used = newPlacesIn(taken);
      return taken;
    } finally {
      cap.reserve(used - places);
    }
  });

  private takeAll(calls: readonly BookCall[], places: number): Promise<readonly Taken[]> {
    const { fresh, retryUnknown, limits } = this.options.rules;
    const rules = [limits.month ?? null, limits.day ?? null, retryUnknown, fresh] as const;
    const nonces = calls.map(() => this.nextNonce());
    const placed = calls.map(({ hasPlace }) => hasPlace === true);
    let tries = 0;
    return this.patient(async () => {
      const isAgain = tries++ > 0;
      const asked = thisMoment();
      const values = [...rules, isAgain, nonces, ...columnsOf(calls), placed];
      const [, rows] = await Promise.all([
        this.begin(),
        this.database.ask(takeRow, takeSql, this.token, places, ...values),
      ]);
      this.renewed = asked;
      this.options.limit?.close(rows[0]?.closed ?? 0);
      return rows.map((row, at) => takenOf(row, calls[at], limits));
    });
  }

  async lost(): Promise<ReadonlyMap<string, number>> {
    const { database, ownerName } = this;
    const { host, file } = this.options.facts;
    await database.change('SELECT pdi.bury_dead(id) FROM pdi.owner WHERE name = $1', ownerName);
    const rows = await database.rows(lostRow, lostSql, ownerName, host, file);
    return new Map(rows.map(({ key, id }) => [key, id]));
  }

  /** A machine may have slept while its run was taken for dead: then the call is given back, and taken anew. */
  holds(): boolean {
    const { wall, steady } = this.renewed;
    return Math.max(Date.now() - wall, performance.now() - steady) < surelyHeldMs;
  }

  async giveBack({ call, number }: Ticket): Promise<Ticket> {
    const closed = Math.ceil(this.options.limit?.closedForMs() ?? 0);
    await this.patient(() =>
      this.database.run('SELECT pdi.give_back($1, $2, $3)', number, call.key, closed),
    );
    return { call: { ...call, hasPlace: true }, number: 0 };
  }

  settle(end: Settled): Promise<undefined> {
    if (end.answer !== undefined && end.ticket.call.maxAge > 0) this.noteKept();
    const settling = this.settleAll({ end, ago: this.now() - (end.answer?.at ?? 0) });
    const isOver = orFailure(() => settling).finally(() => this.settling.delete(isOver));
    this.settling.add(isOver);
    return settling;
  }

  private readonly settleAll = gather(async (ends: readonly Settlement[]) => {
    const { database, token, options } = this;
    const calls = ends.map(({ end }) => end.ticket.call);
    const answers = ends.map(({ end }) => end.answer);
    const values = [ends.map(({ end }) => end.ticket.number), calls.map(() => this.nextNonce())];
    const results = [
      ends.map(({ end }) => end.outcome),
      ends.map(({ ago }) => Math.max(0, Math.round(ago))),
      answers.map((answer) => answer?.missing === true),
      answers.map((answer) => answer?.body ?? null),
    ];
    // A run that resumes settles what its journal knows before it takes anything.
    const asked = () =>
      database.run(
        settleSql,
        token,
        ...values,
        ...columnsOf(calls),
        ...results,
        options.rules.keepVersions,
      );
    await this.patient(() => Promise.all([this.begin(), asked()]));
    return ends.map(() => undefined);
  });

  /** The last settlements go before it on one connection. A server that is silent is not waited for: the lease ends too. */
  async close(): Promise<void> {
    clearInterval(this.beats);
    await endOfTurn();
    const { database, token } = this;
    if (this.begun !== undefined) database.atEnd(database.run('SELECT pdi.conclude($1)', token));
    await Promise.all(this.settling);
  }

  private async patient<T>(work: () => Promise<T>): Promise<T> {
    const { stop } = this.options;
    const end = new AbortController();
    const endSoon = () => void setTimeout(() => end.abort(), patienceAtEndMs).unref();
    if (stop?.aborted === true) endSoon();
    stop?.addEventListener('abort', endSoon, { once: true });
    try {
      return await this.database.patient(work, end.signal);
    } finally {
      stop?.removeEventListener('abort', endSoon);
    }
  }

  private nextNonce(): number {
    this.nonce += 1;
    return this.nonce;
  }

  private noteKept(): void {
    if (this.hasKept) return;
    this.hasKept = true;
    if (this.begun?.is_first === true) this.options.onFirstKept();
  }

  /** Goes before the first call, in one packet with it; a repetition does nothing. */
  private async begin(): Promise<void> {
    if (this.begun !== undefined) return;
    const { owner, profile, command, origin, sandbox, user, host, file } = this.options.facts;
    const source = [profile, command, origin, sandbox, user, host, file, this.options.pid] as const;
    const whose = [this.ownerName, owner.baseUrl, owner.account ?? null] as const;
    const { clock } = this.options;
    const from = clock();
    const rows = this.database.ask(beginRow, beginSql, version, this.token, ...whose, ...source);
    const [begun] = await rows;
    if (this.begun !== undefined || begun === undefined) return;
    this.begun = begun;
    this.ahead = begun.at - (from + clock()) / 2;
    this.beats = setInterval(() => void this.beat().catch(() => undefined), leaseMs / 3).unref();
  }

  private async beat(): Promise<void> {
    const asked = thisMoment();
    await this.database.run('SELECT pdi.beat($1)', this.token);
    this.renewed = asked;
  }
}

/** A machine that sleeps may stop either clock. */
const thisMoment = () => ({ wall: Date.now(), steady: performance.now() });

type Looked = { readonly answer: KeptAnswer } | Lost | undefined;

interface Settlement {
  readonly end: Settled;
  /** Its answer came so many milliseconds ago. */
  readonly ago: number;
}

const columnsOf = (calls: readonly BookCall[]): readonly PostgresValue[] => [
  calls.map(({ key }) => key),
  calls.map(({ maxAge }) => maxAge),
  calls.map(({ operation }) => operation),
  calls.map(({ item }) => item ?? null),
  calls.map(({ billing }) => billing),
];

function knownOf({ state, number, body }: z.infer<typeof stateRow>): Looked {
  if (state === 'lost' || state === 'billed_lost') return state;
  if ((state !== 'answer' && state !== 'missing') || body === null) return undefined;
  return { answer: { at: number ?? 0, missing: state === 'missing', body } };
}

function takenOf(row: z.infer<typeof stateRow>, call: BookCall | undefined, limits: Limits): Taken {
  const { state, number } = row;
  if (state === 'ticket' && call !== undefined) return { ticket: { call, number: number ?? 0 } };
  if (state === 'held' || state === 'capped') return state;
  const known = knownOf(row);
  if (known !== undefined) return known;
  const period = state.endsWith('month') ? 'month' : 'day';
  const use = { period, used: number ?? 0, limit: limits[period] ?? 0 } as const;
  return state.startsWith('over') ? { over: use } : { full: use };
}
