// @ts-check
/** Memory and processor time of large jobs, against the hand-written program of `plain.mjs` on the same origin. */
import { join } from 'node:path';
import { ceiling, floodsOn } from './ceiling.mjs';
import { amount, cpuRatio, interleave, median, pick, ratio } from './figures.mjs';
import { jobsOf, refuseOtherWork, runByHand, runOwn } from './jobs.mjs';
import { beside, startServer, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./jobs.mjs').Job} Job
 * @typedef {import('./measure.mjs').Measured} Measured
 */

/** Takes by itself as long as all others together. */
const longest = 'resolve 1,000,000 to csv';

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function bulk(pdi) {
  const { facts, stop } = await startServer([beside('origin.mjs')]);
  const jobs = await jobsOf(pdi, facts.base_url);
  const pairOf = (/** @type {string} */ name, /** @type {Job} */ job) => ({
    [`own ${name}`]: () => runOwn(job),
    [`by hand ${name}`]: () => runByHand(job),
  });
  const { [longest]: long, ...short } = jobs;
  const paid = jobs['person 5,000 to ndjson'];
  const output = join(workFolder, 'books.out');
  const longRuns = await interleave(roundsOf(5), pairOf(longest, long));
  // A few seconds each: what else the machine does is more of them, and only more rounds tell it apart.
  const shortRuns = await interleave(roundsOf(15), {
    ...Object.assign({}, ...Object.entries(short).map(([name, job]) => pairOf(name, job))),
    ...floodsOn(facts.base_url),
    // A job that is charged, with its journal and ledger, against the same job to stdout (then there is no journal) whose ledger is not written.
    'books on': () => runOwn(paid, { args: ['--out', join(workFolder, 'books.ndjson'), '--force'], output }),
    'books off': () => runOwn(paid, { preload: ['no-books.cjs'], output }),
  });
  const runs = (/** @type {string} */ name) => (name.endsWith(longest) ? longRuns : shortRuns)(name);
  await stop();
  for (const job of Object.values(jobs)) refuseOtherWork(job);
  return [
    ...memory(runs),
    ...Object.keys(jobs).map((name) => cpuRatio(`cpu: ${name}`, runs(`own ${name}`), runs(`by hand ${name}`), 'by hand')),
    cpuRatio('cpu: journal and ledger on', runs('books on'), runs('books off'), 'off'),
    csvWriting('person 5,000', runs),
    csvWriting('feed 100,000', runs),
    ...ceiling(runs),
  ];
}

/** @param {(name: string) => Measured[]} runs */
function memory(runs) {
  const peaks = (/** @type {string} */ name) => pick(runs(name), 'peakMb');
  const [large, small] = [peaks('own resolve 1,000,000 to csv'), peaks('own resolve 10,000 to csv')];
  const megabytes = (/** @type {readonly number[]} */ values) => `${median(values).toFixed(0)} MB`;
  return [
    ratio('memory: resolve 1,000,000 / 10,000', large, small, { own: megabytes(large), baseline: megabytes(small) }),
    amount('memory: resolve 1,000,000, MB', large, `by hand ${megabytes(peaks('by hand resolve 1,000,000 to csv'))}`),
  ];
}

/**
 * What CSV takes more than NDJSON, as the same job shows it; the figures above compare it with CSV by hand.
 * @param {string} job
 * @param {(name: string) => Measured[]} runs
 */
function csvWriting(job, runs) {
  const of = (/** @type {string} */ who) =>
    cpuRatio(`csv / ndjson: ${job}`, runs(`${who} ${job} to csv`), runs(`${who} ${job} to ndjson`), 'to ndjson');
  const [figure, byHand] = [of('own'), of('by hand')];
  return { ...figure, baseline: `${figure.baseline}; by hand ${byHand.value.toFixed(2)}` };
}
