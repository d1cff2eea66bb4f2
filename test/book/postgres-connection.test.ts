/** The connection to a book on PostgreSQL, with a real server: values, a server that is away for a while, and failures in words. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { postgresAddress } from '../../src/book/postgres-address.ts';
import { PostgresConnection } from '../../src/book/postgres-connection.ts';
import { BookAway } from '../../src/book/postgres-failure.ts';
import { thisMachine } from '../../src/book/postgres-socket.ts';
import { exitOf } from '../../src/exit.ts';
import { createAuthority } from '../campaign/certificates.ts';
import { failureOf } from '../support/failure.ts';
import { needsProgram } from '../support/needs.ts';
import { freePort, listening } from '../support/origin.ts';
import {
  Cluster,
  filledBy,
  needsPooler,
  needsPostgres,
  passage,
  pooler,
  rowsOf,
} from '../support/postgres.ts';
import { newFolder } from '../support/run.ts';

const [home, patience, noPatience] = [newFolder(), 60_000, 0];
const value = z.object({ value: z.unknown() });
const notices: string[] = [];

interface Opened {
  readonly env?: Readonly<Record<string, string>>;
  readonly maxWaitMs?: number;
  readonly answerMs?: number;
  readonly noticeMs?: number;
}

/** It is closed at the end of the test. */
function open(
  url: string,
  { env = {}, maxWaitMs = noPatience, answerMs = 15_000, ...more }: Opened = {},
) {
  notices.length = 0;
  const notice = (words: string) => void notices.push(words);
  const options = { maxWaitMs, answerMs, notice, ...more };
  const connection = new PostgresConnection(
    postgresAddress(url, env, thisMachine('linux', home)),
    options,
  );
  onTestFinished(() => connection.close());
  return connection;
}

describe('a server', needsPostgres, () => {
  let cluster: Cluster;
  const url = (role = 'ana', database = 'pdi', port = cluster.port) =>
    `postgres://${role}@127.0.0.1:${port}/${database}`;

  beforeAll(async () => {
    cluster = await Cluster.start({ rules: 'host all pass all scram-sha-256' });
    cluster.sql(`CREATE ROLE ana LOGIN; CREATE ROLE "No Body" LOGIN;
      CREATE ROLE pass LOGIN PASSWORD 'right'`);
    cluster.sql('CREATE DATABASE pdi');
    cluster.sql('CREATE DATABASE closed');
    cluster.sql('REVOKE CONNECT ON DATABASE closed FROM public');
    cluster.sql('CREATE SCHEMA pdi; CREATE TABLE pdi.call (id int)', 'pdi');
  });
  afterAll(() => cluster.stop());

  it('gets values as they are, and gives numbers', async () => {
    const book = open(url());
    for (const text of [
      '',
      "it's",
      '\\',
      "\\' OR 1=1; --",
      '$1 $&',
      'é漢😀\n\t',
      '{"a":"\\u0000"}',
    ])
      expect(await book.ask(value, 'SELECT $1 AS value', text)).toEqual([{ value: text }]);
    const items = ['a', 'b"\\c', null, '', ' NULL ', "'", '{,}'];
    const parts = 'SELECT unnest($1::text[]) AS value';
    expect(await book.ask(value, parts, items)).toEqual(items.map((item) => ({ value: item })));
    const [row] = await book.ask(
      z.record(z.string(), z.unknown()),
      'SELECT $1::bigint AS big, sum(n) AS sum, 5 - $2 AS minus, $3::bool AS yes, $4::int AS nothing FROM unnest($5::int8[]) n',
      ...[1_700_000_000_000, -3, true, null, [1, 2, 3]],
    );
    expect(row).toEqual({ big: 1_700_000_000_000, sum: 6, minus: 8, yes: true, nothing: null });
    await expect(book.ask(value, 'SELECT $1', 'a\0b')).rejects.toThrow(/NUL/);
    const shape = z.object({ value: z.string() });
    const failure = await failureOf(book.ask(shape, 'SELECT 1 AS value'));
    expect([failure, failure.code]).toEqual([expect.any(BookAway), 'internal']);
  });

  it('gets statements without waiting for the answer to the one before, and prepares none', async () => {
    const way = await passage(cluster.port);
    const book = open(url('ana', 'pdi', way.port));
    const holder = open(url());
    await holder.run('SELECT pg_advisory_lock(1)');
    await book.run('SELECT 1');
    const second = new Promise<void>((resolve) => {
      way.events.on('sent', (text: string) => text.includes('behind') && resolve());
    });
    const answers = Promise.all([
      book.run('SELECT pg_advisory_lock($1)', 1),
      book.ask(value, "SELECT 'behind' AS value"),
    ]);
    await second;
    await holder.run('SELECT pg_advisory_unlock(1)');
    expect((await answers)[1]).toEqual([{ value: 'behind' }]);
    const prepared = 'SELECT count(*) AS value FROM pg_prepared_statements';
    expect(await book.ask(value, prepared)).toEqual([{ value: 0 }]);
  });

  it('is away for less than the patience: nobody sees it', async () => {
    const way = await passage(cluster.port);
    const book = open(url('ana', 'pdi', way.port), { maxWaitMs: patience, answerMs: 200 });
    const asked = () => book.patient(() => book.ask(value, 'SELECT 1 AS value'));
    expect(await asked()).toEqual([{ value: 1 }]);
    way.hush(true);
    // It is dropped, and the way is free again for the next one.
    const freed = way.opened().then(() => way.hush(false));
    expect(await asked()).toEqual([{ value: 1 }]);
    await freed;
    way.cut();
    expect(await Promise.all([asked(), asked()])).toHaveLength(2);
    await cluster.stop();
    const waiting = asked();
    await cluster.go();
    expect(await waiting).toEqual([{ value: 1 }]);
  });

  it('is waited for, and the user is told once that it is', async () => {
    const way = await passage(cluster.port);
    const soon = { maxWaitMs: patience, answerMs: 600_000, noticeMs: 0 };
    const book = open(url('ana', 'pdi', way.port), soon);
    way.hush(true);
    const asked = [1, 2].map(() => book.patient(() => book.run('SELECT 1')));
    await vi.waitUntil(() => notices.length > 0);
    way.hush(false);
    await Promise.all(asked);
    expect(notices).toEqual([expect.stringMatching(/^waiting for the book .*, 60 s at most$/)]);
  });

  it('is silent: the run can end at once all the same', async () => {
    const way = await passage(cluster.port);
    const endless = { maxWaitMs: patience, answerMs: 600_000 };
    const book = open(url('ana', 'pdi', way.port), endless);
    await book.run('SELECT 1');
    way.hush(true);
    const stop = new AbortController();
    const stopped = book.patient(() => book.ask(value, 'SELECT 1 AS value'), stop.signal);
    const asked = failureOf(book.run('SELECT 1'));
    stop.abort();
    expect(await failureOf(stopped)).toMatchObject({ code: 'interrupted' });
    expect(await failureOf(book.patient(() => book.run(''), stop.signal))).toMatchObject({
      code: 'interrupted',
    });
    book.close();
    expect(await asked).toBeInstanceOf(BookAway);
    await expect(book.run('SELECT 1')).rejects.toThrow('closed');
    const early = open(url('ana', 'pdi', way.port));
    const connecting = failureOf(early.run('SELECT 1'));
    await way.opened();
    early.close();
    expect(await connecting).toBeInstanceOf(BookAway);
  });

  it('may take long for what is said to be long', async () => {
    const book = open(url(), { answerMs: 100 });
    const slow = () => book.ask(value, 'SELECT 1 AS value FROM pg_sleep(0.4)');
    expect((await failureOf(slow())).message).toMatch(/: no answer within 0.1 s$/);
    expect(await book.long(slow)).toEqual([{ value: 1 }]);
  });

  it.each(
    rowsOf(`
      no role                 | bob@{tcp}            | SELECT 1 | 3 | bob@.*"bob" does not exist; .*PGPASSWORD
      no password             | pass@{tcp}/pdi       | SELECT 1 | 3 | it wants a password, and there is none.*127.0.0.1:\\d+:pdi:pass:PASSWORD
      no right to connect     | ana@{tcp}/closed     | SELECT 1 | 3 | GRANT CONNECT ON DATABASE closed TO ana
      no rights               | No%20Body@{tcp}/pdi  | SELECT * FROM pdi.call | 3 | GRANT USAGE ON SCHEMA pdi TO "No Body"; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pdi TO "No Body"
      no socket               | /pdi?host=/none      | SELECT 1 | 5 | host=/none&port=5432: no server has its socket | passes
      no such host            | no.such.invalid/pdi  | SELECT 1 | 5 | host name is not known; check
      no TLS                  | ana@{tcp}/pdi?sslmode=require | SELECT 1 | 5 | offers no TLS.*sslmode=disable
      no such table           | ana@{tcp}/pdi        | SELECT * FROM none | 1 | "none" does not exist \\(42P01\\)
      its end                 | postgres@{tcp}/pdi   | SELECT pg_terminate_backend(pg_backend_pid()) | 5 | connection was closed | passes
      a page of HTTP          | ana@{http}?sslmode=disable     | SELECT 1 | 5 | no server of PostgreSQL; check host and port
      more than a yes to TLS  | ana@{yes}?sslmode=require      | SELECT 1 | 5 | no server of PostgreSQL; check host and port
      a wish for Kerberos     | ana@{kerberos}?sslmode=disable | SELECT 1 | 3 | identity that pdi does not have
      nothing, and hangs up   | ana@{nothing}?sslmode=disable  | SELECT 1 | 5 | the connection was closed | passes
    `),
  )('is told in words: %s', async (_name, rest = '', text = '', exit, said = '', passes = '') => {
    const tcp = `127.0.0.1:${cluster.port}`;
    const place = filledBy({ tcp, ...(await strangers()) })(rest);
    const failure = await failureOf(open(`postgres://${place}`).run(text));
    expect(failure).toBeInstanceOf(BookAway);
    expect(failure.with({ status: 1 })).toBeInstanceOf(BookAway);
    expect(`${failure.message}; ${failure.details.hint}`).toMatch(new RegExp(said));
    expect([`${exitOf(failure.code)}`, failure.details.retryable]).toEqual([exit, passes !== '']);
  });

  /** Where something else says this to whoever says something. */
  async function strangers(): Promise<Record<string, string>> {
    const yes = 'S and more';
    const words = {
      http: 'HTTP/1.1 400 Bad Request\r\n\r\n',
      yes,
      kerberos: 'R\0\0\0\x08\0\0\0\x07',
    };
    const places: Record<string, string> = {};
    for (const [name, said] of Object.entries({ ...words, nothing: '' })) {
      const server = createServer((socket) => {
        const answer = () => (said === '' ? socket.end() : socket.write(said));
        socket.on('error', () => {}).on('data', answer);
      });
      places[name] = `127.0.0.1:${await listening(server)}`;
      onTestFinished(() => void server.close());
    }
    return places;
  }

  it('is tried once without patience, and with it for what does not pass', async () => {
    const nobody = url('ana', 'pdi', await freePort());
    for (const book of [open(nobody), open(url('bob'), { maxWaitMs: patience })]) {
      let tries = 0;
      const work = () => {
        tries += 1;
        return book.run('SELECT 1');
      };
      expect(await failureOf(book.patient(work))).toBeInstanceOf(BookAway);
      expect(tries).toBe(1);
    }
  });

  it('gets no password out of a file that others may read, which is said once', async () => {
    const passfile = join(newFolder(), 'passwords');
    writeFileSync(passfile, '*:*:*:pass:right\n');
    chmodSync(passfile, 0o644);
    const book = open(url('pass'), { env: { PGPASSFILE: passfile } });
    for (const _ of [1, 2])
      expect(await failureOf(book.run('SELECT 1'))).toMatchObject({ code: 'auth' });
    expect(notices).toEqual([
      `${passfile} is not used, because others may read it: chmod 600 ${passfile}`,
    ]);
    chmodSync(passfile, 0o600);
    await book.run('SELECT 1');
    const wrong = open(url('pass'), { env: { PGPASSWORD: 'wr0ng' } });
    const { code, message } = await failureOf(wrong.run('SELECT 1'));
    expect([code, message]).toEqual(['auth', expect.stringMatching(/: password auth[^0]*$/)]);
  });

  it('that only follows another is passed over for the one that writes', async () => {
    const standby = await cluster.standby();
    onTestFinished(() => standby.stop());
    const [follows, writer] = [standby, cluster].map(({ port }) => `127.0.0.1:${port}`);
    const book = open(`postgres://postgres@${writer},${follows}/pdi`);
    const writes = () => book.run('CREATE TEMPORARY TABLE written ()');
    await open(`postgres://postgres@${follows},${writer}/pdi`).run('CREATE TEMPORARY TABLE x ()');
    await Promise.all([writes(), book.run('SELECT 1')]);
    await failureOf(book.run('SELECT pg_terminate_backend(pg_backend_pid())'));
    await writes();
    const alone = await failureOf(
      open(url('postgres', 'pdi', standby.port)).run('CREATE SCHEMA x'),
    );
    expect([exitOf(alone.code), alone.message]).toEqual([5, expect.stringContaining('only reads')]);
  });

  it('behind a pooler serves as one without', needsPooler, async () => {
    const port = await pooler(cluster, ['ana']);
    const books = Array.from({ length: 5 }, () => open(url('ana', 'pdi', port)));
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const asked = numbers.flatMap((number) =>
      books.map((book) => book.ask(value, 'SELECT $1::int AS value', number)),
    );
    expect((await Promise.all(asked)).flat().map(({ value }) => value)).toEqual(
      numbers.flatMap((number) => books.map(() => number)),
    );
    const failure = await failureOf(open(url('ana', 'none', port)).run('SELECT 1'));
    expect([failure.code, failure.message]).toEqual(['usage', expect.stringContaining('"none"')]);
  });

  it(
    'with a certificate that is not right says by what it was checked',
    needsProgram('openssl'),
    async () => {
      const [authority, other] = [createAuthority(), createAuthority()];
      const tls = {
        ...authority.vouch('DNS:db.example', 2),
        authority: readFileSync(authority.file),
      };
      const secure = await Cluster.start({ tls });
      onTestFinished(() => secure.stop());
      const told = async (query: string) => {
        const { code, message, details } = await failureOf(
          open(`${secure.url()}?${query}`).run('SELECT 1'),
        );
        return `${exitOf(code)} ${message}; ${details.hint}`;
      };
      expect(await told(`sslmode=verify-full&sslrootcert=${authority.file}`)).toMatch(
        /^5 .*certificate.*sslmode=verify-full wants this host/,
      );
      expect(await told(`sslmode=verify-ca&sslrootcert=${other.file}`)).toMatch(
        /^5 .*TLS: .*sslmode=verify-ca checks the certificate by \S+ca.pem: name the file/,
      );
    },
  );
});
