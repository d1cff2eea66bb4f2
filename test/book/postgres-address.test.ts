/** The address of a book on PostgreSQL leads where it leads `psql`, by the same variables and files, or is refused by name. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { postgresAddress } from '../../src/book/postgres-address.ts';
import { PostgresConnection } from '../../src/book/postgres-connection.ts';
import { thisMachine } from '../../src/book/postgres-socket.ts';
import { orFailure, PdiError } from '../../src/errors.ts';
import { createAuthority } from '../campaign/certificates.ts';
import { failureOf } from '../support/failure.ts';
import { needsProgram } from '../support/needs.ts';
import { freePort } from '../support/origin.ts';
import {
  Cluster,
  filledBy,
  needsPostgres,
  psql,
  rowsOf,
  variablesIn,
} from '../support/postgres.ts';
import { newFolder } from '../support/run.ts';

type Variables = Readonly<Record<string, string>>;

const me = userInfo().username;
const home = newFolder();
const words: Record<string, string> = { home, me };
const filled = filledBy(words);

const reached = `SELECT concat_ws(' ', current_user, current_database(), current_setting('application_name'),
  CASE WHEN inet_server_addr() IS NULL THEN 'socket' ELSE
  (SELECT CASE WHEN ssl THEN 'tls' ELSE 'plain' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()) END) AS place`;

async function reachedByPdi(url: string, variables: Variables): Promise<string> {
  const place = await orFailure(async () => {
    const address = postgresAddress(url, variables, thisMachine('linux', variables.HOME));
    const connection = new PostgresConnection(address, { maxWaitMs: 0, notice: () => {} });
    const rows = await connection
      .ask(z.object({ place: z.string() }), reached)
      .finally(() => connection.close());
    return rows[0]?.place ?? '';
  });
  return place instanceof PdiError ? 'refused' : place;
}

const reachedByPsql = (url: string, variables: Variables): Promise<string> =>
  psql([url], reached, variables).catch(() => 'refused');

/** Address, variables with blanks between, and what is reached: {tcp} is a host with its port. */
const rows = rowsOf(`
postgres://ana@{tcp}/pdi                              |                                    | ana pdi {app} tls
postgresql://ana@{tcp}/pdi                            |                                    | ana pdi {app} tls
postgres://{tcp}                                      |                                    | {me} {me} {app} tls
postgres://ana@{tcp}                                  |                                    | ana ana {app} tls
postgres://ana:@{tcp}/pdi                             |                                    | ana pdi {app} tls
postgres://an%61@{tcp}/p%64i                          |                                    | ana pdi {app} tls
postgres://ana@:{port}/pdi                            | PGHOST=127.0.0.1                   | ana pdi {app} tls
postgres://127.0.0.1/pdi                              | PGPORT={port} PGUSER=ana           | ana pdi {app} tls
postgres://ana@127.0.0.1:/?port={port}                | PGPORT=1 PGDATABASE=pdi            | ana pdi {app} tls
postgres:///pdi?host={folder}&port={port}&user=ana    | PGUSER=x                           | ana pdi {app} socket
postgres://ana@{encoded}:{port}/pdi                   | PGSSLMODE=verify-full              | ana pdi {app} socket
postgres:///                                          | PGHOST={folder} PGPORT={port} PGUSER=ana PGDATABASE=pdi | ana pdi {app} socket
postgres:///?dbname=pdi&user=ana                      | PGHOST={folder} PGPORT={port}      | ana pdi {app} socket
postgres:///pdi?host=                                 | PGHOST={folder} PGPORT={port}      | refused
postgres://ana@127.0.0.1:{closed},{tcp}/pdi           |                                    | ana pdi {app} tls
postgres://ana@no.such.invalid,127.0.0.1/pdi?port={port} |                                 | ana pdi {app} tls
postgres:///pdi                                       | PGHOST=/no,{folder} PGPORT={closed},{port} PGUSER=ana | ana pdi {app} socket
postgres://ana@{tcp}/pdi?target_session_attrs=read-write |                                 | ana pdi {app} tls
postgres://ana@no.such.invalid:{port}/pdi             | PGHOSTADDR=127.0.0.1               | ana pdi {app} tls
postgres://ana@a,b:{port}/pdi?hostaddr=127.0.0.1,127.0.0.1 | PGPORT={port}                 | ana pdi {app} tls
postgres://ana@a,b/pdi?hostaddr=127.0.0.1             | PGPORT={port}                      | refused
postgres://ana@127.0.0.1/pdi?hostaddr=localhost       | PGPORT={port}                      | refused
postgres://ana@[::1]:{closed}/pdi                     |                                    | refused
postgres://ana@[::1/pdi                               | PGPORT={port}                      | refused
postgres://ana@{tcp}/pdi?application_name=job%201     | PGAPPNAME=x                        | ana pdi job 1 tls
postgres://postgres@/pdi?host={folder}&port={port}    | PGOPTIONS=-crole=ana               | ana pdi {app} socket
postgres://ana@{tcp}/pdi?connect_timeout=1            | PGCONNECT_TIMEOUT=no               | ana pdi {app} tls
postgres://ana@{tcp}/pdi                              | PGCONNECT_TIMEOUT=no               | refused
postgres://ana@{tcp}/pdi?sslmode=disable              | PGSSLMODE=require                  | ana pdi {app} plain
postgres://ana@{tcp}/pdi                              | PGSSLMODE=allow                    | ana pdi {app} plain
postgres://ana@{tcp}/pdi?ssl=true                     |                                    | ana pdi {app} tls
postgres://ana@{tcp}/pdi?sslmode=no                   |                                    | refused
postgres://ana@{tcp}/pdi                              | PGSSLMODE=no                       | refused
postgres://onlytls@{tcp}/pdi                          | PGSSLMODE=disable                  | refused
postgres://onlytls@{tcp}/pdi                          | PGSSLMODE=allow                    | onlytls pdi {app} tls
postgres://onlyplain@{tcp}/pdi                        | PGSSLMODE=prefer                   | onlyplain pdi {app} plain
postgres://onlyplain@{tcp}/pdi                        | PGSSLMODE=require                  | refused
postgres://ana@{tcp}/pdi                              | PGSSLMODE=verify-ca                | refused
postgres://ana@{tcp}/pdi?sslrootcert={root}           | PGSSLMODE=verify-ca                | ana pdi {app} tls
postgres://ana@{tcp}/pdi?sslrootcert={other}          | PGSSLMODE=require                  | refused
postgres://ana@{tcp}/pdi?sslmode=verify-full          | PGSSLROOTCERT={root}               | refused
postgres://ana@localhost:{port}/pdi?sslmode=verify-full | PGSSLROOTCERT={root}             | ana pdi {app} tls
postgres://ana@localhost:{port}/pdi?sslmode=require   | HOME={strict}                      | refused
postgres://test-server@{tcp}/pdi                      |                                    | refused
postgres://test-server@{tcp}/pdi                      | PGSSLCERT={cert} PGSSLKEY={key}    | test-server pdi {app} tls
postgres://test-server@{tcp}/pdi?sslcert={cert}       | PGSSLKEY={open}                    | refused
postgres://pass@{tcp}/pdi                             |                                    | pass pdi {app} tls
postgres://pass@{tcp}/ana                             |                                    | refused
postgres://pass@{tcp}/ana                             | PGPASSWORD={password}              | pass ana {app} tls
postgres://md5@{tcp}/ana                              | PGPASSWORD={password}              | md5 ana {app} tls
postgres://pass@{tcp}/pdi                             | PGPASSWORD=wrong                   | refused
postgres://pass@{tcp}/pdi                             | PGPASSFILE={open}                  | refused
postgres://pass@{tcp}/pdi?passfile={home}/none        |                                    | refused
postgres://pass@/pdi?host={folder}&port={port}        |                                    | pass pdi {app} socket
postgres://ana@{tcp}/%zz                              |                                    | refused
postgres://ana@127.0.0.1:99999/pdi                    |                                    | refused
postgres://ana@127.0.0.1,b/pdi?port=1,2,3             |                                    | refused
postgres://ana@{tcp}/pdi?a                            |                                    | refused
postgres://ana@{tcp}/pdi?user=a=b                     |                                    | refused
postgres://ana@{tcp}/pdi?sslmod=require               |                                    | refused
postgres://ana@{tcp}/pdi?gssencmode=prefer&channel_binding=disable&keepalives=0 |          | ana pdi {app} tls
`);

describe('with a server', needsPostgres, () => {
  describe('and certificates', needsProgram('openssl'), () => {
    let cluster: Cluster | undefined;

    beforeAll(async () => {
      const authority = createAuthority();
      const tls = authority.vouch('DNS:localhost', 2);
      const vouched = { ...tls, authority: readFileSync(authority.file) };
      cluster = await Cluster.start({ tls: vouched, rules });
      const { folder, port } = cluster;
      const [password, closed] = ['a:b\\c', await freePort()];
      const roles = [...new Set([me, 'ana', 'onlytls', 'onlyplain', 'pass', 'test-server'])];
      const made = roles.map((role) => `CREATE ROLE "${role}" LOGIN PASSWORD '${password}'`);
      const md5 = `SET password_encryption = md5; CREATE ROLE md5 LOGIN PASSWORD '${password}'`;
      cluster.sql([...made, md5].join(';'));
      for (const name of new Set(['pdi', 'ana', me])) cluster.sql(`CREATE DATABASE "${name}"`);
      const files = { root: '', other: createAuthority().file, cert: tls.cert, key: tls.key };
      for (const [name, content] of Object.entries({ ...files, open: tls.key })) {
        words[name] = join(home, name);
        writeFileSync(join(home, name), content, { mode: name === 'open' ? 0o644 : 0o600 });
      }
      const lines = [
        `# ${folder}`,
        `127.0.0.1:${port}:pdi:md5:x`,
        '127.0.0.1:*:p\\di:pass:a\\:b\\\\c',
      ];
      const ofSocket = `${folder}:${port}:*:*:a\\:b\\\\c\n`;
      writeFileSync(join(home, '.pgpass'), [...lines, ofSocket].join('\n'), { mode: 0o600 });
      const strict = join(home, 'strict');
      mkdirSync(join(strict, '.postgresql'), { recursive: true });
      writeFileSync(join(strict, '.postgresql/root.crt'), createAuthority().file);
      const encoded = encodeURIComponent(folder);
      Object.assign(words, { root: authority.file, other: files.other, strict, encoded, password });
      Object.assign(words, { folder, port, closed, tcp: `127.0.0.1:${port}`, app: 'tests' });
    });
    afterAll(() => cluster?.stop());

    it.concurrent.each(rows)('%s %s', async (url = '', variables = '', place = '') => {
      const env = { HOME: home, PGAPPNAME: 'tests', ...variablesIn(filled(variables)) };
      const places = await Promise.all(
        [reachedByPdi, reachedByPsql].map((reach) => reach(filled(url), env)),
      );
      expect(places).toEqual([filled(place), filled(place)]);
    });
  });
});

const addressOf = (url: string, variables: Variables = {}, there: readonly string[] = []) =>
  postgresAddress(url, variables, {
    ...{ platform: 'linux', user: 'ana', home: '/home/ana' },
    isThere: (path) => there.includes(path),
  });

describe('without a server', () => {
  it.each(
    rowsOf(`
      db.example                        | require     | tls       | nothing
      db.example?sslmode=prefer         | require     | tls       | nothing
      db.example?sslmode=allow          | require     | tls       | nothing
      db.example?sslmode=disable        | disable     | plain     | nothing
      db.example?sslrootcert=system     | verify-full | tls       | name
      localhost?hostaddr=10.0.0.1       | require     | tls       | nothing
      db.example?hostaddr=::1           | prefer      | tls plain | nothing
      localhost,db.example              | require     | tls       | nothing
    `),
  )('to another machine nothing goes in plain text unless it is said: %s', (url, ...told) => {
    const { sslmode, ways, checked } = addressOf(`postgres://${url}`).hosts.at(-1) ?? {};
    expect([sslmode, ways?.join(' '), checked]).toEqual(told);
  });

  it('has the socket where the system has it', () => {
    const debian = '/var/run/postgresql';
    const to = (there: readonly string[]) => addressOf('postgres://', {}, there).hosts[0]?.to;
    expect(to([debian])).toEqual({ path: `${debian}/.s.PGSQL.5432` });
    expect(to([])).toEqual({ path: '/tmp/.s.PGSQL.5432' });
  });

  it.each(
    rowsOf(`
      ana:s3cret@db/pdi                     |                          | has a password in it
      ana:12/s3cret@db/pdi                  |                          | has a password in it
      db/pdi?password=s3cret                |                          | has a password in it
      db/pdi?sslpassword=s3cret             |                          | has a password in it
      db?service=x                          |                          | does not obey service as
      db?gssencmode=require                 |                          | does not obey gssencmode .* but for disable, prefer
      db?target_session_attrs=standby       |                          | does not obey target_session_attrs
      db?sslmode=require&sslrootcert=system |                          | verify-full
      db?sslmode=verify-ca                  |                          | certificate of the authority
      db?sslrootcert=/none                  |                          | there is no file /none
      db                                    | PGSERVICE=x              | does not obey PGSERVICE
      db                                    | PGREQUIRESSL=1           | does not obey PGREQUIRESSL
      db                                    | PGCHANNELBINDING=require | does not obey PGCHANNELBINDING
      db                                    | PGREQUIREPEER=root       | does not obey PGREQUIREPEER
      db                                    | PGPORT=s3cret            | ^PGPORT: this is no port
    `),
  )(
    'refuses postgres://%s %s by name, without a secret',
    async (rest, variables = '', told = '') => {
      const given = variablesIn(variables);
      const { code, message, details } = await failureOf(() =>
        addressOf(`postgres://${rest}`, given),
      );
      expect([code, message]).toEqual(['usage', expect.stringMatching(told)]);
      expect(`${message}; ${details.hint}`).not.toContain('s3cret');
    },
  );
});

const rules = `
hostnossl all onlytls all reject
hostssl all onlyplain all reject
hostssl all test-server all cert
host all test-server all reject
host all pass all scram-sha-256
local all pass scram-sha-256
host all md5 all md5
`;
