/** What a journal promises across real processes: kill -9 and a second run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/money/journal-open.ts';
import { bundle, ended, heard, start } from './child.ts';
import { clock, failureOf, newFolder } from './places.ts';
import { identity, realProcesses } from './scripts/parts.ts';

test('a journal in use is refused; after kill -9 it is taken up with every answer in it', async () => {
  const folder = newFolder();
  const path = join(folder, 'people.csv.journal');
  const options = { path, identity, restart: false, billable: true, retryUnknown: false, processes: realProcesses, clock };
  const script = await bundle('journal-run', folder);
  const running = start(script, path);
  await heard(running, 'ready');

  expect((await failureOf(() => openJournal(options))).message).toContain(`in use by another run (process ${running.pid}`);
  expect(await ended(start(script, path))).toBe(2);

  running.kill('SIGKILL');
  expect(await ended(running)).toBe('SIGKILL');
  expect(existsSync(`${path}.lock`)).toBe(true);
  const journal = await openJournal(options);
  const statuses = Array.from({ length: 50 }, (_, number) => journal.known(`per_${number}`)?.status);
  expect(statuses).toEqual(Array.from({ length: 50 }, () => 'ok'));
  expect(journal.known('per_49')?.record?.text).toBe('{"person_id":"per_49"}');
  expect(journal.known('per_last')?.status).toBe('unknown');
  journal.remove();
  expect(existsSync(`${path}.lock`)).toBe(false);
}, 20_000);
