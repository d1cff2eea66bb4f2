import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { binary, type Ended, type Running, start as startIn } from '../campaign/process.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { needs, needsLinux, needsProgram } from '../support/needs.ts';
import { startOrigin } from '../support/origin.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { fileOf, linesFile, newFile, statusesIn } from '../support/service.ts';

const home = newFolder();
/** `"$NODE" "$PDI"` is the program for a shell. */
const env = { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NODE: process.execPath, PDI: binary };

/** A script that Node runs before the program. */
const preloaded = (text: string): readonly string[] => [
  '--require',
  fileOf('preloaded.cjs', text),
  binary,
];

const start = (
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Running => startIn(program, args, { home, env: { ...env, ...more } });
const end = (...given: Parameters<typeof start>): Promise<Ended> => start(...given).ended;

const pdi = (args: readonly string[], more?: Readonly<Record<string, string>>): Promise<Ended> =>
  end(process.execPath, [binary, ...args], more);

/** A shell's view: pipes and closed streams are its business. */
const shell = (script: string): Promise<Ended> => end('bash', ['-c', script]);

/** Lines of a stack trace. */
const trace = /^\s+at /m;

test('a command that reads a file does not touch standard input, which a program beside it may be reading', async () => {
  const file = fileOf('rows.ndjson', '{"person_id":"per_1","full_name":"A"}\n');
  const telling = preloaded(
    "Object.defineProperty(process, 'stdin', { get: () => console.error('touched') })",
  );
  const { code, stderr } = await end(process.execPath, [...telling, 'convert', file, '-o', 'csv']);
  expect([code, stderr]).toEqual([0, '']);
});

test('from Node 22 on what is compiled is kept in a folder of this user alone, and nowhere else', async () => {
  const telling = preloaded(
    "require('node:module').enableCompileCache = (folder) => console.error(folder)",
  );
  const keptIn = async (cache: string, more = {}) => {
    const { code, stderr } = await end(process.execPath, [...telling, '--help'], {
      XDG_CACHE_HOME: cache,
      ...more,
    });
    return [code, stderr.trim()];
  };
  const [mine, others] = [newFolder(), newFolder()];
  mkdirSync(join(others, 'pdi'));
  chmodSync(join(others, 'pdi'), 0o777);
  expect(await keptIn(mine)).toEqual([0, join(mine, 'pdi')]);
  expect(statSync(join(mine, 'pdi')).mode & 0o777).toBe(0o700);
  expect(await keptIn(others)).toEqual([0, '']);
  expect(await keptIn(newFolder(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([0, '']);
});

test('a record with a list of 60,000 elements becomes rows in little memory', async () => {
  const skills = Array.from({ length: 60_000 }, (_, at) => `s${at}`);
  const file = fileOf('one.json', JSON.stringify([{ person_id: 'per_1', full_name: 'A', skills }]));
  const rows = await end(process.execPath, [
    '--max-old-space-size=45',
    binary,
    'convert',
    file,
    '-o',
    'csv',
    '--explode',
    'skills',
  ]);
  expect([rows.code, rows.stdout.split('\r\n').length]).toEqual([0, skills.length + 2]);
});

test('health --wait ends at its time, though a rate limit asks for a longer wait', async () => {
  const service = await startOrigin(() => ({
    status: 429,
    json: {},
    headers: { 'x-ratelimit-reset': '3600' },
  }));
  const { code } = await pdi([
    'health',
    '--wait',
    '0.2',
    '--max-wait',
    '3600',
    '--base-url',
    service.baseUrl,
  ]);
  await service.close();
  expect(code).toBe(5);
});

test('a list that is changed goes to standard output where --out says so, also into a file', async () => {
  const file = join(newFolder(), 'list.json');
  const { shared } = landmarks.lists.people;
  const { code } = await shell(
    `"$NODE" "$PDI" --sandbox lists people modify ${shared} --add per_sample1 --out /dev/stdout >${file}`,
  );
  expect([code, JSON.parse(readFileSync(file, 'utf8'))]).toMatchObject([0, { id: shared }]);
});

const noted = newFolder();
const mounts = (script: string) => [
  '-m',
  'bash',
  '-c',
  `mount -t tmpfs -o noatime tmpfs ${noted} && ${script}`,
];
const needsMounts = needs(
  spawnSync('unshare', mounts('true')).status === 0,
  'this user may not mount',
);

test(
  'a disk that notes no reading is named where a program opens /dev/stdin',
  needsMounts,
  async () => {
    const feed = 'feed --since-last noatime --after 0001-01-01 --errors text';
    const deliver = (program: string) =>
      end(
        'unshare',
        mounts(`TMPDIR=${noted} "$NODE" "$PDI" --sandbox ${feed} --deliver '${program}'`),
      );
    const anew = await deliver('cat /dev/stdin');
    expect([anew.code, anew.stderr]).toEqual([
      1,
      expect.stringContaining('does not note that a file is read (noatime)'),
    ]);
    expect((await deliver('cat')).code).toBe(0);
  },
);

test.each([
  ['--version', ['main']],
  ['--help', ['main', 'text', 'help-pages', 'topic']],
  ['lists people modify --help', ['main', 'text', 'help-pages', 'topic']],
  ['', ['main', 'help-pages']],
])('`pdi %s` loads no more than it says', async (words, files) => {
  const loaded = "Object.keys(require.cache).filter((file) => file.includes('/dist/')).join('\\n')";
  const listing = preloaded(`process.on('exit', () => console.error(${loaded}))`);
  const { code, stderr } = await end(process.execPath, [
    ...listing,
    ...words.split(' ').filter((word) => word !== ''),
  ]);
  const names = stderr
    .trim()
    .split('\n')
    .map((file) => /([^/]*?)(?:-[\w-]{8})?\.cjs$/.exec(file)?.[1]);
  expect([code, names.filter((name) => name !== 'rolldown-runtime').sort()]).toEqual([
    0,
    [...files].sort(),
  ]);
});

test('health loads none of the large parts of Node that it does not use', async () => {
  const script = "process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))";
  const bare = await end(process.execPath, [fileOf('bare.cjs', script)]);
  const health = 'health --base-url http://127.0.0.1:1 --retries 0'.split(' ');
  const { code, stdout } = await end(process.execPath, [...preloaded(script), ...health]);
  const large = ['crypto', 'fs/promises', 'child_process', 'internal/modules/esm/translators'].map(
    (name) => `NativeModule ${name}`,
  );
  expect(code).toBe(5);
  // Some versions of Node load one of them for any program.
  const own = large.filter((line) => !bare.stdout.split('\n').includes(line));
  expect(stdout.split('\n').filter((line) => own.includes(line))).toEqual([]);
});

const needsLibsql = needs(!isBuiltin('node:sqlite'), 'this Node has SQLite itself');
test(
  'no name of what is connected is looked up for the report of Node that libsql asks for',
  needsLibsql,
  async () => {
    const hosts =
      'JSON.stringify(process.report.getReport().libuv.flatMap(({ localEndpoint: at }) => (at ? [at.host] : [])))';
    const reporting = preloaded(
      `const net = require('node:net');
    process.on('exit', () => console.error(${hosts}));
    net.createServer().listen(0, '127.0.0.1').unref();`,
    );
    const { stderr } = await end(process.execPath, [
      ...reporting,
      '--sandbox',
      'person',
      landmarks.person.id,
      '--quiet',
    ]);
    expect(stderr).toContain('"127.0.0.1"');
    expect(stderr).not.toContain('localhost');
  },
);

test.each(['0', '1'])(
  'the parser of answers is a file beside the program, with and without SIMD: UNDICI_NO_WASM_SIMD=%s',
  async (off) => {
    const answered = await pdi(['--sandbox', 'health', '-o', 'ndjson'], {
      UNDICI_NO_WASM_SIMD: off,
    });
    expect([answered.code, answered.stdout]).toEqual([
      0,
      '{"status":"OK","relational_store":"OK","analytics_store":"OK"}\n',
    ]);
  },
);

const printed = [
  '--version',
  '--help',
  '',
  'feed --help',
  'help money',
  'help feed',
  'lists',
  '--sandbox feed -h',
  'feed -V',
];
test.each(printed)(
  'text that cannot be written: pdi %s on a full disk: 1, and why',
  async (words) => {
    const full = await end('sh', ['-c', `"$NODE" "$PDI" ${words} > /dev/full`]);
    expect([full.code, full.stdout, JSON.parse(full.stderr)]).toEqual([
      1,
      '',
      {
        error: expect.objectContaining({
          code: 'internal',
          message: 'cannot write to standard output: no space left on the disk',
        }),
      },
    ]);
  },
);

describe('the binary', () => {
  test('opens no debugger port at SIGUSR1', async () => {
    const { child, ended } = start(process.execPath, [binary, 'sandbox']);
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    child.kill('SIGUSR1');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      signal: null,
      stderr: expect.not.stringContaining('Debugger'),
    });
  });

  test('does not end like a success where it stalls', async () => {
    const main = '{ main: () => new Promise(() => {}) }';
    const stalling = preloaded(
      `const { Module } = require('node:module');
      const load = Module._load;
      Module._load = (name, ...rest) => (name === '../dist/main.cjs' ? ${main} : load(name, ...rest));`,
    );
    const stderr = 'pdi: a bug: the run ended without an end; please report it, with the command\n';
    expect(await end(process.execPath, [...stalling, 'health'])).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr,
    });
  });

  test('ends in good order when its reader goes away', async () => {
    const feed =
      '"$NODE" "$PDI" --sandbox --people 3000 network --all --max-billable unlimited -o ndjson';
    const { stdout, stderr } = await shell(`${feed} | head -1; echo "\${PIPESTATUS[0]}"`);
    const [record = '', code] = stdout.trim().split('\n');
    expect(JSON.parse(record)).toMatchObject({ person_id: landmarks.person.id });
    expect(code).toBe('0');
    expect(stderr).not.toMatch(trace);
  });

  test.each(['--version', '--help', `--sandbox -q person ${landmarks.person.id}`])(
    'has no reader from the start on: %s',
    async (words) => {
      const { child, ended } = start(process.execPath, [binary, ...words.split(' ')]);
      child.stdout?.destroy();
      expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    },
  );

  test.each(['>&-', '2>&-', '>&- 2>&-', '<&-'])(
    'has no stack trace for a closed stream: %s',
    async (closing) => {
      const { stderr } = await shell(
        `"$NODE" "$PDI" --sandbox person ${landmarks.person.id} ${closing}`,
      );
      expect(stderr).not.toMatch(trace);
    },
  );

  test('writes all of a large answer into a pipe', async () => {
    const { code, stdout } = await pdi(
      '--sandbox --people 3000 network --all --max-billable unlimited -o ndjson -q'.split(' '),
    );
    expect(code).toBe(0);
    expect(stdout.endsWith('}\n')).toBe(true);
    expect(stdout.length).toBeGreaterThan(200_000);
  });

  test.each([`--sandbox person ${landmarks.person.id}`, 'config set output csv'])(
    'ends where its folders cannot be made: %s',
    async (words) => {
      // Below /proc the system makes no folder, and says that there is none.
      const folders = { HOME: '/proc', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };
      const { child, ended } = start(process.execPath, [binary, ...words.split(' ')], folders);
      const impatience = setTimeout(() => child.kill('SIGKILL'), 60_000);
      const { code, stderr } = await ended;
      clearTimeout(impatience);
      expect([1, 2]).toContain(code);
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
        /^(pdi: |\{"error":).*\/proc\/\.(local\/state|config)\/pdi/,
      );
    },
    90_000,
  );

  test('a job under nohup runs on when it is hung up', async () => {
    const out = newFile('people.csv');
    const { child, ended } = start(process.execPath, [
      binary,
      '--sandbox',
      '--latency',
      '20',
      'person',
      ...personIds(40),
      '--out',
      out,
    ]);
    await vi.waitFor(() => expect(existsSync(`${out}.journal`)).toBe(true), 60_000);
    child.kill('SIGHUP');
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(statusesIn(out)).toEqual(Array(40).fill('ok'));
  });

  test.each(['', 'here', './here'])(
    'takes HOME=%j for unset: what lies in the current folder is not its own',
    async (HOME) => {
      const folder = newFolder();
      for (const place of [folder, join(folder, 'here')]) {
        mkdirSync(join(place, '.config', 'pdi'), { recursive: true });
        writeFileSync(
          join(place, '.config', 'pdi', 'config.json'),
          '{"profiles":{"default":{"output":"csv"}}}',
        );
      }
      const place = { home, folder, env: { HOME, XDG_CONFIG_HOME: '' } };
      const { code, stdout } = await startIn(process.execPath, [binary, 'config', 'path'], place)
        .ended;
      expect([code, stdout]).toEqual([
        0,
        `${join(userInfo().homedir, '.config', 'pdi', 'config.json')}\n`,
      ]);
    },
  );

  test('asks for a home only where it needs one', async () => {
    const failing = "() => { throw new Error('uv_os_homedir returned ENOENT'); }";
    const unknown = preloaded(
      `require('node:os').homedir = require('node:os').userInfo = ${failing};`,
    );
    const words = [...unknown, '--sandbox', 'person', landmarks.person.id, '-o', 'csv'];
    expect(await end(process.execPath, words)).toMatchObject({ code: 0 });
    const { code, stderr } = await end(process.execPath, words, { XDG_STATE_HOME: '' });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('set XDG_STATE_HOME or HOME to an absolute path'),
    ]);
  });

  test(
    'goes on with the journal of a killed run that nobody has taken note of',
    needsLinux,
    async () => {
      const out = newFile('people.csv');
      const job = (latency: number) =>
        `"$NODE" "$PDI" --sandbox --latency ${latency} resolve ada-sample-1 700000001 -o csv --out ${out}`;
      // What bash becomes never asks how its child ended.
      const { child: parent, ended } = start('bash', [
        '-c',
        `${job(60_000)} & echo $!; exec sleep 1000`,
      ]);
      const killed = await new Promise<number>((resolve) =>
        parent.stdout?.once('data', (text) => resolve(Number(text))),
      );
      await vi.waitFor(() => expect(existsSync(`${out}.journal`)).toBe(true), 60_000);
      process.kill(killed, 'SIGKILL');
      await vi.waitFor(
        () => expect(readFileSync(`/proc/${killed}/stat`, 'utf8')).toContain(') Z '),
        60_000,
      );
      const second = await shell(job(0));
      parent.kill();
      await ended;
      expect([second.code, readFileSync(out, 'utf8').split('\r\n').length]).toEqual([0, 4]);
    },
  );

  test(
    'buys on where the log beside its book fills the disk, which the book itself does not',
    needsLinux,
    async () => {
      const job = `"$NODE" "$PDI" --sandbox person -i ${linesFile(personIds(900))} -o csv --max-age 0 --max-billable unlimited`;
      const { code, stderr } = await end('bash', ['-c', `ulimit -f 3000; ${job}`], {
        XDG_STATE_HOME: newFolder(),
      });
      expect([code, stderr]).toEqual([
        8,
        expect.stringContaining('pdi: 900 rows: 120 ok, 780 not found'),
      ]);
    },
  );

  test('counts the rows for its bar without keeping them', {
    ...needsLinux,
    ...needsProgram('/usr/bin/script'),
  }, async () => {
    const input = linesFile(
      Array.from({ length: 500_000 }, (_, index) => `somebody-with-a-name-that-is-long-${index}`),
    );
    const taken = fileOf('taken.csv', '');
    // Counted before --out is looked at, which ends it: no call is needed.
    const job = `"$NODE" --max-old-space-size=40 "$PDI" --sandbox resolve -i ${input} -o csv --out ${taken}`;
    const { stdout } = await end(
      '/usr/bin/script',
      ['-qec', `${job}; echo "ended with $?"`, '/dev/null'],
      { SHELL: '/bin/sh' },
    );
    expect(stdout).toContain('the file exists');
    expect(stdout).toContain('ended with 2');
  });

  // Linux alone, for its `script`: what is run there has a terminal, which is gone once script is killed.
  test('finishes and writes what is under way when its terminal is closed', {
    timeout: 300_000,
    ...needsLinux,
    ...needsProgram('/usr/bin/script'),
  }, async () => {
    const folder = newFolder();
    const [out, code] = [join(folder, 'people.csv'), join(folder, 'code')];
    // The shell tells its job, as an interactive one does, and again, as the system may.
    writeFileSync(
      join(folder, 'job.sh'),
      `exec 3<&0
      "$NODE" "$PDI" --sandbox --latency 300 person ${personIds(40).join(' ')} -o csv --out ${out} <&3 & job=$!
      trap 'kill -HUP $job; kill -HUP $job' HUP
      wait $job; wait $job; echo $? > ${code}`,
    );
    const job = ['-qec', `sh ${join(folder, 'job.sh')}`, '/dev/null'];
    const { child: terminal, ended } = start('/usr/bin/script', job, { SHELL: '/bin/sh' });
    await vi.waitFor(
      () => expect(readFileSync(`${out}.journal`, 'utf8').split('\n').length).toBeGreaterThan(3),
      60_000,
    );
    terminal.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(readFileSync(code, 'utf8')).toBe('129\n'), 60_000);
    expect([statusesIn(out).length, new Set(statusesIn(out))]).toEqual([
      40,
      new Set(['ok', 'skipped']),
    ]);
  });
});
