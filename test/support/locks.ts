/** An engine on a disk that has no file locks: the system says ENOLCK, which SQLite takes for SQLITE_BUSY. */
import { type OpenDatabase, sqliteEngine } from '../../src/files/sqlite.ts';

export async function withoutLocks(): Promise<OpenDatabase> {
  const open = await sqliteEngine();
  return (path) => {
    const database = open(path);
    if (path === undefined) return database;
    const refuse = () => {
      throw Object.assign(new Error('database is locked'), { errcode: 5 });
    };
    return { exec: refuse, prepare: refuse, close: () => database.close() };
  };
}
