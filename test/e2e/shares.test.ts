/** The recipe of `pdi help jobs`: one CSV in shares, by GNU parallel, run as it is printed. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { shell } from '../campaign/process.ts';
import { needsProgram } from '../support/needs.ts';
import { newFolder, run } from '../support/run.ts';
import { rowsOf } from '../support/service.ts';

/** The lines of the topic from one that begins with `parallel` on. */
async function recipe(): Promise<string> {
  const { stdout } = await run(['help', 'jobs']);
  const found = /^ {2}parallel .*?(?=\n\n)/ms.exec(stdout)?.[0];
  if (found === undefined) throw new Error('the topic has no recipe with parallel');
  return found;
}

it('gives the rows of one run, in order, and buys each distinct id once', {
  timeout: 300_000,
  ...needsProgram('parallel'),
}, async () => {
  const folder = newFolder();
  symlinkSync(fileURLToPath(new URL('../../bin/pdi.js', import.meta.url)), join(folder, 'pdi'));
  const rows = Array.from(
    { length: 240 },
    (_, row) => `"Lead, ${row}",per_sample${1 + ((row * 7) % 60)}`,
  );
  writeFileSync(join(folder, 'leads-ids.csv'), `name,person_id\n${rows.join('\n')}\n`);
  const sandbox = await startSandbox({ people: 300 });
  onTestFinished(() => sandbox.stop());
  const place = {
    home: newFolder(),
    folder,
    baseUrl: sandbox.baseUrl,
    env: { PATH: `${folder}:${process.env.PATH}`, PDI_MAX_BILLABLE: 'unlimited' },
  };
  // As printed, but for the rate: eight times 2 requests a second would take a quarter of a minute.
  const ended = await shell(
    `set -o pipefail; unset -f pdi; ${(await recipe()).replace('--rate 2', '--rate 200')}`,
    place,
  ).ended;
  expect([ended.code, ended.stdout]).toEqual([0, '']);
  const billed = sandbox.bill().map(({ item }) => item);
  expect([billed.length, new Set(billed).size]).toEqual([60, 60]);
  const alone = await shell('pdi person -i leads-ids.csv -o csv -q', place).ended;
  expect(readFileSync(join(folder, 'people.csv'), 'utf8')).toBe(alone.stdout);
  expect(rowsOf(alone.stdout).map(({ name }) => name)).toEqual(
    Array.from({ length: 240 }, (_, row) => `Lead, ${row}`),
  );
  expect(sandbox.bill()).toHaveLength(60);
});
