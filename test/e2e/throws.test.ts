/** A failure is a value on most of its way: it is thrown by the client and at the end of the run, and nowhere between. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';

const script = fileURLToPath(new URL('scripts/count-throws.mjs', import.meta.url));
const program = fileURLToPath(new URL('../../bin/pdi.js', import.meta.url));

/** Exit code, and the first line of each thing thrown. */
async function thrownBy(
  argv: readonly string[],
  home: string,
): Promise<{ code: unknown; thrown: readonly string[] }> {
  const file = join(home, 'thrown');
  writeFileSync(file, '');
  const env = { PATH: process.env.PATH, HOME: home };
  const code = await new Promise((resolve) => {
    execFile(process.execPath, [script, file, program, ...argv], { env, maxBuffer: 1e7 }, (error) =>
      resolve(error?.code),
    );
  });
  return { code, thrown: readFileSync(file, 'utf8').split('\n') };
}

it.each([
  ['the third call of a job', ['person', '-i', 'ids.txt', '-o', 'csv', '--concurrency', '1']],
  ['the third page of a feed', ['feed', '--all', '-o', 'ndjson']],
])('OUT_OF_CREDITS in %s is thrown at most twice', async (_what, argv) => {
  const home = newFolder();
  writeFileSync(join(home, 'ids.txt'), 'per_sample1\nper_sample2\nper_sample3\nper_sample4\n');
  const at = argv.map((word) => (word === 'ids.txt' ? join(home, word) : word));
  const { code, thrown } = await thrownBy([...at, '--sandbox', '--credits', '2'], home);
  const failures = thrown.filter((line) => line.includes('out of credits'));
  expect([code, failures.length]).toEqual([7, 2]);
});
