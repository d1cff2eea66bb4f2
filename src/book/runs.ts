/** Tells which runs live: each holds a lock on a small file of its own, which the kernel frees however the run ends. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { PdiError } from '../errors.ts';
import { isHeld, type Lock, takeLock } from '../files/lock.ts';
import type { BookFile } from './book-file.ts';
import { bytesOf, storedText } from './schema.ts';

const runRow = z.object({ id: z.number(), token: storedText });
const tokenRow = z.object({ token: storedText });
const tokenSql = `SELECT ${bytesOf('token')} FROM run WHERE id = ?`;
const idRow = z.object({ id: z.number() });

const lockFile = (book: string, token: string): string => `${book}-run-${token}`;

/** It is named after its run, so that whoever finds the run dead removes both. */
export const roomFile = (book: string, token: string): string => `${book}-room-${token}`;

export class Runs {
  readonly token = randomUUID();
  private lock: Lock | undefined;
  /** Who is dead stays so. */
  private readonly dead = new Set<string>();

  constructor(private readonly file: BookFile) {}

  /** It comes before the run is written down: who reads of a run finds its lock taken. @throws PdiError `internal` */
  async hold(): Promise<void> {
    this.lock ??= await takeLock(lockFile(this.file.path, this.token));
    if (this.lock === undefined) throw new PdiError('internal', `cannot lock a file beside the book ${this.file.path}`, { billed: 'no' });
  }

  /** Writes this run down, within a transaction, and gives its number. */
  begin(pid: number, at: number): number {
    const sql = 'INSERT INTO run (token, host, pid, began) VALUES (?, ?, ?, ?) RETURNING id';
    const row = this.file.row(idRow, sql, this.token, hostname(), pid, at);
    if (row === undefined) throw new Error('a run without a number');
    return row.id;
  }

  isAlive(run: number): boolean {
    const token = this.file.row(tokenRow, tokenSql, run)?.token;
    if (token === undefined || this.dead.has(token)) return false;
    const lives = token === this.token ? this.lock !== undefined : this.isLocked(token);
    if (!lives) this.dead.add(token);
    return lives;
  }

  /** The calls that dead runs have left without an outcome are lost. It is done within a transaction. */
  concludeDead(): void {
    for (const { id } of this.file.rows(runRow, `SELECT id, ${bytesOf('token')} FROM run`)) if (!this.isAlive(id)) this.conclude(id);
  }

  /** @param run which is dead, or ends now */
  conclude(run: number): void {
    const token = this.file.row(tokenRow, tokenSql, run)?.token;
    this.file.run("UPDATE call SET outcome = 'lost' WHERE run = ? AND outcome = 'sent'", run);
    this.file.run('DELETE FROM run WHERE id = ?', run);
    if (token === undefined || token === this.token) return;
    for (const path of [lockFile(this.file.path, token), roomFile(this.file.path, token)]) rmSync(path, { force: true });
  }

  release(): void {
    this.lock?.release();
    this.lock = undefined;
  }

  private isLocked(token: string): boolean {
    const path = lockFile(this.file.path, token);
    return existsSync(path) && isHeld(this.file.open, path);
  }
}
