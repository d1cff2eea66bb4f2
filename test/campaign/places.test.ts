/** Bad ground under the program: disks that fill up, folders that may not be written, clocks that run backwards. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { isRoot, needs } from '../support/needs.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, newFile, rowsOf, statusesIn } from '../support/service.ts';
import { campaign, drawn } from './campaign.ts';
import { long, luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import { binary, onSmallDisk, type Place, pdi, withClock } from './process.ts';
import type { Case, Check } from './tally.ts';

const effort = { atOnce: 2 };
/** The user without rights that every system has; modes mean nothing to root. */
const nobody = 65_534;

describe(`bad ground (seed ${seed})`, () => {
  campaign('disks that fill up', effort, () => [
    ...drawn(1, 25, limitedFiles)(),
    ...(mayMount() ? drawn(1, 25, smallDisk)() : []),
  ]);
  campaign('clocks that are wrong', effort, () => clocks);
});

/** In a clone that is closed to others, there is nobody else to be. */
const mayRun =
  !isRoot ||
  spawnSync(process.execPath, [binary, '--version'], { uid: nobody, gid: nobody }).status === 0;

describe('folders', needs(mayRun, 'nobody but root can read this clone or run this Node'), () => {
  campaign('folders not ours', effort, () => closedFolders);
});

const count = 60;
const jobOf = (out: string) => [
  'person',
  '-i',
  linesFile(personIds(count)),
  '-o',
  'csv',
  '--out',
  out,
  '--concurrency',
  '4',
];

/** A run on the small disk, then one with room: the first ends in order, the second buys the rest, nobody buys twice. */
async function fillUp(
  check: Check,
  small: (argv: readonly string[], place: Place) => ReturnType<typeof pdi>,
  folder: string,
  makeRoom: () => void,
) {
  const sandbox = await startSandbox();
  try {
    const place = { home: folder, baseUrl: sandbox.baseUrl };
    const out = join(folder, 'out.csv');
    const argv = jobOf(out);
    const first = await small(argv, place).ended;
    check(
      first.code === 0 || first.code === 1,
      'broken',
      `exit ${first.code} ${first.signal}: ${first.stderr}`,
    );
    check(
      first.code === 0 || /^pdi: .*cannot (?:write|open|use|finish)/m.test(first.stderr),
      'broken',
      `says ${first.stderr}`,
    );
    if (existsSync(out))
      check(statusesIn(out).length === count, 'rows lost', `${statusesIn(out).length} rows`);
    makeRoom();
    const last = first.code === 0 ? first : await pdi(argv, place).ended;
    check(last.code === 0, 'broken', `with room: exit ${last.code}: ${last.stderr}`);
    check(twiceIn(sandbox.bill()).length === 0, 'billed twice', twiceIn(sandbox.bill()).join(', '));
    check(
      statusesIn(out).filter((status) => status === 'ok').length === count,
      'rows lost',
      statusesIn(out).join(' '),
    );
    if (first.code === 0) await checkBook(check, folder, sandbox.bill());
  } finally {
    await sandbox.stop();
  }
}

/** Files that may not grow past a drawn size: answers and ledger lines are cut wherever it happens to be. */
const limitedFiles = (index: number): Case => {
  const kibibytes = 1 + Math.floor(luck('limits', index)() * 1500);
  return {
    name: `files of ${kibibytes} KiB at most`,
    run: (check) => fillUp(check, onSmallDisk.bind(undefined, kibibytes), newFolder(), () => {}),
  };
};

/** A disk of its own, everything on it: input apart. */
const smallDisk = (index: number): Case => {
  const kibibytes = 16 + Math.floor(luck('disks', index)() * 1500);
  return {
    name: `a disk of ${kibibytes} KiB`,
    async run(check) {
      const folder = newFolder();
      const mount = (...options: string[]) =>
        execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', folder]);
      mount(`size=${kibibytes}k`);
      try {
        await fillUp(check, pdi, folder, () => mount('remount', 'size=64m'));
      } finally {
        execFileSync('umount', ['-l', folder]);
      }
    },
  };
};

function mayMount(): boolean {
  if (!isRoot || process.platform !== 'linux') return false;
  const folder = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  }
}

/** A folder that the program may read, and no more. */
function readOnlyFolder(): string {
  const folder = newFolder();
  chmodSync(folder, 0o555);
  return folder;
}

/** A folder that belongs to whoever the program runs as. */
function ownFolder(): string {
  const folder = newFolder();
  if (isRoot) chownSync(folder, nobody, nobody);
  return folder;
}

const aFile = (): string => {
  const path = newFile('file');
  writeFileSync(path, '');
  chmodSync(join(path, '..'), 0o755);
  return path;
};

type Closed = readonly [
  name: string,
  code: number,
  argv: readonly string[],
  env?: Readonly<Record<string, string>>,
];

const persons = ['person', 'per_sample1', 'per_sample2'];
const feed = ['feed', '--since-last', '--after', '0001-01-01'];
const setting = ['config', 'set', 'timeout', '9'];

/** Nothing is sent where what is bought could not be written down: the bill stays empty. */
const closedFolders: readonly Case[] = (
  [
    ['--out in a read-only folder', 2, [...persons, '--out', join(readOnlyFolder(), 'out')]],
    ['--out below a file', 2, [...persons, '--out', join(aFile(), 'out')]],
    [
      'state in a read-only folder',
      1,
      ['person', 'per_sample1'],
      { XDG_STATE_HOME: readOnlyFolder() },
    ],
    ['state below a file', 1, ['person', 'per_sample1'], { XDG_STATE_HOME: aFile() }],
    ['a bookmark in a read-only folder', 1, feed, { XDG_STATE_HOME: readOnlyFolder() }],
    ['configuration in a read-only folder', 1, setting, { PDI_CONFIG_DIR: readOnlyFolder() }],
    ['configuration below a file', 1, setting, { PDI_CONFIG_DIR: join(aFile(), 'pdi') }],
  ] satisfies readonly Closed[]
).map(([name, code, argv, env]: Closed) => ({
  name,
  async run(check) {
    const sandbox = await startSandbox();
    const place = {
      home: ownFolder(),
      baseUrl: sandbox.baseUrl,
      ...(env !== undefined && { env }),
      ...(isRoot && { user: nobody }),
    };
    const end = await pdi([...argv, '-o', 'csv'], place).ended;
    await sandbox.stop();
    check(end.code === code, 'broken', `exit ${end.code}, not ${code}: ${end.stderr}`);
    check(
      /^pdi: [^\n]+\n$/.test(end.stderr) && !/unexpected/.test(end.stderr),
      'broken',
      `not one clear line: ${end.stderr}`,
    );
    check(end.stdout === '', 'broken', end.stdout);
    check(sandbox.bill().length === 0, 'broken', 'something was bought');
  },
}));

const day = 86_400_000;

/** A job is killed today and resumed by a wrong clock; the ledger's days and sums are right for what the clock said. */
const clocks: readonly Case[] = (
  [
    ['three days back', -3 * day, 0],
    ['a minute back at every look', 0, -60_000],
    ['an hour on at every look', 0, 3_600_000],
    ['in the year 1970', -Date.now(), 1],
  ] satisfies readonly (readonly [name: string, shift: number, driftAtEveryLook: number])[]
)
  .slice(0, long ? 4 : 1)
  .map(([name, shift, drift]) => ({
    name,
    async run(check) {
      const sandbox = await startSandbox({ latency: 15 });
      try {
        const place = { home: newFolder(), baseUrl: sandbox.baseUrl };
        const out = join(place.home, 'out.csv');
        const first = pdi(jobOf(out), place);
        await Promise.race([first.ended, billReaches(sandbox, 20)]);
        first.child.kill('SIGKILL');
        await first.ended;
        const there = withClock(place, shift, drift);
        const last = await pdi([...jobOf(out), '--retry-unknown'], there).ended;
        check(last.code === 0, 'broken', `exit ${last.code}: ${last.stderr}`);
        await checkBook(check, place.home, sandbox.bill());
        await checkSpend(check, there, sandbox.bill().length);
      } finally {
        await sandbox.stop();
      }
    },
  }));

/** `pdi spend` counts every billed call, whichever days they have. */
async function checkSpend(check: Check, place: Place, billed: number): Promise<void> {
  const { code, stdout, stderr } = await pdi(['spend', '-o', 'csv'], place).ended;
  check(code === 0, 'broken', stderr);
  const rows = rowsOf(stdout);
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  check(
    sum('billed') <= billed && billed <= sum('billed') + sum('lost') + sum('settled'),
    'broken',
    `${billed} on the bill: ${stdout}`,
  );
  const haveDays = rows.every((row) => /^\d{4}-\d\d-\d\d$/.test(row.day ?? ''));
  check(haveDays, 'broken', stdout);
}

async function billReaches(sandbox: { bill(): readonly unknown[] }, length: number): Promise<void> {
  await expect
    .poll(() => sandbox.bill().length, { interval: 5, timeout: 60_000 })
    .toBeGreaterThanOrEqual(length);
}
