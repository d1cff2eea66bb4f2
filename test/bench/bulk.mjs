// @ts-check
/** Memory and processor time of large jobs, against the hand-written program of `plain.mjs` on the same origin. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beside, measure, median, startServer, workFolder } from './measure.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./measure.mjs').Measured} Measured
 */

/** A file of distinct vanity ids. */
async function identifiers(/** @type {number} */ count, /** @type {string} */ prefix) {
  const path = join(workFolder, `${prefix}-${count}.txt`);
  const stream = createWriteStream(path);
  for (let index = 0; index < count; index += 1000) {
    stream.write(Array.from({ length: Math.min(1000, count - index) }, (_, step) => `${prefix}${index + step}\n`).join(''));
  }
  await finished(stream.end());
  return path;
}

/**
 * Both programs in turn; the runs with the median processor time.
 * @param {number} rounds
 * @param {readonly string[]} own
 * @param {readonly string[]} plain
 * @returns {{ own: Measured, plain: Measured }}
 */
function compare(rounds, own, plain) {
  /** @type {Measured[]} */
  const ours = [];
  /** @type {Measured[]} */
  const theirs = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(measure(own, { output: join(workFolder, 'own.out'), env: { PDI_API_KEY: 'bench-key' } }));
    theirs.push(measure(plain, { output: join(workFolder, 'plain.out') }));
  }
  return { own: middle(ours), plain: middle(theirs) };
}

/**
 * A job that is charged, with its journal and ledger, against the same job to stdout (then there is no journal) whose ledger is not
 * written.
 * @param {number} rounds
 * @param {readonly string[]} job
 * @returns {Figure}
 */
function compareBooks(rounds, job) {
  /** @type {Measured[]} */
  const on = [];
  /** @type {Measured[]} */
  const off = [];
  const env = { PDI_API_KEY: 'bench-key' };
  for (let round = 0; round < rounds; round += 1) {
    on.push(measure([...job, '--out', join(workFolder, 'books.ndjson'), '--force'], { env }));
    off.push(measure(job, { output: join(workFolder, 'own.out'), env, preload: ['no-books.cjs'] }));
  }
  const [own, plain] = [middle(on), middle(off)];
  return {
    name: 'cpu: journal and ledger on',
    value: own.cpuMs / plain.cpuMs,
    own: `${(own.cpuMs / 1000).toFixed(2)} s`,
    baseline: `off ${(plain.cpuMs / 1000).toFixed(2)} s`,
  };
}

/** @param {readonly Measured[]} runs */
function middle(runs) {
  const among = (/** @type {keyof Measured} */ key) => median(runs.map((run) => run[key]));
  return { wallMs: among('wallMs'), cpuMs: among('cpuMs'), peakMb: among('peakMb') };
}

/**
 * @param {string} name
 * @param {{ own: Measured, plain: Measured }} pair
 * @returns {Figure}
 */
const cpuFigure = (name, { own, plain }) => ({
  name: `cpu: ${name}`,
  value: own.cpuMs / plain.cpuMs,
  own: `${(own.cpuMs / 1000).toFixed(2)} s (wall ${(own.wallMs / 1000).toFixed(2)} s)`,
  baseline: `by hand ${(plain.cpuMs / 1000).toFixed(2)} s (wall ${(plain.wallMs / 1000).toFixed(2)} s)`,
});

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function bulk(pdi) {
  const { facts, stop } = await startServer([beside('origin.mjs')]);
  const base = facts.base_url;
  const common = ['--base-url', base, '--concurrency', '8', '--max-billable', 'unlimited', '--quiet'];
  const ours = (/** @type {string[]} */ ...args) => [pdi, ...args, ...common];
  const byHand = (/** @type {string[]} */ ...args) => [beside('plain.mjs'), base, ...args];
  const [few, many, people] = [await identifiers(10_000, 'id'), await identifiers(1_000_000, 'id'), await identifiers(5000, 'per_')];
  const small = compare(5, ours('resolve', '-i', few, '-o', 'csv'), byHand('resolve', few));
  const large = compare(1, ours('resolve', '-i', many, '-o', 'csv'), byHand('resolve', many));
  const persons = compare(3, ours('person', '-i', people, '-o', 'ndjson'), byHand('person', people));
  const personsCsv = compare(3, ours('person', '-i', people, '-o', 'csv'), byHand('person-csv', people));
  const books = compareBooks(5, ours('person', '-i', people, '-o', 'ndjson'));
  const feed = compare(3, ours('feed', '--all', '-o', 'ndjson'), byHand('feed'));
  const feedCsv = compare(3, ours('feed', '--all', '-o', 'csv'), byHand('feed-csv'));
  await stop();
  return [
    {
      name: 'memory: resolve 1,000,000 / 10,000',
      value: large.own.peakMb / small.own.peakMb,
      own: `${large.own.peakMb.toFixed(0)} MB`,
      baseline: `${small.own.peakMb.toFixed(0)} MB`,
    },
    { name: 'memory: resolve 1,000,000, MB', value: large.own.peakMb, own: '', baseline: `by hand ${large.plain.peakMb.toFixed(0)} MB` },
    cpuFigure('resolve 10,000 to csv', small),
    cpuFigure('resolve 1,000,000 to csv', large),
    cpuFigure('person 5,000 to ndjson', persons),
    cpuFigure('person 5,000 to csv', personsCsv),
    books,
    cpuFigure('feed 100,000 to ndjson', feed),
    cpuFigure('feed 100,000 to csv', feedCsv),
  ];
}
