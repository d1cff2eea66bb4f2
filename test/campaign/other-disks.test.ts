/** Disks that are not as Linux has them: they take two names for one file, keep one that another program has open, or know no modes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { attempt } from '../../src/errors.ts';
import { needs, needsPython, python } from '../support/needs.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { amount } from './effort.ts';
import { eventually, pdi, sandboxPlace } from './process.ts';

const script = fileURLToPath(new URL('other-disks.py', import.meta.url));
const mayMount = needs(
  attempt(() => accessSync('/dev/fuse', constants.R_OK | constants.W_OK) === undefined) === true &&
    spawnSync('fusermount', ['-V']).status === 0,
  'this user may not mount a disk of FUSE',
);

const onDisks = { timeout: 120_000, ...needsPython('fusepy'), ...mayMount };

/** A folder on such a disk; it goes with the test. */
async function folderOn(kind: string): Promise<string> {
  const [root, place] = [newFolder(), newFolder()];
  const disk = spawn(python, [script, root, place, kind], { stdio: 'ignore' });
  onTestFinished(async () => {
    spawnSync('fusermount', ['-u', '-z', place]);
    await once(disk, 'exit');
  });
  const { dev } = statSync(root);
  await eventually(() => statSync(place).dev !== dev || disk.exitCode !== null || undefined);
  expect(disk.exitCode, 'the disk is there').toBe(null);
  mkdirSync(join(place, 'files'));
  return join(place, 'files');
}

it.each([
  ['case', 'People.csv', 'people.csv'],
  ['case', 'STRAßE É.csv', 'straße e\u0301.csv'],
  ['form', 'Sch\u00e9ma.csv', 'Sche\u0301ma.csv'],
])('two runs on one FILE of a disk without %s: %s and %s', onDisks, async (kind, ...names) => {
  const folder = await folderOn(kind);
  for (let round = 0; round < amount(1, 20); round += 1) {
    const { place, billed, twice } = await sandboxPlace({ latency: 20 }, { PDI_MAX_AGE: '0' });
    const jobs = names.map((name) => {
      const out = join(folder, `${round} ${name}`);
      return pdi(['person', '-i', linesFile(personIds(20)), '--out', out], place).ended;
    });
    const ended = await Promise.all(jobs);
    expect(ended.map(({ code }) => code).sort(), ended[0]?.stderr).toEqual([0, 2]);
    expect([twice(), billed().length]).toEqual([[], 20]);
  }
  expect(readdirSync(folder)).toHaveLength(amount(1, 20));
});

it('two FILEs whose names differ in case alone are two where the disk says so', async () => {
  const { place, twice } = await sandboxPlace({ latency: 20 });
  const folder = newFolder();
  const jobs = ['A', 'a'].map((name, at) => {
    const ids = linesFile(personIds(10, 1 + 10 * at));
    return pdi(['person', '-i', ids, '--out', join(folder, `${name}.csv`)], place).ended;
  });
  expect((await Promise.all(jobs)).map(({ code }) => code)).toEqual([0, 0]);
  expect([twice(), readdirSync(folder).sort()]).toEqual([[], ['A.csv', 'a.csv']]);
});

it(
  'FILE that is open in another program is waited for, and told of before the first call',
  onDisks,
  async () => {
    const folder = await folderOn('held');
    const mark = (name: string) => join(dirname(folder), name);
    const [file, found] = [join(folder, 'people.csv'), join(folder, 'found.csv')];
    for (const path of [file, found]) writeFileSync(path, 'of another program\n');
    const { place, billed } = await sandboxPlace({});
    const input = linesFile(personIds(3));
    const run = (...argv: string[]) => pdi([...argv, '--force'], place).ended;
    const job = () => run('person', '-i', input, '--out', file);
    writeFileSync(mark('held'), '');
    expect(await job()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is open in another program; nothing was sent: close it'),
    });
    expect(billed()).toEqual([]);
    rmSync(mark('held'));
    writeFileSync(mark('kept'), '');
    const [late, beside] = await Promise.all([job(), run('resolve', 'nobody', '--out', found)]);
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringContaining('people.csv: it is open in another program; close it; run the same'),
    ]);
    expect([beside.code, beside.stderr]).toEqual([2, expect.stringContaining('found-2.csv')]);
    rmSync(mark('refused'));
    const again = job();
    await eventually(() => existsSync(mark('refused')) || undefined);
    rmSync(mark('kept'));
    expect([(await again).code, billed().length]).toEqual([0, 3]);
    expect(readdirSync(folder).sort()).toEqual(['found-2.csv', 'found.csv', 'people.csv']);
  },
);

it('no configuration is kept on a disk whose files are open to all', onDisks, async () => {
  const folder = await folderOn('open');
  const place = { home: newFolder(), env: { PDI_CONFIG_DIR: folder } };
  const refusal =
    /a disk that keeps no modes.*name a folder on a disk of this machine with PDI_CONFIG_DIR/;
  const set = await pdi(['config', 'set', 'output', 'csv'], place).ended;
  expect([set.code, set.stderr, readdirSync(folder)]).toEqual([
    2,
    expect.stringMatching(refusal),
    [],
  ]);
  writeFileSync(join(folder, 'config.json'), '{}');
  const listed = await pdi(['config', 'list'], place).ended;
  expect([listed.code, listed.stderr]).toEqual([2, expect.stringMatching(refusal)]);
});

it(
  'a disk that refuses chmod, and is open to nobody else, is as good as another',
  onDisks,
  async () => {
    const folder = await folderOn('closed');
    const { place, sandbox } = await sandboxPlace({}, { PDI_CONFIG_DIR: folder });
    const feed = ['feed', '--since-last', 'a', '--out', join(folder, 'signals.csv')];
    for (const argv of [['config', 'set', 'output', 'csv'], feed, feed]) {
      expect(await pdi(argv, place).ended).toMatchObject({ code: 0 });
      await fetch(new URL('/sandbox/signal', sandbox.baseUrl), { method: 'POST' });
    }
  },
);
