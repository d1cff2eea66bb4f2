// @ts-check
/** Where a large job spends its processor time: functions by the samples that found them running, of an unminified build. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { jobsOf, runOut, runOwn, startOrigin } from './jobs.mjs';
import { workFolder } from './measure.mjs';

const shown = 25;

/**
 * @typedef {object} Profile
 * @property {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[]} nodes
 * @property {number[]} samples
 * @property {number[]} timeDeltas microseconds
 */

/** @param {Profile} profile */
function selfTimes({ nodes, samples, timeDeltas }) {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url === '' ? '' : `  ${basename(url)}:${lineNumber + 1}`;
      return [id, `${functionName || '(anonymous)'}${place}`];
    }),
  );
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  return [...times].filter(([name]) => name !== '(idle)').toSorted(([, a], [, b]) => b - a);
}

/**
 * @param {string} pdi the program
 * @param {string} wanted how a job's name begins; with ` --out` behind it, as users are told to run it
 * @returns {Promise<string>}
 */
export async function profile(pdi, wanted) {
  const { base, stop } = await startOrigin();
  const jobs = await jobsOf(pdi, base);
  const [begins = '', out] = wanted.split(/ ?(--out)$/);
  const job = jobs.find(({ name }) => name.startsWith(begins));
  if (job === undefined) throw new Error(`no job begins with ${begins}: ${jobs.map(({ name }) => name).join(', ')}`);
  const sampling = ['--cpu-prof', '--cpu-prof-dir', workFolder, '--cpu-prof-name', 'job.cpuprofile'];
  const { wallMs } = (out === undefined ? runOwn : runOut)({ ...job, own: [...sampling, ...job.own] });
  await stop();
  const times = selfTimes(JSON.parse(readFileSync(join(workFolder, 'job.cpuprofile'), 'utf8')));
  const all = times.reduce((sum, [, ms]) => sum + ms, 0);
  const lines = times
    .slice(0, shown)
    .map(([place, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${((ms / all) * 100).toFixed(1).padStart(4)} %  ${place}`);
  return [`profile: ${job.name}: ${all.toFixed(0)} ms busy of ${wallMs.toFixed(0)} ms`, ...lines].join('\n');
}
