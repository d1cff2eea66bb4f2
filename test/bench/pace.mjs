// @ts-check
/** Several runs on one key: how close they come to the limit together, by the origin's log; and a service without a limit. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amount, interleave, median, ratio } from './figures.mjs';
import { identifiers } from './jobs.mjs';
import { beside, environment, startServer, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {{ ms: number, refused: number, failed: number }} Together
 */

const [rate, latencyMs, calls] = [10, 100, 200];
/** The burst goes at once, the rest at the rate. */
const idealMs = ((calls - rate) / rate) * 1000 + latencyMs;
/** How many a call takes, and how they begin. */
const commands = /** @type {const} */ ({ person: [1, 'per_'], resolve: [50, 'id'] });
const shardCounts = [1, 2, 4, 8];

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function pace(pdi) {
  /** @type {Record<string, () => Promise<Together>>} */
  const ways = {};
  for (const [command, [perCall, prefix]] of Object.entries(commands))
    for (const shards of shardCounts)
      ways[`pace: ${command}, ${shards} at once`] = async () =>
        together(pdi, command, await sharesOf(calls * perCall, prefix, shards));
  const runs = await interleave(roundsOf(3), ways);
  const limited = Object.keys(ways).flatMap((name) => figures(name, runs(name)));
  const free = await interleave(roundsOf(3), {
    pdi: () => unlimited(pdi),
    pool: async () => (unlimitedCalls / 8) * unlimitedMs,
  });
  const words = {
    own: `${(median(free('pdi')) / 1000).toFixed(2)} s`,
    baseline: '8 at once, all the time',
  };
  return [
    ...limited,
    ratio('pace: no limit, 200 ms, / a pool of 8', free('pdi'), free('pool'), words),
  ];
}

/**
 * Files of so many identifiers in all.
 * @param {number} count
 * @param {string} prefix
 * @param {number} shards
 */
async function sharesOf(count, prefix, shards) {
  const lines = readFileSync(await identifiers(count, prefix), 'utf8')
    .trimEnd()
    .split('\n');
  return Array.from({ length: shards }, (_, shard) => {
    const path = join(workFolder, `share-${prefix}-${shards}-${shard}.txt`);
    writeFileSync(path, `${lines.filter((_line, at) => at % shards === shard).join('\n')}\n`);
    return path;
  });
}

/**
 * @param {string} pdi
 * @param {string} command
 * @param {readonly string[]} files one a run, all of them started together over one new book
 * @returns {Promise<Together>}
 */
async function together(pdi, command, files) {
  const { facts, stop } = await startServer([
    beside('origin.mjs'),
    String(rate),
    '0',
    String(latencyMs),
  ]);
  rmSync(environment.XDG_STATE_HOME, { recursive: true, force: true });
  const codes = await Promise.all(
    files.map((file) =>
      codeOf([pdi, command, '-i', file, ...common, '--base-url', facts.base_url]),
    ),
  );
  const { ms, 429: refused = 0 } = await countsOf(facts.base_url);
  await stop();
  return { ms, refused, failed: codes.filter((code) => code !== 0).length };
}

const [unlimitedMs, unlimitedCalls] = [200, 160];

/** @param {string} pdi */
async function unlimited(pdi) {
  const { facts, stop } = await startServer([beside('origin.mjs'), '0', '0', String(unlimitedMs)]);
  await codeOf([
    pdi,
    'person',
    '-i',
    await identifiers(unlimitedCalls, 'per_'),
    ...common,
    '--max-age',
    '0',
    '--base-url',
    facts.base_url,
  ]);
  const { ms } = await countsOf(facts.base_url);
  await stop();
  return ms;
}

const common = ['-o', 'csv', '--max-billable', 'unlimited', '--quiet'];

/**
 * @param {readonly string[]} args
 * @returns {Promise<number | null>}
 */
const codeOf = (args) =>
  new Promise((resolve) => {
    const env = { ...environment, PDI_API_KEY: 'bench-key' };
    spawn(process.execPath, args, { env, stdio: 'ignore' }).once('exit', resolve);
  });

/**
 * @param {string} base
 * @returns {Promise<any>}
 */
const countsOf = async (base) => JSON.parse(await (await fetch(`${base}/counts`)).text());

/**
 * @param {string} name
 * @param {readonly Together[]} runs
 * @returns {Figure[]}
 */
function figures(name, runs) {
  const pick = (/** @type {keyof Together} */ key) => runs.map((run) => run[key]);
  const words = {
    own: `${(median(pick('ms')) / 1000).toFixed(2)} s`,
    baseline: `ideal ${idealMs / 1000} s`,
  };
  const times = ratio(
    name,
    pick('ms'),
    runs.map(() => idealMs),
    words,
  );
  return [
    times,
    amount(`${name}, 429 answers`, pick('refused')),
    amount(`${name}, failed runs`, pick('failed')),
  ];
}
