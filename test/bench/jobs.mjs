// @ts-check
/** The large jobs, as the program is asked for them and as `plain.mjs` is. */
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beside, measure, workFolder } from './measure.mjs';

/**
 * @typedef {import('./measure.mjs').Measured} Measured
 * @typedef {object} Job
 * @property {readonly string[]} own arguments of Node
 * @property {readonly string[]} byHand
 * @property {string} output where what was printed last goes, with `.own` or `.by-hand` after it
 */

/** A file of distinct identifiers. */
export async function identifiers(/** @type {number} */ count, /** @type {string} */ prefix) {
  const path = join(workFolder, `${prefix}-${count}.txt`);
  const stream = createWriteStream(path);
  for (let index = 0; index < count; index += 1000) {
    stream.write(Array.from({ length: Math.min(1000, count - index) }, (_, step) => `${prefix}${index + step}\n`).join(''));
  }
  await finished(stream.end());
  return path;
}

/**
 * @param {string} pdi the program
 * @param {string} base the origin's URL
 */
export async function jobsOf(pdi, base) {
  const [few, many, people] = [await identifiers(10_000, 'id'), await identifiers(1_000_000, 'id'), await identifiers(5000, 'per_')];
  const common = ['--base-url', base, '--concurrency', '8', '--max-billable', 'unlimited', '--quiet'];
  /** @returns {Job} */
  const job = (/** @type {string[]} */ own, /** @type {string[]} */ byHand) => ({
    own: [pdi, ...own, ...common],
    byHand: [beside('plain.mjs'), base, ...byHand],
    output: join(workFolder, [...own, 'out'].join('-').replaceAll('/', '')),
  });
  return {
    'resolve 10,000 to csv': job(['resolve', '-i', few, '-o', 'csv'], ['resolve', few]),
    'resolve 1,000,000 to csv': job(['resolve', '-i', many, '-o', 'csv'], ['resolve', many]),
    'person 5,000 to ndjson': job(['person', '-i', people, '-o', 'ndjson'], ['person', people]),
    'person 5,000 to csv': job(['person', '-i', people, '-o', 'csv'], ['person-csv', people]),
    'feed 100,000 to ndjson': job(['feed', '--all', '-o', 'ndjson'], ['feed']),
    'feed 100,000 to csv': job(['feed', '--all', '-o', 'csv'], ['feed-csv']),
  };
}

const env = { PDI_API_KEY: 'bench-key' };

/**
 * Our program, once.
 * @param {Job} job
 * @param {{ args?: readonly string[], preload?: readonly string[], output?: string }} [more]
 */
export const runOwn = ({ own, output }, { args = [], preload = [], output: elsewhere } = {}) =>
  measure([...own, ...args], { output: elsewhere ?? `${output}.own`, env, preload });

/** The program by hand, once. */
export const runByHand = (/** @type {Job} */ { byHand, output }) => measure(byHand, { output: `${output}.by-hand` });

/** Throws where the two programs, run before, did not print the same: then they did not do the same work. The one by hand has no header. */
export function refuseOtherWork(/** @type {Job} */ { own, output }) {
  const printed = readFileSync(`${output}.own`);
  const header = own.includes('csv') ? printed.indexOf('\n') + 1 : 0;
  if (!printed.subarray(header).equals(readFileSync(`${output}.by-hand`)))
    throw new Error(`${own.join(' ')}: by hand prints something else`);
}
