/** Defects that the campaigns found by chance, each held by a test that leaves nothing to it. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Signal } from '../../src/io.ts';
import { personIds } from '../support/records.ts';
import { against, linesFile, newFile, sandboxed, statusesIn } from '../support/service.ts';

it('a job that is stopped before its first call leaves a file that the same command completes', async () => {
  const sandbox = await sandboxed();
  const out = newFile();
  const argv = ['person', '-i', linesFile(personIds(5)), '-o', 'csv', '--out', out, '--verbose'];
  let send: (signal: Signal) => void = () => {};
  const stopped = await against(sandbox, argv, {
    withSignal: (sender) => {
      send = sender;
    },
    onStderr: (text) => {
      if (text.includes('key from')) send('SIGINT');
    },
  });
  expect([stopped.code, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([130, Array(5).fill('skipped'), true]);
  const completed = await against(sandbox, argv);
  expect([completed.code, statusesIn(out), existsSync(`${out}.journal`)]).toEqual([0, Array(5).fill('ok'), false]);
  expect(sandbox.bill()).toHaveLength(5);
});
