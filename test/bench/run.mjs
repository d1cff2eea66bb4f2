// @ts-check
/**
 * `npm run bench [-- PART … --rounds N --json]`: measures a build of the present source against baselines in the same run, prints
 * medians of ratios as a table and writes test/bench/results/latest.ndjson, one figure a line. Fails where a goal is missed.
 *
 * Parts: startup nodes bulk store book others limit pace size; all of them where none is named. `--rounds 2` is for a quick look,
 * `--json` prints the lines of that file to stdout and the table to stderr. BENCH_PDI=PATH measures that program, not a build.
 * Where a job spends its time is told by Node's own profile: `node --cpu-prof bin/pdi.js person -i FILE`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { book } from './book.mjs';
import { bulk } from './bulk.mjs';
import { verdict } from './goals.mjs';
import { limit } from './limit.mjs';
import { beside, workFolder } from './measure.mjs';
import { nodes } from './nodes.mjs';
import { asked, json, note, say } from './options.mjs';
import { others } from './others.mjs';
import { pace } from './pace.mjs';
import { headLine, linesOf, tableOf } from './report.mjs';
import { size } from './size.mjs';
import { startup } from './startup.mjs';
import { store } from './store.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

/** @type {Readonly<Record<string, (pdi: string) => Promise<Figure[]>>>} */
const parts = { startup, nodes, bulk, store, book, others, limit, pace, size };

/** Builds into a folder of our own: a build by somebody else must not pull the program away under a measurement. */
function build() {
  const root = beside('../..');
  execFileSync(
    join(root, 'node_modules/.bin/rolldown'),
    ['-c', '--dir', join(workFolder, 'dist')],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  for (const name of [
    'bin',
    'completions',
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
  ]) {
    cpSync(join(root, name), join(workFolder, name), { recursive: true });
  }
  // The one package that is not bundled is found there.
  symlinkSync(join(root, 'node_modules'), join(workFolder, 'node_modules'));
  return join(workFolder, 'bin/pdi.js');
}

/** @param {readonly string[]} names */
async function measureParts(names) {
  const pdi = process.env.BENCH_PDI ?? build();
  /** @type {Figure[]} */
  const figures = [];
  for (const name of names) {
    const startedAt = performance.now();
    figures.push(...((await parts[name]?.(pdi)) ?? []));
    note(`${name}: measured in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  say(`${headLine()}\n\n${tableOf(figures)}`);
  if (json) process.stdout.write(linesOf(figures));
  const results = beside('results');
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'latest.ndjson'), linesOf(figures));
  if (figures.some((figure) => verdict(figure).startsWith('MISSED'))) process.exitCode = 1;
}

const unknown = asked.filter((name) => parts[name] === undefined);
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(', ')}: there are ${Object.keys(parts).join(', ')}`);
await measureParts(asked.length > 0 ? asked : Object.keys(parts));
