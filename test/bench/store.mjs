// @ts-check
/** Bought answers and the budget: what they add to a job, and what jobs hold in memory. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { amount, cpuRatio, interleave } from './figures.mjs';
import { env, forgetAnswers, identifiers, jobsOf, onOrigin, runOut, startOrigin } from './jobs.mjs';
import { beside, workFolder } from './measure.mjs';
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
    cpuRatio(`cpu: ${name}, --out, store on / off`, runs(`${name}, on`), runs(`${name}, off`), 'off'),
    cpuRatio(`cpu: ${name}, --out, budget on / off`, runs(`${name}, budget`), runs(`${name}, on`), 'off'),
  ]);
}

/** Without `--out`: what the job has bought must not be held in memory. */
async function memoryOfLargeProfiles(/** @type {string} */ pdi) {
  const about = 'x'.repeat(20_000);
  const server = createServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? '';
    response.setHeader('content-type', 'application/json').end(`{"person_id":"${id}","about":"${about}"}`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v1`;
  const file = await identifiers(largeProfiles, 'per_');
  const words = ['person', '-i', file, '-o', 'ndjson', '--base-url', base, '--max-billable', 'unlimited', '--quiet'];
  const peaks = [];
  for (let round = 0; round < roundsOf(3); round += 1) {
    forgetAnswers();
    peaks.push(await besideServer([pdi, ...words]));
  }
  server.close();
  return amount('memory: person, 12,000 of 20 kB, stdout, MB', peaks);
}

/** `measure` would stop the server of this process while it waits. */
async function besideServer(/** @type {readonly string[]} */ args) {
  const { spawn } = await import('node:child_process');
  const { readFileSync } = await import('node:fs');
  const report = join(workFolder, 'large-usage.json');
  const { environment } = await import('./measure.mjs');
  const child = spawn(process.execPath, ['--require', beside('usage.cjs'), ...args], {
    env: { ...environment, ...env, BENCH_USAGE: report },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return Number(JSON.parse(readFileSync(report, 'utf8')).peakMb);
}
