// @ts-check
/**
 * `npm run bench [-- startup bulk limit completion size]`: measures a build of the present source, prints a table of ratios and writes
 * test/bench/results/latest.ndjson, one figure a line. Fails where a goal is missed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bulk } from './bulk.mjs';
import { completion } from './completion.mjs';
import { verdict } from './goals.mjs';
import { limit } from './limit.mjs';
import { beside, workFolder } from './measure.mjs';
import { size } from './size.mjs';
import { startup } from './startup.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const parts = { startup, bulk, limit, completion, size };

/** Builds into a folder of our own: a build by somebody else must not pull the program away under a measurement. */
function build() {
  const root = beside('../..');
  execFileSync(join(root, 'node_modules/.bin/rolldown'), ['-c', '--dir', join(workFolder, 'dist')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cpSync(join(root, 'bin'), join(workFolder, 'bin'), { recursive: true });
  return join(workFolder, 'bin/pdi.js');
}

/** @param {readonly Figure[]} figures */
function tableOf(figures) {
  const rows = figures.map((figure) => [figure.name, figure.value.toFixed(2), figure.own, figure.baseline, verdict(figure)]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const asked = process.argv.slice(2);
const pdi = process.env.BENCH_PDI ?? build();
/** @type {Figure[]} */
const figures = [];
for (const [name, part] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) figures.push(...(await part(pdi)));
process.stdout.write(`${tableOf(figures)}\n`);
const results = beside('results');
mkdirSync(results, { recursive: true });
const facts = { node: process.version, at: new Date().toISOString() };
writeFileSync(join(results, 'latest.ndjson'), figures.map((figure) => `${JSON.stringify({ ...figure, ...facts })}\n`).join(''));
if (figures.some((figure) => verdict(figure).startsWith('MISSED'))) process.exitCode = 1;
