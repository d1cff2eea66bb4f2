// @ts-check
/** The same work in Python over aiohttp, where that is installed: as fast as an analyst gets it by hand. */
import { spawnSync } from 'node:child_process';
import { cpuRatio, interleave } from './figures.mjs';
import { jobsOf, onOrigin, refuseOtherRows, runOut, runOwn, startOrigin } from './jobs.mjs';
import { beside, environment, measureOther } from './measure.mjs';
import { note, roundsOf } from './options.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./jobs.mjs').Job} Job
 */

/** A Python that has aiohttp, or nothing. */
function findPython() {
  const script = ['-c', 'import aiohttp, sys; print(sys.executable)'];
  const asked = ['python3', '/usr/bin/python3'].map((python) =>
    spawnSync(python, script, { env: environment, encoding: 'utf8' }),
  );
  return asked.find(({ status }) => status === 0)?.stdout.trim();
}

/** Jobs that Python does, which writes the long columns of profiles and signals in another way. */
const isForPython = (/** @type {Job} */ { name }) =>
  name.endsWith('ndjson') || name.startsWith('resolve');

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function others(pdi) {
  const python = findPython();
  if (python === undefined) {
    note('python aiohttp: not installed');
    return [];
  }
  const origin = await startOrigin();
  const jobs = (await jobsOf(pdi, origin.base)).filter(isForPython);
  const contestants = jobs.flatMap((job) => {
    const command = [python, beside('plain-aio.py'), ...job.byHand];
    return [
      [`own ${job.name}`, () => onOrigin(origin, job, () => runOut(job))],
      [
        `aiohttp ${job.name}`,
        () => onOrigin(origin, job, () => measureOther(command, `${job.output}.aiohttp`)),
      ],
    ];
  });
  const runs = await interleave(roundsOf(3), Object.fromEntries(contestants));
  for (const job of jobs) {
    runOwn(job);
    await refuseOtherRows(job, 'aiohttp');
  }
  await origin.stop();
  return jobs.map(({ name }) =>
    cpuRatio(`${name}, --out / aiohttp`, runs(`own ${name}`), runs(`aiohttp ${name}`), 'aiohttp'),
  );
}
