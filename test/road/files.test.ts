/** The file of a job between its runs: under another name, edited, replaced; what was bought is never bought again. */
import { appendFileSync, existsSync, lstatSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { personIds } from '../support/records.ts';
import { against, closing, expectMistake, linesFile, newFile, statusesIn } from '../support/service.ts';

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
  it.each(['a link to the file', 'a link to its folder'])('has one journal: %s', async (kind) => {
    const out = newFile();
    const link = join(dirname(newFile()), 'link');
    symlinkSync(kind === 'a link to the file' ? out : dirname(out), link);
    const other = kind === 'a link to the file' ? link : join(link, 'out');
    const { service, home, ids, twice } = await brokenOff(other);
    const second = await against(service, jobOn(out, ids), { home });
    expect([second.code, statusesIn(out), twice()]).toEqual([0, Array(10).fill('ok'), 0]);
    expect([existsSync(`${out}.journal`), existsSync(`${link}.journal`), lstatSync(link).isSymbolicLink()]).toEqual([false, false, true]);
  });
});

describe('a FILE that was edited between two runs', () => {
  it('is not replaced, and the words of the refusal cost nothing', async () => {
    const { service, out, argv, home, asked } = await brokenOff();
    appendFileSync(out, 'a note of mine\r\n');
    const before = asked().length;
    expectMistake(await against(service, argv.with(4, 'json'), { home }), 2, /the file is not as pdi left it/);
    expect([asked().length, readFileSync(out, 'utf8').endsWith('a note of mine\r\n')]).toEqual([before, true]);
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
