// @ts-check
/** How close a job comes to a rate limit, and what it wastes: 200 batches at 10 requests a second with a burst of 10. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beside, measure, startServer, workFolder } from './measure.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const [rate, batches] = [10, 200];
/** The burst goes at once, the rest at the rate. */
const idealSeconds = (batches - rate) / rate;

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function limit(pdi) {
  const file = join(workFolder, 'limited.txt');
  writeFileSync(file, Array.from({ length: batches * 50 }, (_, index) => `id${index}\n`).join(''));
  /** @param {string} base @param {string} key */
  const seconds = (base, key) => {
    const args = [pdi, 'resolve', '-i', file, '-o', 'csv', '--base-url', base, '--quiet'];
    return measure(args, { env: { PDI_API_KEY: key } }).wallMs / 1000;
  };
  return [...(await onSandbox(pdi, seconds)), ...(await onOrigin(seconds))];
}

/**
 * The sandbox says on every answer how much is left.
 * @param {string} pdi
 * @param {(base: string, key: string) => number} seconds
 */
async function onSandbox(pdi, seconds) {
  const { facts, stop } = await startServer([pdi, 'sandbox', '--rate-limit', String(rate), '-o', 'ndjson', '--quiet']);
  const taken = seconds(facts.base_url, facts.keys.full);
  const requests = await (await fetch(new URL('/sandbox/requests', facts.base_url))).json();
  await stop();
  const sent = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return figures('headers on every answer', taken, sent - batches);
}

/**
 * This origin speaks of its limit on 429 only.
 * @param {(base: string, key: string) => number} seconds
 */
async function onOrigin(seconds) {
  const { facts, stop } = await startServer([beside('origin.mjs'), String(rate)]);
  const taken = seconds(facts.base_url, 'bench-key');
  const counts = await (await fetch(`${facts.base_url}/counts`)).json();
  await stop();
  return figures('headers on 429 only', taken, counts['429'] ?? 0);
}

/**
 * @param {string} name
 * @param {number} taken
 * @param {number} wasted
 * @returns {Figure[]}
 */
const figures = (name, taken, wasted) => [
  { name: `limit: time, ${name}`, value: taken / idealSeconds, own: `${taken.toFixed(2)} s`, baseline: `ideal ${idealSeconds} s` },
  { name: `limit: 429 answers, ${name}`, value: wasted, own: '', baseline: '' },
];
