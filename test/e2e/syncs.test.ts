/** A power cut leaves old files or new ones whole: what must be on the disk before what, in the order in which the binary does it. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pdi, preloading } from '../campaign/process.ts';
import { needsPosix } from '../support/needs.ts';
import { idIn, personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { answering, asRecord, linesFile, linesOf } from '../support/service.ts';

const telling = fileURLToPath(new URL('syncs.cjs', import.meta.url));

/** Runs the binary in a new home; what it ends with, and what it made the disk do. */
async function ran(home: string, baseUrl: string, argv: readonly string[]) {
  const log = join(newFolder(), 'syncs');
  const { ended } = pdi(argv, { home, baseUrl, env: { ...preloading(telling), SYNCS: log } });
  const { code, stderr } = await ended;
  const events = linesOf(readFileSync(log, 'utf8')).map((line) => asRecord(JSON.parse(line)));
  /** Where it did this, the last time; fails where it never did. */
  const place = (event: Readonly<Record<string, unknown>>): number => {
    const found = events.findLastIndex((one) =>
      Object.entries(event).every(([name, value]) => one[name] === value),
    );
    expect(found, `${JSON.stringify(event)} in ${JSON.stringify(events)}`).not.toBe(-1);
    return found;
  };
  return { code, stderr, place, events };
}

const inOrder = (places: readonly number[]) =>
  expect(places).toEqual(places.toSorted((left, right) => left - right));

/** The last sync of a file as it is now. */
function synced(path: string) {
  const { ino, size } = statSync(path);
  return { did: 'sync', inode: ino, size };
}
const renamed = (path: string) => ({ did: 'rename', inode: statSync(path).ino, path });
const folderSynced = (path: string) => ({ did: 'sync', inode: statSync(path).ino });

/** A service that answers for persons up to `good`, then has no credits left. */
const serviceOf = (good: number) =>
  answering(({ path }, _response, count) =>
    count <= good
      ? { json: { person_id: idIn(path) } }
      : { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } },
  );

describe('on the disk', needsPosix, () => {
  const ids = linesFile(personIds(3));

  it.each(['csv', 'json', 'xlsx'])(
    'FILE is whole before it has its name, and has its name before the journal goes: %s',
    async (format) => {
      const [home, { baseUrl }] = [newFolder(), await serviceOf(3)];
      const out = join(home, 'out');
      const { code, place } = await ran(home, baseUrl, [
        'person',
        '-i',
        ids,
        '-o',
        format,
        '--out',
        out,
      ]);
      expect(code).toBe(0);
      const journalGone = place({ did: 'unlink', path: `${out}.journal` });
      inOrder([place(synced(out)), place(renamed(out)), place(folderSynced(home)), journalGone]);
    },
  );

  it('a journal that stays is whole before it is closed', async () => {
    const [home, { baseUrl }] = [newFolder(), await serviceOf(2)];
    const out = join(home, 'out');
    const { code, place } = await ran(home, baseUrl, [
      'person',
      '-i',
      ids,
      '-o',
      'csv',
      '--out',
      out,
      '--concurrency',
      '1',
    ]);
    expect(code).toBe(7);
    const { ino } = statSync(`${out}.journal`);
    inOrder([place(synced(`${out}.journal`)), place({ did: 'close', inode: ino })]);
  });

  it('the configuration is whole before it has its name', async () => {
    const home = newFolder();
    for (const value of ['csv', 'json']) {
      const { code, place } = await ran(home, '', ['config', 'set', 'output', value]);
      expect(code).toBe(0);
      const config = join(home, 'config', 'pdi', 'config.json');
      inOrder([place(synced(config)), place(renamed(config))]);
    }
  });
});
