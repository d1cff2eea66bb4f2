/** Which runs live: each holds a lock on a small file of its own, which the kernel frees however the run ends. */
import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import * as z from 'zod/mini';
import { attempt, PdiError } from '../errors.ts';
import { isHeld, type Lock } from '../files/lock.ts';
import { mayBeThere, openNamelessFile, writeWhole } from '../files/private.ts';
import type { BookFile } from './book-file.ts';
import { roomForAnswer } from './calls.ts';
import { bytesOf, runAtWork, runsAtWorkSql, storedText, whereSent } from './schema.ts';
import { noteOf } from './watched-files.ts';

const runRow = z.object({ id: z.number(), token: storedText });
const runsSql = `SELECT id, ${bytesOf('token')} FROM run`;

const lockName = (token: string): string => `run-${token}`;
const roomName = (token: string): string => `room-${token}`;

export class Runs {
  readonly token = randomUUID();
  readonly room: Room;
  private lock: Lock | undefined;

  constructor(private readonly file: BookFile) {
    this.room = new Room(file.pathBeside(roomName(this.token)));
  }

  /** Within a transaction, so that who reads of a run finds its lock taken; gives the run's number. @throws PdiError `internal` */
  begin(pid: number, at: number): number {
    this.lock ??= this.file.lock(lockName(this.token));
    if (this.lock === undefined)
      throw new PdiError('internal', `cannot lock a file beside the book ${this.file.path}`, {
        billed: 'no',
      });
    return this.file.insert(
      'INSERT INTO run (token, host, pid, began) VALUES (?, ?, ?, ?)',
      this.token,
      hostname(),
      pid,
      at,
    );
  }

  keepRoom(answers: number): void {
    this.file.beside(() => this.room.take(answers));
  }

  isAlive(run: number): boolean {
    const token = this.tokenOf(run);
    if (token === undefined) return false;
    return token === this.token ? this.lock !== undefined : this.isLocked(token);
  }

  living(): readonly z.infer<typeof runAtWork>[] {
    return this.file.rows(runAtWork, runsAtWorkSql).filter(({ id }) => this.isAlive(id));
  }

  /** Within a transaction: what dead runs have left without an outcome is lost, and their files go. */
  concludeDead(): void {
    const runs = this.file.rows(runRow, runsSql);
    for (const { id } of runs) if (!this.isAlive(id)) this.conclude(id);
    const known = new Set([this.token, ...runs.map(({ token }) => token)]);
    attempt(() => this.removeUnknown(known));
  }

  /** A run may be killed before it was written down. It takes its lock within a transaction, as this is, so nobody is about to take one. */
  private removeUnknown(tokens: ReadonlySet<string>): void {
    const start = this.file.pathBeside(lockName(''));
    for (const name of readdirSync(dirname(start))) {
      const token = name.slice(basename(start).length);
      if (name.startsWith(basename(start)) && !tokens.has(token) && !this.isLocked(token))
        this.removeFilesOf(token);
    }
  }

  conclude(run: number): void {
    const token = this.tokenOf(run);
    this.file.run(`UPDATE call SET outcome = 'lost' WHERE run = ? AND ${whereSent}`, run);
    this.file.run('DELETE FROM run WHERE id = ?', run);
    if (token !== undefined && token !== this.token) this.removeFilesOf(token);
  }

  /** Without its lock, nobody would find the other files again. */
  private removeFilesOf(token: string): void {
    for (const name of [roomName(token), noteOf(token), lockName(token)])
      rmSync(this.file.pathBeside(name), { force: true });
  }

  release(): void {
    this.room.close();
    attempt(() => rmSync(this.file.pathBeside(noteOf(this.token))));
    this.lock?.release();
    this.lock = undefined;
  }

  private tokenOf(run: number): string | undefined {
    return this.file.row(runRow, `${runsSql} WHERE id = ?`, run)?.token;
  }

  /** Where it cannot be told, a run is taken for a living one: its calls must not be made again. */
  private isLocked(token: string): boolean {
    const path = this.file.pathBeside(lockName(token));
    return attempt(() => mayBeThere(path) && isHeld(this.file.open, path)) ?? true;
  }
}

const step = 64 * 1024;
/** Only pages of signals are long, and few of them are under way: the room of more answers is three times that of a long profile. */
const manyLong = 8;

/** Disk space for the answers under way: when the disk is full, a paid answer takes the place of these zeros. */
class Room {
  private fileDescriptor: number | undefined;
  private size = 0;

  constructor(private readonly path: string) {}

  take(answers: number): void {
    const wanted =
      Math.min(answers, manyLong) * roomForAnswer + Math.max(0, answers - manyLong) * step;
    if (this.size >= wanted) return;
    this.fileDescriptor ??= openNamelessFile(this.path);
    const zeros = Buffer.alloc(step);
    while (this.size < wanted) this.size += writeWhole(this.fileDescriptor, zeros, this.size);
  }

  give(): boolean {
    if (this.fileDescriptor === undefined || this.size === 0) return false;
    ftruncateSync(this.fileDescriptor, 0);
    this.size = 0;
    return true;
  }

  close(): void {
    if (this.fileDescriptor === undefined) return;
    closeSync(this.fileDescriptor);
    this.fileDescriptor = undefined;
    attempt(() => rmSync(this.path, { force: true }));
  }
}
