// @ts-check
/** What a command loads before it does anything, and what each file costs: for reading, no figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { interleave, median } from './figures.mjs';
import { beside, wallMs, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';
import { commands, startConfigured } from './startup.mjs';

/**
 * @typedef {import('./imports.cjs').Loaded} Loaded
 * @typedef {{ modules: Loaded[], unasked: string[] }} Report
 */

const report = join(workFolder, 'imports.json');
const shownMs = 0.1;

/** @returns {Report} */
function imports(/** @type {readonly string[]} */ command) {
  wallMs([process.execPath, '--require', beside('imports.cjs'), ...command], { BENCH_IMPORTS: report });
  return JSON.parse(readFileSync(report, 'utf8'));
}

/**
 * @param {string} title
 * @param {readonly Report[]} runs of one command: what it loads is the same in all
 */
function section(title, runs) {
  const timesOf = (/** @type {string} */ name) => runs.map(({ modules }) => modules.find((one) => one.name === name)?.selfMs ?? 0);
  const modules = (runs[0]?.modules ?? []).map(({ name, bytes }) => ({ name, bytes, selfMs: median(timesOf(name)) }));
  const sorted = modules.toSorted((a, b) => b.selfMs - a.selfMs);
  const [shown, rest] = [sorted.filter(({ selfMs }) => selfMs >= shownMs), sorted.filter(({ selfMs }) => selfMs < shownMs)];
  const sum = (/** @type {readonly Loaded[]} */ list, /** @type {'bytes' | 'selfMs'} */ key) =>
    list.reduce((total, one) => total + one[key], 0);
  const line = (/** @type {string} */ name, /** @type {number} */ bytes, /** @type {number} */ selfMs) =>
    `${selfMs.toFixed(1).padStart(8)} ms  ${(bytes > 0 ? `${(bytes / 1000).toFixed(1)} kB` : '').padStart(9)}  ${name}`;
  return [
    `imports: ${title}: ${sum(modules, 'selfMs').toFixed(1)} ms, ${(sum(modules, 'bytes') / 1000).toFixed(0)} kB`,
    ...shown.map(({ name, bytes, selfMs }) => line(name, bytes, selfMs)),
    ...(rest.length > 0
      ? [line(`${rest.length} more: ${rest.map(({ name }) => name).join(' ')}`, sum(rest, 'bytes'), sum(rest, 'selfMs'))]
      : []),
    ...(runs[0] && runs[0].unasked.length > 0 ? [`   behind those, by Node itself: ${runs[0].unasked.join(' ')}`] : []),
  ].join('\n');
}

/**
 * A file's time is its reading, compiling and what it does as it is loaded; that of bin/pdi.js is the start of the work itself.
 * @param {string} pdi the program
 * @returns {Promise<string>}
 */
export async function importCosts(pdi) {
  const wanted = /** @type {const} */ (['--version', '--help', 'health -o json', 'person ID -o json']);
  const { stop } = await startConfigured();
  const contestants = wanted.map((name) => /** @type {const} */ ([name, () => imports([pdi, ...commands[name]])]));
  const runs = await interleave(roundsOf(5), Object.fromEntries(contestants), 1);
  await stop();
  return wanted.map((name) => section(name, runs(name))).join('\n');
}
