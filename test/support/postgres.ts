/** A PostgreSQL of the tests' own, on a socket and on loopback, for as long as a test file runs; a pooler before it, and a way to it that can fail. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { openBook } from '../../src/book/open-book.ts';
import { isRoot, needs } from './needs.ts';
import { freePort, listening } from './origin.ts';
import { newFolder } from './run.ts';

/** Debian has the programs of a server in a folder of their own. */
const debian = '/usr/lib/postgresql';
const folders = [
  ...(existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []).map(
    (version) => join(debian, version, 'bin'),
  ),
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
];
const pathOf = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find(existsSync);

const missing = (...programs: readonly string[]) =>
  programs.filter((program) => pathOf(program) === undefined);
export const needsPostgres = needs(
  missing('initdb', 'psql').length === 0,
  'not installed: postgresql',
);
export const needsPooler = needs(
  missing('initdb', 'psql', 'pgbouncer').length === 0,
  'not installed: postgresql, pgbouncer',
);

/** Neither server runs as root, and each speaks English. */
const nobody = {
  ...(isRoot && { uid: 65_534, gid: 65_534 }),
  env: { PATH: process.env.PATH, LC_ALL: 'C' },
};

/** A folder that the server may use, whoever runs the tests. */
function newPlace(): string {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(folder, 65_534, 65_534);
  return folder;
}

function writeTo(folder: string, name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  if (isRoot) chownSync(path, 65_534, 65_534);
  return path;
}

const programOf = (name: string): string => pathOf(name) ?? name;

/** The server's own words, which end in that it serves. */
async function serving(child: ChildProcess, words: RegExp): Promise<ChildProcess> {
  let said = '';
  for await (const piece of child.stderr ?? []) {
    said += piece;
    if (words.test(said)) {
      child.stderr?.resume();
      return child;
    }
  }
  throw new Error(`it does not serve: ${said}`);
}

interface ClusterOptions {
  /** `authority` vouches for clients. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer; readonly authority: Buffer };
  /** Lines of pg_hba.conf that come first: else anybody is let in. */
  readonly rules?: string;
}

export class Cluster {
  private child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  static async start({ tls, rules = '' }: ClusterOptions = {}): Promise<Cluster> {
    const [folder, port] = [newPlace(), await freePort()];
    const data = join(folder, 'data');
    execFileSync(
      programOf('initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...nobody, stdio: 'ignore', cwd: folder },
    );
    const settings = [
      `port=${port}`,
      `unix_socket_directories='${folder}'`,
      "listen_addresses='127.0.0.1'",
      ...['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'max_connections=30'],
    ];
    if (tls !== undefined) {
      writeTo(data, 'server.key', tls.key);
      writeTo(data, 'server.crt', tls.cert);
      writeTo(data, 'root.crt', tls.authority);
      settings.push('ssl=on', "ssl_ca_file='root.crt'");
    }
    writeTo(data, 'postgresql.conf', `${settings.join('\n')}\n`);
    const anybody = ['local all', 'local replication', 'host all']
      .map((way) => `${way} all${way.startsWith('host') ? ' 127.0.0.1/32' : ''} trust\n`)
      .join('');
    writeTo(data, 'pg_hba.conf', `${rules}\n${anybody}`);
    const cluster = new Cluster(folder, port);
    await cluster.go();
    return cluster;
  }

  /** A copy that follows this server, and only reads. */
  async standby(): Promise<Cluster> {
    const [folder, port] = [newPlace(), await freePort()];
    const place = ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '-D'];
    execFileSync(
      programOf('pg_basebackup'),
      [...place, join(folder, 'data'), '-R', '--checkpoint=fast', '--no-sync', '-X', 'stream'],
      nobody,
    );
    const own = `port=${port}\nunix_socket_directories='${folder}'\n`;
    appendFileSync(join(folder, 'data', 'postgresql.auto.conf'), own);
    const cluster = new Cluster(folder, port);
    await cluster.go();
    return cluster;
  }

  async go(): Promise<void> {
    const child = spawn(programOf('postgres'), ['-D', join(this.folder, 'data')], {
      ...nobody,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = await serving(child, /ready to accept (?:read-only )?connections/);
  }

  /** As a crash: nobody is told. */
  async stop(signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT'): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  url(role = 'postgres', database = 'postgres'): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** What `psql` says to statements, as the one who may do everything. */
  sql(text: string, database = 'postgres'): string {
    const place = ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '-d', database];
    return execFileSync(programOf('psql'), psqlWords(place, text), { encoding: 'utf8' }).trim();
  }
}

/** Makes the book there, and gives a connection that may do everything, and what empties the book. */
export async function madeBook(cluster: Cluster) {
  const server = { variables: {}, platform: 'linux', home: undefined };
  const place = { path: cluster.url(), server, patienceMs: 5000 };
  const book = await openBook({ ...place, notice: () => {}, clock: Date.now });
  await book.check().finally(() => book.close());
  const sql = postgres(place.path, { max: 1, onnotice: () => {} });
  const empty = () => sql.unsafe(emptySql);
  return { place, sql, empty };
}

const emptySql = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'pdi' AND tablename <> 'version'
  LOOP EXECUTE 'DELETE FROM pdi.' || name; END LOOP;
  ALTER TABLE pdi.run ALTER COLUMN id RESTART;
END $$`;

/** The rows that a server answers with, on a connection for it alone. */
export async function askedOnce(url: string, text: string): Promise<readonly unknown[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return sql.unsafe(text).finally(() => sql.end());
}

/** A server for the tests of a file, or of a part of it, and the book on it, which each of them finds empty. */
export function bookOnServer(options: ClusterOptions = {}) {
  let cluster: Cluster;
  let book: Awaited<ReturnType<typeof madeBook>>;
  beforeAll(async () => {
    cluster = await Cluster.start(options);
    book = await madeBook(cluster);
  });
  beforeEach(async () => void (await book.empty()));
  afterAll(() => book.sql.end().finally(() => cluster.stop()));
  return {
    get cluster() {
      return cluster;
    },
    get sql() {
      return book.sql;
    },
    env: () => ({ PDI_BOOK: cluster.url() }),
  };
}

/** The real client, with nothing of the environment but this; gives what it prints. @throws with its words */
export const psql = async (
  words: readonly string[],
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const given = { PATH: process.env.PATH, ...env };
  return (await execute(programOf('psql'), psqlWords(words, text), { env: given })).stdout.trim();
};

const execute = promisify(execFile);
const psqlWords = (words: readonly string[], text: string) => [
  ...['-XAtqw', '-v', 'ON_ERROR_STOP=1', ...words],
  ...['-c', text],
];

/** A pooler that gives a connection for one transaction alone; on which port. It ends with the test. */
export async function pooler({ folder, port }: Cluster, roles: readonly string[]): Promise<number> {
  const [place, own] = [newPlace(), await freePort()];
  const users = writeTo(place, 'users', roles.map((role) => `"${role}" ""\n`).join(''));
  const settings = [
    '[databases]',
    `* = host=${folder} port=${port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =`,
    `auth_type = trust\nauth_file = ${users}`,
    'pool_mode = transaction\ndefault_pool_size = 3\n',
  ];
  const child = spawn(programOf('pgbouncer'), [writeTo(place, 'ini', settings.join('\n'))], {
    ...nobody,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await serving(child, /process up/);
  return own;
}

/** A way to a port of this machine, which can be cut, closed, or pass nothing on and say nothing. It ends with the test. */
export async function passage(to: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  const events = new EventEmitter();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => void into.write(bytes)).on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        into.destroy();
      });
      if (isSilent) from.pause();
    }
    near.on('data', (bytes) => void events.emit('sent', String(bytes)));
    events.emit('opened');
  });
  const port = await listening(server);
  const cut = () => {
    for (const socket of [...pairs].flat()) socket.destroy();
  };
  const hush = (silent: boolean) => {
    isSilent = silent;
    for (const socket of [...pairs].flat()) silent ? socket.pause() : socket.resume();
  };
  const close = () => {
    server.close();
    cut();
  };
  const open = () => once(server.listen(port, '127.0.0.1'), 'listening');
  onTestFinished(close);
  return { port, cut, hush, close, open, opened: () => once(events, 'opened'), events };
}

/** The rows of a table as people write it: a line each, cells between |, and {NAME} for what is known when the test runs. */
export const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()));

export const filledBy = (words: Readonly<Record<string, string>>) => (text: string) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '');

/** Variables as before a command. */
export const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split(/ +/).map((pair) => pair.split(/=(.*)/s)));
