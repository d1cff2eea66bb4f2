import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants as osConstants } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { diskFailure } from '../../../src/files/private.ts';
import { openSink, writeFailure } from '../../../src/output/sinks/sink.ts';
import { failureOf } from '../../support/failure.ts';
import { needsLinux } from '../../support/needs.ts';
import { newFolder } from '../../support/run.ts';

type SinkOptions = Parameters<typeof openSink>[0];

let folder = '';
beforeEach(() => {
  folder = newFolder();
});

const at = (name: string) => join(folder, name);
const put = (name: string, text = 'old'): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const plain = { force: false };
const sinkAt = (file: string, more: Partial<SinkOptions> = {}) =>
  openSink({ stdout: new PassThrough(), file, ...plain, ...more });
const refusal = async (file: string, more: Partial<SinkOptions> = {}) => {
  const failure = await failureOf(sinkAt(file, more));
  expect(failure).toBeInstanceOf(UsageError);
  expect(failure.message).not.toContain('\n');
  return failure;
};

describe('a file', () => {
  it('that another run wrote before we had its lock is refused, and stays as it is', async () => {
    const opening = refusal(at('new'));
    put('new', 'of another run');
    expect((await opening).message).toContain('exists');
    expect([readFileSync(at('new'), 'utf8'), readdirSync(folder)]).toEqual([
      'of another run',
      ['new'],
    ]);
  });

  it('to which rows are added is refused where another program wrote it since', async () => {
    expect((await refusal(put('day.csv', 'more'), { keep: 3 })).message).toContain(
      'another program wrote the file during the run',
    );
    expect([readFileSync(at('day.csv'), 'utf8'), readdirSync(folder)]).toEqual([
      'more',
      ['day.csv'],
    ]);
  });

  it('has its name only when it is whole', async () => {
    const sink = await sinkAt(at('new'));
    expect(await sink.write('a'.repeat(100_000))).toBe(true);
    await sink.write('é\n');
    expect(existsSync(at('new'))).toBe(false);
    await sink.commit();
    expect(readFileSync(at('new'), 'utf8')).toBe(`${'a'.repeat(100_000)}é\n`);
    await sink.discard();
    expect(readdirSync(folder)).toEqual(['new']);
  });

  it('is for its owner alone until it is whole, and what a killed run left of it goes', async () => {
    const file = put('open');
    chmodSync(file, 0o664);
    const first = await sinkAt(file, { force: true });
    const [temporary = ''] = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
    expect(statSync(at(temporary)).mode & 0o777).toBe(0o600);
    await first.discard();
    put(temporary, 'profiles of a run that was killed');
    const sink = await sinkAt(file, { force: true });
    await sink.write('new');
    await sink.commit();
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([
      'new',
      0o664,
      ['open'],
    ]);
  });
});

it('a file whose folder went away fails as the disk does, and once it is told, the end of the run adds nothing', async () => {
  mkdirSync(at('folder'));
  const sink = await sinkAt(at('folder/file'));
  await sink.write('row\n');
  renameSync(at('folder'), at('gone'));
  put('folder');
  expect((await failureOf(sink.commit())).message).toMatch(/^cannot write to .*folder\/file: /);
  expect(await sink.discard()).toBeUndefined();
});

describe('refused before anything is sent', () => {
  it.each([
    ['a folder', '.', 'it is a folder'],
    ['a missing folder', 'no/such/file', 'there is no such folder'],
    ['a folder to be', 'new/', 'it names a folder'],
    ['a file as folder', 'plain/file', 'a part of the path is not a folder'],
    ['links in a circle', 'round', 'its symbolic links lead in a circle'],
    ['a name too long', 'x'.repeat(300), 'the name is too long'],
  ])('%s', async (_what, name, reason) => {
    put('plain');
    symlinkSync('round', at('round'));
    const failure = await refusal(`${folder}/${name}`, { force: true });
    expect(failure.message).toContain(reason);
  });

  it('no name', async () => {
    expect((await refusal('')).message).toContain('the name is empty');
  });
});

describe('devices', needsLinux, () => {
  it('a FIFO passes rows on', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const [sink, read] = await Promise.all([
      sinkAt(at('pipe')),
      import('node:fs/promises').then(({ open }) => open(at('pipe'), 'r')),
    ]);
    await sink.write('row\n');
    expect((await read.read({ buffer: Buffer.alloc(4) })).buffer.toString()).toBe('row\n');
    await read.close();
    expect(await sink.write('more\n')).toBe(false);
    await sink.commit();
  });

  it('a FIFO that nobody reads holds up nobody who was told to stop', async () => {
    execFileSync('mkfifo', [at('unread')]);
    const stop = new AbortController();
    const opened = failureOf(
      openSink({ stdout: new PassThrough(), file: at('unread'), ...plain, stop: stop.signal }),
    );
    stop.abort();
    expect(await opened).toMatchObject({
      code: 'interrupted',
      message: `interrupted: no program has read ${at('unread')}`,
    });
  });

  it('a FIFO whose reader stands still can be left', async () => {
    execFileSync('mkfifo', [at('still')]);
    const reader = openSync(at('still'), constants.O_RDONLY | constants.O_NONBLOCK);
    const sink = await sinkAt(at('still'));
    expect(await sink.write('row\n')).toBe(true);
    let written = false;
    const blocked = sink.write('x'.repeat(1_000_000)).then(() => {
      written = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    await sink.discard();
    await blocked;
    closeSync(reader);
  });
});

describe('what the disk refused', () => {
  it.each([
    ['ENOSPC', true],
    ['EDQUOT', true],
    ['EACCES', false],
    ['EIO', false],
  ])('%s may pass: %s, whatever was written', (code, retryable) => {
    // Node says so of a used-up quota.
    const said =
      code === 'EDQUOT' ? { code: 'UNKNOWN', errno: -osConstants.errno.EDQUOT } : { code };
    const cause = Object.assign(new Error(code), said);
    const failures = [
      writeFailure('standard output', cause),
      diskFailure('cannot use the book', 'book.db', cause),
    ];
    expect(failures.map(({ code, details }) => [code, details.retryable])).toEqual(
      Array(2).fill(['internal', retryable]),
    );
  });
});

describe('standard output', () => {
  it('waits for a slow reader', async () => {
    const stdout = new PassThrough({ highWaterMark: 1 });
    const sink = await openSink({ stdout, ...plain });
    const taken: string[] = [];
    const written = sink.write('row').then(() => taken.push('written'));
    stdout.once('data', () => taken.push('read'));
    await written;
    expect(taken).toEqual(['read', 'written']);
  });

  it('that was closed is no failure', async () => {
    const stdout = new PassThrough();
    stdout.destroy();
    const sink = await openSink({ stdout, ...plain });
    expect(await sink.write('a')).toBe(false);
  });
});
