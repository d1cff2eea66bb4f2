import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listenOn, ownParticulars } from '../../src/files/liveness.ts';
import { acquireLock, type Lock } from '../../src/files/lock.ts';
import { bundle, ended, start } from '../money/child.ts';
import { clock, failureOf, newFolder, processes } from '../money/places.ts';

const take = (path: string, table = processes()): Promise<Lock> =>
  acquireLock({ path, guarded: 'out.csv.journal', processes: table, clock });

const claim = (pid: number, host = hostname()): string => `${JSON.stringify({ token: `of ${pid}`, pid, host, since: '2026-01-01' })}\n`;

/** A socket that a process listened on until it was killed. */
async function killedListener(socket: string): Promise<void> {
  const script = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
  await once(spawn(process.execPath, ['-e', script, socket]), 'exit');
}

describe('a lock', () => {
  test('is for one at a time, private, and leaves nothing', async () => {
    const path = join(newFolder(), 'lock');
    const lock = await take(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await failureOf(() => take(path))).toMatchObject({
      code: 'usage',
      message: 'out.csv.journal is in use by another run (process 1000, since 2026-01-02T03:04:05.000Z)',
      details: { retryable: true, hint: expect.stringContaining(`delete ${path}`) },
    });
    lock.release();
    lock.release();
    expect(existsSync(path)).toBe(false);
    (await take(path)).release();
  });

  test.each([
    ['a dead process', claim(7), true],
    ['a living process', claim(8), false],
    ['a process that left', `${claim(8)}{"left":"of 8"}\n`, true],
    ['a dead process, then a living one', claim(7) + claim(8), false],
    ['a dead namesake of ours', claim(1000), true],
    ['a process of another machine', claim(7, 'elsewhere.example.test'), false],
    ['half a line', claim(7).slice(0, -20), true],
    ['a living process and half a line', claim(8) + claim(7).slice(0, -20), false],
  ])('after %s', async (_, text, free) => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, text);
    if (free) (await take(path, processes(8))).release();
    else expect((await failureOf(() => take(path, processes(8)))).code).toBe('usage');
    expect(existsSync(path)).toBe(!free);
  });

  describe('of another container', () => {
    const token = '01234567-89ab-4cde-8f01-23456789abcd';
    const boot = ownParticulars(processes()).boot?.slice(0, 8);
    const socketIn = (folder: string) => join(folder, `.pdi-${boot === undefined ? '' : `${boot}-`}${token.slice(0, 13)}.socket`);
    const theirs = (more: object) =>
      `${JSON.stringify({ token, ...ownParticulars(processes()), pid: 8, namespace: 'pid:[1]', since: '2026-01-01', ...more })}\n`;

    test('is refused while its owner listens, though its process id says nothing here', async () => {
      const folder = newFolder();
      writeFileSync(join(folder, 'lock'), theirs({ listens: true }));
      const end = await listenOn(socketIn(folder));
      const failure = await failureOf(() => take(join(folder, 'lock')));
      expect(failure.message).toBe('out.csv.journal is in use by another run (process 8, since 2026-01-01)');
      end?.();
    });

    test('is free once its owner was killed, and its socket goes', async () => {
      const folder = newFolder();
      writeFileSync(join(folder, 'lock'), theirs({ listens: true }));
      await killedListener(socketIn(folder));
      expect(existsSync(socketIn(folder))).toBe(true);
      (await take(join(folder, 'lock'), processes(8))).release();
      expect(readdirSync(folder)).toEqual([]);
    });

    test('is free once the one that took it from a killed owner was killed as well', async () => {
      const folder = newFolder();
      const path = join(folder, 'lock');
      writeFileSync(path, theirs({ listens: true }));
      await killedListener(socketIn(folder));
      const second = await take(path, processes(8));
      const left = readFileSync(path, 'utf8');
      second.release();
      // As the second would have left it: the socket of the first is gone, and a line tells that it is dead.
      writeFileSync(path, left);
      (await take(path, processes(8))).release();
      expect(readdirSync(folder)).toEqual([]);
    });

    test('leaves the socket of a claim on another lock, which tells that its owner is dead', async () => {
      const folder = newFolder();
      writeFileSync(join(folder, 'other.lock'), theirs({ listens: true }));
      await killedListener(socketIn(folder));
      (await take(join(folder, 'lock'))).release();
      expect(existsSync(socketIn(folder))).toBe(true);
      (await take(join(folder, 'other.lock'), processes(8))).release();
      expect(readdirSync(folder)).toEqual([]);
    });

    test('takes away the socket of one that was killed before it queued, and no other', async () => {
      const folder = newFolder();
      const others = ['.pdi-0a0a0a0a-01234567-89ab.socket', 'mine.socket'];
      const living = socketIn(folder).replace('01234567', '76543210');
      for (const socket of [socketIn(folder), ...others.map((name) => join(folder, name))]) await killedListener(socket);
      const end = await listenOn(living);
      (await take(join(folder, 'lock'))).release();
      const left = boot === undefined ? [basename(socketIn(folder)), ...others] : others;
      expect(readdirSync(folder).sort()).toEqual([...left, basename(living)].sort());
      end?.();
    });

    const cannotBeSeen = {
      retryable: true,
      hint: expect.stringMatching(/or that machine is gone, delete .*lock and run the command again$/),
    };

    test.each([
      ['on a disk without sockets', {}],
      ['on another machine', { boot: 'another', host: 'elsewhere.example.test', machine: 'another' }],
      ['on another machine with our host name', { boot: 'another', machine: 'another' }],
      ['on another machine that listens, as its disk shows', { boot: 'another', machine: 'another', listens: true }],
    ])('%s: is refused, and says how it is taken', async (_, more) => {
      const path = join(newFolder(), 'lock');
      writeFileSync(path, theirs(more));
      expect((await failureOf(() => take(path))).details).toMatchObject(cannotBeSeen);
    });

    test('is free after this machine was started again', async () => {
      const path = join(newFolder(), 'lock');
      writeFileSync(path, theirs({ boot: 'the one before', machine: ownParticulars(processes()).machine ?? 'none' }));
      if (ownParticulars(processes()).machine === undefined) return;
      (await take(path, processes(8))).release();
      expect(existsSync(path)).toBe(false);
    });
  });

  test('works in a folder whose path is longer than a socket may have', async () => {
    const path = join(newFolder(), 'a'.repeat(120), 'lock');
    mkdirSync(dirname(path));
    const lock = await take(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ listens: true });
    lock.release();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('does not stay with one who was refused', async () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, claim(8));
    expect((await failureOf(() => take(path, processes(8)))).code).toBe('usage');
    // The owner is gone, the refused one still lives: the next is not refused for its sake.
    const lock = await take(path, { pid: 9, isAlive: (pid: number) => pid === 1000 });
    expect(existsSync(path)).toBe(true);
    lock.release();
    expect(existsSync(path)).toBe(false);
  });

  test('queues again when its file was deleted meanwhile', async () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, claim(7));
    let asked = 0;
    const deletesOnce = {
      pid: 1000,
      isAlive: () => {
        asked += 1;
        if (asked === 1) unlinkSync(path);
        return false;
      },
    };
    const lock = await take(path, deletesOnce);
    expect(readFileSync(path, 'utf8')).toContain('"pid":1000');
    lock.release();
  });

  test('queues again when the owner ends while it is asked', async () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, claim(7));
    const endsWhenAsked = {
      pid: 1000,
      isAlive: () => {
        unlinkSync(path);
        return true;
      },
    };
    const lock = await take(path, endsWhenAsked);
    expect(readFileSync(path, 'utf8')).toContain('"pid":1000');
    lock.release();
  });

  test('follows no link', async () => {
    const folder = newFolder();
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'lock'));
    expect((await failureOf(() => take(join(folder, 'lock')))).message).toContain('cannot use the lock file');
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  test('keeps processes apart: no count is lost', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'number'), '0');
    appendFileSync(join(folder, 'lock'), claim(2 ** 22 + 1));
    const counter = await bundle('lock-counter', folder);
    const counters = Array.from({ length: 4 }, () => start(counter, folder, '100'));
    expect(await Promise.all(counters.map(ended))).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(folder, 'number'), 'utf8')).toBe('400');
  }, 20_000);
});
