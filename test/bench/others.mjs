// @ts-check
/** The same work by other means, where they are installed: `curl`, which reads no answer, and `plain.py`. For comparison, no goals. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuRatio, interleave, median, ratio } from './figures.mjs';
import { identifiers, jobsOf, runOwn } from './jobs.mjs';
import { beside, environment, measureOther, wallMs, workFolder } from './measure.mjs';
import { note, roundsOf } from './options.mjs';
import { commands, startConfigured } from './startup.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

/** What a program prints, or nothing where there is no such program. */
function ask(/** @type {string} */ program, /** @type {readonly string[]} */ args) {
  const { status, stdout } = spawnSync(program, args, { env: environment, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/**
 * Command lines of curl by job: eight connections, pages and people by its own counting, batches from a file.
 * @param {string} base
 * @param {string} names a file of identifiers
 * @returns {Record<string, string[]>}
 */
function curlCommands(base, names) {
  const batches = join(workFolder, 'curl.txt');
  const lines = readFileSync(names, 'utf8').trim().split('\n');
  const requests = Array.from({ length: Math.ceil(lines.length / 50) }, (_, index) => {
    const items = lines.slice(index * 50, (index + 1) * 50).map((name) => ({ profnet_id: name }));
    const body = JSON.stringify(JSON.stringify({ to_resolve: items }));
    return `url = "${base}/people/resolve"\nheader = "x-api-key: bench"\nheader = "content-type: application/json"\ndata = ${body}\n`;
  });
  writeFileSync(batches, requests.join('next\n'));
  const curl = ['curl', '--silent', '--fail'];
  const parallel = ['--parallel', '--parallel-max', '8'];
  return {
    health: [...curl, `${base}/health`],
    'resolve 10,000 to csv': [...curl, ...parallel, '--config', batches],
    'person 5,000 to ndjson': [...curl, ...parallel, `${base}/people/per_[0-4999]`],
    'feed 100,000 to ndjson': [...curl, `${base}/investor-interest?page=[0-1999]&limit=50`],
  };
}

/**
 * Those that are here, their command lines by job.
 * @param {string} base
 * @returns {Promise<Record<string, Record<string, string[]>>>}
 */
async function othersOn(base) {
  const [names, people] = [await identifiers(10_000, 'id'), await identifiers(5000, 'per_')];
  /** @type {Record<string, Record<string, string[]>>} */
  const others = {};
  if (ask('curl', ['--version']) === '') note('curl: not installed');
  else others.curl = curlCommands(base, names);
  const python = ask('python3', ['-c', 'import requests, sys; print(sys.executable)']);
  const byPython = (/** @type {string[]} */ ...args) => [python, beside('plain.py'), base, ...args];
  if (python === '') note('python requests: not installed');
  else {
    others['python requests'] = {
      health: byPython('health'),
      'resolve 10,000 to csv': byPython('resolve', names),
      'person 5,000 to ndjson': byPython('person', people),
      'feed 100,000 to ndjson': byPython('feed'),
    };
  }
  return others;
}

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function others(pdi) {
  const { base, stop } = await startConfigured();
  const [jobs, there] = [await jobsOf(pdi, base), await othersOn(base)];
  const figures = [...(await starts(pdi, there)), ...(await large(jobs, there))];
  await stop();
  return figures;
}

/** @param {string} pdi @param {Record<string, Record<string, string[]>>} there */
async function starts(pdi, there) {
  const contestants = Object.entries(there).map(([who, { health = [] }]) => /** @type {const} */ ([who, () => wallMs(health)]));
  const own = () => wallMs([process.execPath, pdi, ...commands['health -o json']]);
  const runs = await interleave(roundsOf(9), { own, ...Object.fromEntries(contestants) }, 1);
  const words = (/** @type {readonly number[]} */ times) => `${median(times).toFixed(0)} ms`;
  return Object.keys(there).map((who) =>
    ratio(`health / ${who}`, runs('own'), runs(who), { own: words(runs('own')), baseline: `${who} ${words(runs(who))}` }),
  );
}

/** @param {Record<string, import('./jobs.mjs').Job>} jobs @param {Record<string, Record<string, string[]>>} there */
async function large(jobs, there) {
  const output = join(workFolder, 'other.out');
  const pairs = Object.entries(there).flatMap(([who, { health: _, ...mine }]) =>
    Object.entries(mine).map(([name, command]) => ({ who, name, command })),
  );
  const own = Object.entries(jobs).filter(([name]) => pairs.some((pair) => pair.name === name));
  const runs = await interleave(roundsOf(3), {
    ...Object.fromEntries(own.map(([name, job]) => [name, () => runOwn(job)])),
    ...Object.fromEntries(pairs.map(({ who, name, command }) => [`${who} ${name}`, () => measureOther(command, output)])),
  });
  return pairs.map(({ who, name }) => cpuRatio(`${name} / ${who}`, runs(name), runs(`${who} ${name}`), who));
}
