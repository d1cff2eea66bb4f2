// @ts-check
/** Memory and processor time of large jobs, to standard output and with `--out`, against the hand-written program of `plain.mjs`. */
import { amount, cpuRatio, interleave, median, pick } from './figures.mjs';
import {
  isLong,
  jobsOf,
  onOrigin,
  refuseOtherRows,
  runByHand,
  runOut,
  runOwn,
  startOrigin,
} from './jobs.mjs';
import { roundsOf } from './options.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./jobs.mjs').Job} Job
 * @typedef {import('./jobs.mjs').OnOrigin} OnOrigin
 */

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function bulk(pdi) {
  const origin = await startOrigin();
  const jobs = await jobsOf(pdi, origin.base);
  const runsOf = (/** @type {Job} */ job) => ({
    [`${job.name}, stdout`]: () => onOrigin(origin, job, () => runOwn(job)),
    [`${job.name}, --out`]: () => onOrigin(origin, job, () => runOut(job)),
    [`${job.name}, by hand`]: () => onOrigin(origin, job, () => runByHand(job)),
  });
  const contestants = (/** @type {Job[]} */ some) => Object.assign({}, ...some.map(runsOf));
  const long = await interleave(roundsOf(5), contestants(jobs.filter(isLong)));
  // A few seconds each: what else the machine does is more of them, and only more rounds tell it apart.
  const short = await interleave(roundsOf(15), contestants(jobs.filter((job) => !isLong(job))));
  const runs = (/** @type {string} */ name) =>
    (name.startsWith('resolve 1,000,000') ? long : short)(name);
  for (const job of jobs) await refuseOtherRows(job, 'by-hand');
  await origin.stop();
  return [...memory(runs), ...jobs.flatMap(({ name }) => perJob(name, runs))];
}

/** @param {string} name @param {(name: string) => OnOrigin[]} runs */
function perJob(name, runs) {
  const byHand = runs(`${name}, by hand`);
  return ['stdout', '--out'].map((way) => {
    const own = runs(`${name}, ${way}`);
    const origin = (median(pick(own, 'originMs')) / 1000).toFixed(2);
    const figure = cpuRatio(`cpu: ${name}, ${way}`, own, byHand, 'by hand');
    return { ...figure, own: `${figure.own}, origin ${origin} s` };
  });
}

/** @param {(name: string) => OnOrigin[]} runs */
function memory(runs) {
  const name = 'resolve 1,000,000 to csv';
  const peaks = (/** @type {string} */ way) => pick(runs(`${name}, ${way}`), 'peakMb');
  const byHand = `by hand ${median(peaks('by hand')).toFixed(0)} MB`;
  return ['stdout', '--out'].map((way) =>
    amount(`memory: resolve 1,000,000, ${way}, MB`, peaks(way), byHand),
  );
}
