/** What the bench measures against must go on working: it runs by hand only, and would fail unseen. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pdi } from '../campaign/process.ts';
import { newFolder } from '../support/run.ts';
import { ledgerFileOf, sandboxed } from '../support/service.ts';

const noBooks = fileURLToPath(new URL('no-books.cjs', import.meta.url));

it('a program whose ledger is silent runs as ever, and its ledger stays empty', async () => {
  const { baseUrl } = await sandboxed();
  const home = newFolder();
  const run = pdi(['person', 'per_sample1', 'per_sample2', '-o', 'ndjson'], {
    home,
    baseUrl,
    env: { NODE_OPTIONS: `--require ${JSON.stringify(noBooks)}` },
  });
  const { code, stdout } = await run.ended;
  expect([code, stdout.split('\n').length - 1]).toEqual([0, 2]);
  expect(readFileSync(ledgerFileOf({ home }), 'utf8')).toBe('');
});
