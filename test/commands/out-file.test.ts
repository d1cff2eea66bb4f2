/** The file of a job between its runs: under another name, edited, replaced; what was bought is never bought again. */
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { personIds, profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against, closing, expectMistake, linesFile, newFile, slowAtFirst, statusesIn } from '../support/service.ts';

const jobOn = (out: string, ids: readonly string[]) => ['person', '-i', linesFile(ids), '-o', 'csv', '--out', out, '--concurrency', '1'];

/** A job of ten rows that was broken off after four. */
async function brokenOff(out = newFile()) {
  const ids = personIds(10);
  const origin = await closing(4, { status: 401 });
  const argv = jobOn(out, ids);
  const { home } = await against(origin.service, argv);
  expect(statusesIn(out).filter((status) => status === 'ok')).toHaveLength(4);
  origin.open();
  /** Rows bought again, once the last run is over. */
  const twice = () => origin.asked().length - 1 - ids.length;
  return { ...origin, out, argv, home, ids, twice };
}

describe('one FILE under two names', () => {
  const started = process.cwd();
  afterEach(() => process.chdir(started));

  const links = ['links/absolute', 'links/relative', 'link-to-link', 'alias'];

  /** A folder `real` for FILE, and links to FILE, to a link and to the folder; FILE is not there yet. */
  function linked(): string {
    const folder = newFolder();
    for (const name of ['real', 'links']) mkdirSync(join(folder, name));
    symlinkSync(join(folder, 'real', 'out'), join(folder, 'links', 'absolute'));
    symlinkSync('../real/out', join(folder, 'links', 'relative'));
    symlinkSync('links/absolute', join(folder, 'link-to-link'));
    symlinkSync(join(folder, 'real'), join(folder, 'alias'));
    return folder;
  }

  it.each([
    ['links/absolute', '.'],
    ['links/relative', '.'],
    ['link-to-link', '.'],
    ['alias/out', '.'],
    ['out', 'real'],
    ['./out', 'real'],
    ['real/../real//./out', '.'],
    ['../alias/out', 'links'],
  ])('has one run at a time and one journal: %s in %s', async (name, from) => {
    const folder = linked();
    const out = join(folder, 'real', 'out');
    process.chdir(join(folder, from));
    const ids = personIds(10);
    const { service, asked, release } = await slowAtFirst(({ path }, _response, count) => (count === 5 ? { status: 401 } : profile(path)));
    const first = against(service, jobOn(name, ids));
    await asked;
    expectMistake(await against(service, jobOn(out, ids).with(4, 'json')), 2, 'is in use by another run');
    release();
    const { code, home } = await first;
    expect(code).toBe(3);
    const second = await against(service, jobOn(out, ids), { home });
    // The call that was refused is made again, and no other.
    expect([second.code, statusesIn(out), service.requests.length]).toEqual([0, Array(10).fill('ok'), 11]);
    expect(readdirSync(dirname(out))).toEqual(['out']);
    expect(links.filter((link) => !lstatSync(join(folder, link)).isSymbolicLink())).toEqual([]);
  });
});

describe('a FILE that was edited between two runs', () => {
  it.each<[edit: string, make: (file: string) => void]>([
    ['appended to', (file) => appendFileSync(file, 'a note of mine\r\n')],
    ['cut short', (file) => truncateSync(file, 10)],
    ['written over with the same size', (file) => writeFileSync(file, 'y'.repeat(statSync(file).size))],
    [
      'replaced by another of the same size',
      (file) => {
        writeFileSync(`${file}.new`, 'x'.repeat(statSync(file).size));
        renameSync(`${file}.new`, file);
      },
    ],
    ['touched', (file) => utimesSync(file, new Date(), new Date())],
  ])('%s: it is not replaced, and the words of the refusal cost nothing', async (_edit, make) => {
    const { service, out, argv, home, asked } = await brokenOff();
    make(out);
    const [before, text] = [asked().length, readFileSync(out, 'utf8')];
    expectMistake(await against(service, argv.with(4, 'json'), { home }), 2, /the file is not as pdi left it/);
    expect([asked().length, readFileSync(out, 'utf8')]).toEqual([before, text]);
  });

  it.each([
    ['read-only', '444'],
    ['of another mode', '640'],
  ])('is ours still where it is %s, and keeps that mode', async (_edit, mode) => {
    const { service, out, argv, home, twice } = await brokenOff();
    chmodSync(out, mode);
    expect([(await against(service, argv, { home })).code, statusesIn(out), twice()]).toEqual([0, Array(10).fill('ok'), 0]);
    expect((statSync(out).mode & 0o777).toString(8)).toBe(mode);
  });

  it('is written anew where it was deleted', async () => {
    const { service, out, argv, home, twice } = await brokenOff();
    rmSync(out);
    expect([(await against(service, argv, { home })).code, statusesIn(out), twice()]).toEqual([0, Array(10).fill('ok'), 0]);
  });

  it.each(['moved away', 'replaced with --force'])('is completed without a second bill once it is %s', async (way) => {
    const { service, out, argv, home, twice } = await brokenOff();
    appendFileSync(out, 'a note of mine\r\n');
    if (way === 'moved away') renameSync(out, `${out}.mine`);
    const last = await against(service, way === 'moved away' ? argv : [...argv, '--force'], { home });
    expect([last.code, statusesIn(out), twice()]).toEqual([0, Array(10).fill('ok'), 0]);
  });

  it('keeps its journal where it stays as it is because no row has data', async () => {
    const { service, out, argv, home, ids, asked, close, open } = await brokenOff();
    appendFileSync(out, 'a note of mine\r\n');
    close();
    const unlucky = await against(service, [...argv.with(2, linesFile(['per_other'])), '--force'], { home });
    expect([unlucky.code, readFileSync(out, 'utf8').endsWith('a note of mine\r\n')]).toEqual([3, true]);
    open();
    const last = await against(service, [...jobOn(out, ids), '--force'], { home });
    const good = asked().filter((id) => id !== 'per_other');
    expect([last.code, good.length - 1]).toEqual([0, ids.length]);
  });
});
