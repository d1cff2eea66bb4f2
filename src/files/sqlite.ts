/** One face over the two engines: node:sqlite where Node has it without a flag, libsql on an older Node 20. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PdiError, shellWord } from '../errors.ts';

export type SqlValue = string | number | null;

export interface SqlStatement {
  run(...values: SqlValue[]): { readonly changes: number };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): SqlStatement;
  close(): unknown;
}

/** Without a path the database is in memory. */
export type OpenDatabase = (path?: string) => Database;

/** The engine waits so many milliseconds for another process, in which nothing else goes on here. */
const timeout = 5;

let engine: Promise<OpenDatabase> | undefined;

export function sqliteEngine(): Promise<OpenDatabase> {
  engine ??= loadEngine();
  return engine;
}

export const hasSqlite = (): Promise<boolean> =>
  sqliteEngine().then(
    () => true,
    () => false,
  );

async function loadEngine(): Promise<OpenDatabase> {
  const builtin = await import('node:sqlite').catch(() => undefined);
  if (builtin !== undefined) return (path) => new builtin.DatabaseSync(nameFor(path), { timeout });
  const libsql = await import('libsql').catch((cause: unknown) => {
    throw new PdiError(
      'internal',
      'this Node has no SQLite, which the book of what was bought needs',
      {
        billed: 'no',
        hint: `use Node 22.13 or later, or install the optional package beside pdi: \`${toInstall(cause)}\``,
        cause,
      },
    );
  });
  closesLate = true;
  return (path) => new libsql.default(nameFor(path), { timeout });
}

/** Node says which program was in want of it: a package that npm installed for everybody, or in some folder, or a clone. */
function toInstall(missing: unknown): string {
  const program =
    missing instanceof Error && 'requireStack' in missing && Array.isArray(missing.requireStack)
      ? resolve(String(missing.requireStack.at(-1)))
      : '';
  const [, holder = '', own = ''] =
    /^(?:(.*)[/\\]node_modules[/\\])?(.*)[/\\]bin[/\\][^/\\]+$/.exec(program) ?? [];
  const folder = holder === '' ? own : holder;
  return folder === '' || (holder !== '' && !existsSync(join(holder, 'package.json')))
    ? 'npm install --global libsql'
    : `npm --prefix ${shellWord(folder)} install libsql`;
}

let closesLate = false;

/** libsql keeps the locks of a closed connection for a while, and to close any other handle of the file would free them. */
export const closesAtOnce = (): boolean => !closesLate;

/** Closes for good: libsql closes only when its statements are collected, and a connection of the same process would share its memory. */
export async function whenClosed(database: Database): Promise<void> {
  database.close();
  if (!closesLate) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let round = 0; round < 3 && typeof collect === 'function'; round += 1) {
    collect();
    await setImmediate();
  }
}

/** The engine takes `file:x` and `:memory:` for something else than files of these names, but no whole path. */
const nameFor = (path?: string): string => (path === undefined ? ':memory:' : resolve(path));

type SqlTrouble =
  | 'busy'
  | 'full'
  | 'damaged'
  | 'cannot open'
  | 'read only'
  | 'failing'
  | 'no locks';

const troubles: Readonly<Record<number, SqlTrouble>> = {
  5: 'busy',
  6: 'busy',
  8: 'read only',
  10: 'failing',
  11: 'damaged',
  13: 'full',
  14: 'cannot open',
  15: 'failing',
  26: 'damaged',
};

/** For what the engine took, though it is not as it was written: it has the engine's own code of damage. */
export class DamagedContent extends Error {
  readonly errcode = 11;
}

/** It has the engine's own code of a lock that failed (SQLITE_IOERR_LOCK). */
export class WithoutLocks extends Error {
  readonly errcode = (15 << 8) | 10;
}

/** The engine has no code of its own for a head of another version, and for tables that another program has changed. */
const withoutCode = /^unsupported file format$|^no such (?:table|column)|has no column named/;

export function troubleOf(error: unknown): SqlTrouble | undefined {
  if (error instanceof Error && withoutCode.test(error.message)) return 'damaged';
  const code = resultCodeOf(error) ?? -1;
  return lockCodes.has(code) ? 'no locks' : troubles[code & 0xff];
}

/** SQLITE_IOERR of locks and shared memory: LOCK, UNLOCK, RDLOCK, SHMOPEN, SHMLOCK, SHMMAP. */
const lockCodes: ReadonlySet<number> = new Set(
  [15, 8, 9, 18, 20, 21].map((extension) => (extension << 8) | 10),
);

/** libsql names the code of an open that failed in its message alone. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const errcode = 'errcode' in error ? error.errcode : undefined;
  const rawCode = 'rawCode' in error ? error.rawCode : undefined;
  const code =
    typeof errcode === 'number' ? errcode : typeof rawCode === 'number' ? rawCode : undefined;
  if (code !== undefined) return code;
  const told = /Unable to open connection.*: (\d+)"\)$/s.exec(error.message)?.[1];
  return told === undefined ? undefined : Number(told);
}
