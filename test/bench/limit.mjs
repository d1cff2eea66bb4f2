// @ts-check
/** How close a job comes to a rate limit, and what it wastes: 200 batches at 10 requests a second with a burst of 10. */
import { amount, interleave, median, ratio } from './figures.mjs';
import { identifiers } from './jobs.mjs';
import { beside, measure, startServer } from './measure.mjs';
import { roundsOf } from './options.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {{ seconds: number, wasted: number }} Limited
 */

const [rate, batches] = [10, 200];
/** The burst goes at once, the rest at the rate. */
const idealSeconds = (batches - rate) / rate;

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function limit(pdi) {
  const file = await identifiers(batches * 50, 'id');
  const seconds = (/** @type {string} */ base, /** @type {string} */ key) => {
    const args = [pdi, 'resolve', '-i', file, '-o', 'csv', '--base-url', base, '--quiet'];
    return measure(args, { env: { PDI_API_KEY: key } }).wallMs / 1000;
  };
  const ways = {
    'headers on every answer': () => onSandbox(pdi, seconds),
    'headers on 429 only': () => onOrigin(seconds),
  };
  const runs = await interleave(roundsOf(5), ways);
  return Object.keys(ways).flatMap((name) => figures(name, runs(name)));
}

/**
 * The sandbox says on every answer how much is left.
 * @param {string} pdi
 * @param {(base: string, key: string) => number} seconds
 * @returns {Promise<Limited>}
 */
async function onSandbox(pdi, seconds) {
  const { facts, stop } = await startServer([
    pdi,
    'sandbox',
    '--rate-limit',
    String(rate),
    '-o',
    'ndjson',
    '--quiet',
  ]);
  const taken = seconds(facts.base_url, facts.keys.full);
  const requests = await countsOf(new URL('/sandbox/requests', facts.base_url));
  await stop();
  const sent = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return { seconds: taken, wasted: sent - batches };
}

/**
 * This origin speaks of its limit on 429 only.
 * @param {(base: string, key: string) => number} seconds
 * @returns {Promise<Limited>}
 */
async function onOrigin(seconds) {
  const { facts, stop } = await startServer([beside('origin.mjs'), String(rate)]);
  const taken = seconds(facts.base_url, 'bench-key');
  const counts = await countsOf(`${facts.base_url}/counts`);
  await stop();
  return { seconds: taken, wasted: counts['429'] ?? 0 };
}

/**
 * @param {string | URL} url
 * @returns {Promise<Record<string, number>>}
 */
const countsOf = async (url) => JSON.parse(await (await fetch(url)).text());

/**
 * @param {string} name
 * @param {readonly Limited[]} runs
 * @returns {Figure[]}
 */
function figures(name, runs) {
  const taken = runs.map((run) => run.seconds);
  const ideal = runs.map(() => idealSeconds);
  const words = { own: `${median(taken).toFixed(2)} s`, baseline: `ideal ${idealSeconds} s` };
  const wasted = runs.map((run) => run.wasted);
  return [
    ratio(`limit: time, ${name}`, taken, ideal, words),
    amount(`limit: 429 answers, ${name}`, wasted),
  ];
}
