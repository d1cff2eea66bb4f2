// @ts-check
/** Bought answers and the budget: what they add to a job, and what jobs hold in memory. */
import { amount, cpuRatio, interleave } from './figures.mjs';
import { env, forgetAnswers, identifiers, jobsOf, onOrigin, runOut, startOrigin } from './jobs.mjs';
import { beside, measure, startServer } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const largeProfiles = 12_000;

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function store(pdi) {
  return [...(await addedToJobs(pdi)), await memoryOfLargeProfiles(pdi)];
}

async function addedToJobs(/** @type {string} */ pdi) {
  const origin = await startOrigin();
  const jobs = (await jobsOf(pdi, origin.base)).filter(({ name }) => name.startsWith('person'));
  const contestants = jobs.flatMap((job) => {
    const without = { ...job, own: [...job.own, '--max-age', '0'] };
    const budgeted = { ...job, own: [...job.own, '--budget', '1000000/month'] };
    return [
      [`${job.name}, on`, () => onOrigin(origin, job, () => runOut(job))],
      [`${job.name}, off`, () => onOrigin(origin, job, () => runOut(without))],
      [`${job.name}, budget`, () => onOrigin(origin, job, () => runOut(budgeted))],
    ];
  });
  const runs = await interleave(roundsOf(15), Object.fromEntries(contestants));
  await origin.stop();
  return jobs.flatMap(({ name }) => [
    cpuRatio(
      `cpu: ${name}, --out, store on / off`,
      runs(`${name}, on`),
      runs(`${name}, off`),
      'off',
    ),
    cpuRatio(
      `cpu: ${name}, --out, budget on / off`,
      runs(`${name}, budget`),
      runs(`${name}, on`),
      'off',
    ),
  ]);
}

/** Without `--out`: what the job has bought must not be held in memory. */
async function memoryOfLargeProfiles(/** @type {string} */ pdi) {
  const { facts, stop } = await startServer([beside('origin.mjs'), '0', '20000']);
  const file = await identifiers(largeProfiles, 'per_');
  const words = [
    'person',
    '-i',
    file,
    '-o',
    'ndjson',
    '--base-url',
    facts.base_url,
    '--max-billable',
    'unlimited',
    '--quiet',
  ];
  const peaks = Array.from({ length: roundsOf(3) }, () => {
    forgetAnswers();
    return measure([pdi, ...words], { env }).peakMb;
  });
  await stop();
  return amount('memory: person, 12,000 of 20 kB, stdout, MB', peaks);
}
