// @ts-check
/** A large job that is killed in the middle and run again: what the second run takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { amount, cpuRatio, median, pick } from './figures.mjs';
import { env, outFile } from './jobs.mjs';
import { environment, measure } from './measure.mjs';
import { roundsOf } from './options.mjs';
import { many } from './sizes.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./jobs.mjs').Job} Job
 * @typedef {import('./jobs.mjs').Origin} Origin
 * @typedef {import('./measure.mjs').Measured} Measured
 */

/**
 * @param {Origin} origin
 * @param {Job | undefined} job
 * @param {Measured[]} whole runs of the same job that nobody killed
 * @returns {Promise<Figure[]>}
 */
export async function resume(origin, job, whole) {
  if (job === undefined) return [];
  /** @type {Measured[]} */
  const second = [];
  /** @type {number[]} */
  const perItem = [];
  for (let round = 0; round < Math.min(whole.length, roundsOf(3)); round += 1) {
    const file = outFile(job.own, job.output);
    rmSync(file, { force: true });
    const command = [...job.own, '--out', file];
    await origin.counts();
    await killInTheMiddle(command, (whole[round]?.wallMs ?? 0) / 2);
    const { different } = await origin.counts();
    const run = measure(command, { env });
    const { different: rest } = await origin.counts();
    if (different === 0 || rest === 0 || different + rest < job.requests) throw new Error('the job was not killed in the middle');
    second.push(run);
    perItem.push(((run.peakMb - (whole[round]?.peakMb ?? 0)) * 1024 * 1024) / (many - rest * 50));
  }
  const cpu = cpuRatio('cpu: resume of resolve 1,000,000', second, whole.slice(0, second.length), 'first run');
  const words = `peak ${median(pick(second, 'peakMb')).toFixed(0)} MB`;
  return [cpu, amount('memory: resume, bytes an item known', perItem, words)];
}

/** Free jobs keep no answers that could be counted, so half of the time that the whole job takes is the middle. */
async function killInTheMiddle(/** @type {readonly string[]} */ command, /** @type {number} */ milliseconds) {
  const child = spawn(process.execPath, [...command], { env: { ...environment, ...env }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await delay(milliseconds);
  child.kill('SIGKILL');
  await ended;
}
