/** One book under many processes: made at one moment, on a disk of coarse times, beside one that is stopped while it writes. */
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openBookFile } from '../../src/book/book-file.ts';
import { bookOptions, countIn } from '../book/places.ts';
import { actors } from '../support/actor.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { rowsOf } from '../support/service.ts';
import { amount } from './effort.ts';
import {
  jobOfPeople,
  needsContainers,
  pdi,
  preloading,
  sandboxPlace,
  withMounted,
} from './process.ts';

it('is made by eight processes at one moment: one book, and none fails', {
  timeout: 900_000,
}, async () => {
  const { openAtOnce } = await actors();
  for (let round = 0; round < amount(1, 100); round += 1) {
    const path = join(newFolder(), 'state', 'book.db');
    expect(await openAtOnce(path, 8)).toEqual(Array(8).fill(0));
    const file = await openBookFile(bookOptions({ path }));
    expect(countIn(file, 'SELECT count(*) AS count FROM owner')).toBe(8);
    file.close();
    expect(readdirSync(dirname(path)).filter((name) => !name.startsWith('book.db'))).toEqual([]);
  }
});

it('on a disk whose times have whole seconds: three runs that start together buy each answer once', {
  timeout: 300_000,
}, async () => {
  const coarse = fileURLToPath(new URL('coarse-times.cjs', import.meta.url));
  for (let round = 0; round < amount(1, 20); round += 1) {
    const { place, billed } = await sandboxPlace({ latency: 15 }, { ...preloading(coarse) });
    const ids = personIds(90);
    const runs = [0, 30, 60].map(
      (from) => pdi(jobOfPeople([...ids.slice(from), ...ids.slice(0, from)]), place).ended,
    );
    for (const { code, stdout, stderr } of await Promise.all(runs)) {
      expect(code, stderr).toBe(0);
      expect(rowsOf(stdout).every(({ pdi_status }) => pdi_status === 'ok')).toBe(true);
    }
    expect(billed().sort()).toEqual(ids.toSorted());
  }
});

it(
  'that is mounted without its folder is refused, as is such a FILE, and nothing is sent',
  needsContainers,
  async () => {
    const { place, billed } = await sandboxPlace({});
    const [file, name] = [join(newFolder(), 'there'), join(newFolder(), 'mounted here')];
    for (const one of [file, name]) writeFileSync(one, '');
    const asBook = await withMounted(file, name, ['person', 'per_sample1'], {
      ...place,
      env: { PDI_BOOK: name },
    }).ended;
    expect([asBook.code, asBook.stderr]).toEqual([
      1,
      expect.stringContaining(`the book ${name} is mounted without its folder`),
    ]);
    const asFile = await withMounted(
      file,
      name,
      jobOfPeople(personIds(2), '--out', name, '--force'),
      place,
    ).ended;
    expect([asFile.code, asFile.stderr]).toEqual([
      2,
      expect.stringContaining('it is mounted without its folder'),
    ]);
    expect(billed()).toEqual([]);
  },
);

describe('beside a process that is stopped inside a transaction', () => {
  it('look-ups go on, the others name it after their patience or wait for it, and nothing is lost', {
    timeout: 300_000,
  }, async () => {
    const { act } = await actors();
    const { place, billed } = await sandboxPlace({ latency: 5 });
    const [had, wanted] = [personIds(20), personIds(20, 21)];
    expect((await pdi(jobOfPeople(had), place).ended).code).toBe(0);
    const stopped = await act('stop', join(place.home, 'state', 'pdi', 'book.db'));
    const waiting = pdi(jobOfPeople(wanted), place);
    const impatient = pdi(
      jobOfPeople(wanted, '--timeout', '0.5', '--max-wait', '0.5'),
      place,
    ).ended;
    const looking = await pdi(jobOfPeople(had), place).ended;
    expect([looking.code, rowsOf(looking.stdout).map(({ pdi_status }) => pdi_status)]).toEqual([
      0,
      Array(20).fill('ok'),
    ]);
    const { code, stderr } = await impatient;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`has been held for 1 s by another run (process ${stopped.pid} on `),
    ]);
    expect([waiting.child.exitCode, billed().sort()]).toEqual([null, [...had].sort()]);
    stopped.goOn();
    const patient = await waiting.ended;
    expect([patient.code, rowsOf(patient.stdout).map(({ pdi_status }) => pdi_status)]).toEqual([
      0,
      Array(20).fill('ok'),
    ]);
    expect(billed().sort()).toEqual([...had, ...wanted].sort());
  });
});
