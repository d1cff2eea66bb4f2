// @ts-check
/** The same work by other means, where they are installed: Python over requests and over aiohttp, and `curl`, which reads no answer. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuRatio, interleave, median, ratio } from './figures.mjs';
import { identifiers, jobsOf, onOrigin, refuseOtherRows, runOut, runOwn, startOrigin } from './jobs.mjs';
import { beside, environment, measureOther, wallMs, workFolder } from './measure.mjs';
import { note, roundsOf } from './options.mjs';
import { few } from './sizes.mjs';
import { commands, startConfigured } from './startup.mjs';

/**
 * @typedef {import('./goals.mjs').Figure} Figure
 * @typedef {import('./jobs.mjs').Job} Job
 * @typedef {{ who: string, job: Job, command: readonly string[], checked: boolean }} Other `checked`: it prints the same rows
 */

/** What a program prints, or nothing where there is no such program. */
function ask(/** @type {string} */ program, /** @type {readonly string[]} */ args) {
  const { status, stdout } = spawnSync(program, args, { env: environment, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/** A Python that has a module, or nothing. */
function pythonWith(/** @type {string} */ module) {
  const script = ['-c', `import ${module}, sys; print(sys.executable)`];
  const found = ['python3', '/usr/bin/python3'].map((python) => ask(python, script)).find((python) => python !== '');
  if (found === undefined) note(`python ${module}: not installed`);
  return found;
}

/**
 * Command lines of curl by job: eight connections, people by its own counting, batches from a file.
 * @param {string} base
 * @returns {Promise<Record<string, string[]>>}
 */
async function curlCommands(base) {
  const batches = join(workFolder, 'curl.txt');
  const lines = readFileSync(await identifiers(few, 'id'), 'utf8')
    .trim()
    .split('\n');
  const requests = Array.from({ length: Math.ceil(lines.length / 50) }, (_, index) => {
    const items = lines.slice(index * 50, (index + 1) * 50).map((name) => ({ profnet_id: name }));
    const body = JSON.stringify(JSON.stringify({ to_resolve: items }));
    return `url = "${base}/people/resolve"\nheader = "x-api-key: bench"\nheader = "content-type: application/json"\ndata = ${body}\n`;
  });
  writeFileSync(batches, requests.join('next\n'));
  const parallel = ['curl', '--silent', '--fail', '--parallel', '--parallel-max', '8'];
  return {
    'resolve 10,000 to csv': [...parallel, '--config', batches],
    'person 5,000 to ndjson': [...parallel, `${base}/people/per_[0000000-0004999]`],
    'feed 100,000 to ndjson': ['curl', '--silent', '--fail', `${base}/investor-interest?page=[0-2000]&limit=50`],
  };
}

/** Jobs that Python does, which writes the long columns of profiles and signals in another way. */
const isForPython = (/** @type {Job} */ { name }) => name.endsWith('ndjson') || name.startsWith('resolve');

/**
 * @param {string} base
 * @param {readonly Job[]} jobs
 * @returns {Promise<Other[]>}
 */
async function othersOn(base, jobs) {
  /** @type {Other[]} */
  const others = [];
  const scripts = { requests: 'plain.py', aiohttp: 'plain-aio.py' };
  for (const [module, script] of Object.entries(scripts)) {
    const python = pythonWith(module);
    if (python === undefined) continue;
    // An hour of requests' time would tell nothing that 10,000 identifiers do not.
    const wanted = jobs.filter((job) => isForPython(job) && !(module === 'requests' && job.name.includes('1,000,000')));
    others.push(...wanted.map((job) => ({ who: module, job, command: [python, beside(script), ...job.byHand], checked: true })));
  }
  if (ask('curl', ['--version']) === '') note('curl: not installed');
  else {
    const byCurl = await curlCommands(base);
    for (const job of jobs) {
      const command = byCurl[job.name];
      if (command !== undefined) others.push({ who: 'curl', job, command, checked: false });
    }
  }
  return others;
}

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function others(pdi) {
  const origin = await startOrigin();
  const jobs = await jobsOf(pdi, origin.base);
  const there = await othersOn(origin.base, jobs);
  const figures = await large(origin, jobs, there);
  await origin.stop();
  return [...(await starts(pdi)), ...figures];
}

/** @param {string} pdi @returns {Promise<Figure[]>} */
async function starts(pdi) {
  const { base, stop } = await startConfigured();
  const python = pythonWith('requests');
  const contestants = {
    own: () => wallMs([process.execPath, pdi, ...commands['health -o json']]),
    ...(python !== undefined && { requests: () => wallMs([python, beside('plain.py'), base, 'health']) }),
    ...(ask('curl', ['--version']) !== '' && { curl: () => wallMs(['curl', '--silent', '--fail', `${base}/health`]) }),
  };
  const runs = await interleave(roundsOf(9), contestants, 1);
  await stop();
  const words = (/** @type {readonly number[]} */ times) => `${median(times).toFixed(0)} ms`;
  return Object.keys(contestants)
    .filter((who) => who !== 'own')
    .map((who) => ratio(`health / ${who}`, runs('own'), runs(who), { own: words(runs('own')), baseline: `${who} ${words(runs(who))}` }));
}

/**
 * @param {import('./jobs.mjs').Origin} origin
 * @param {readonly Job[]} jobs
 * @param {readonly Other[]} there
 */
async function large(origin, jobs, there) {
  const own = jobs.filter((job) => there.some((other) => other.job === job));
  const runs = await interleave(roundsOf(3), {
    ...Object.fromEntries(own.map((job) => [`own ${job.name}`, () => onOrigin(origin, job, () => runOut(job))])),
    ...Object.fromEntries(
      there.map(({ who, job, command }) => [
        `${who} ${job.name}`,
        () => onOrigin(origin, job, () => measureOther(command, `${job.output}.${who}`)),
      ]),
    ),
  });
  for (const job of own) runOwn(job);
  for (const { who, job, checked } of there) if (checked) await refuseOtherRows(job, who);
  return there.map(({ who, job: { name } }) => cpuRatio(`${name}, --out / ${who}`, runs(`own ${name}`), runs(`${who} ${name}`), who));
}
