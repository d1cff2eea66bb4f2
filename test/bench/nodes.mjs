// @ts-check
/** Start-up under every Node that is supported, each against itself with nothing to do, and the memory of a large job. */
import { execFileSync, spawnSync } from 'node:child_process';
import { amount, interleave, median, pick } from './figures.mjs';
import { jobsOf, onOrigin, runOut, startOrigin } from './jobs.mjs';
import { note, roundsOf } from './options.mjs';
import { commands, startConfigured, startUps } from './startup.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const majors = ['20', '22', '24', '26'];

/** Without the environment of those that are measured: npm may need a proxy or a certificate. Offline it gives up at once. */
const fetching = {
  encoding: /** @type {const} */ ('utf8'),
  timeout: 120_000,
  env: { ...process.env, npm_config_fetch_retries: '0' },
};

/** The binary of a version, fetched by npx where it is not that of this process; nothing where it cannot be. */
function binaryOf(/** @type {string} */ major) {
  const isWanted = (/** @type {string} */ version) => version.startsWith(`v${major}.`);
  if (isWanted(process.version)) return process.execPath;
  const { status, stdout } = spawnSync(
    'npx',
    ['-y', '-p', `node@${major}`, 'node', '-p', 'process.execPath'],
    fetching,
  );
  const path = status === 0 ? stdout.trim().split('\n').at(-1) : undefined;
  return path && isWanted(execFileSync(path, ['--version'], { encoding: 'utf8' }))
    ? path
    : undefined;
}

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function nodes(pdi) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const major of majors) {
    const path = binaryOf(major);
    if (path === undefined) note(`node ${major}: not available`);
    else found[`node ${major}`] = path;
  }
  const { 'feed --help': _feed, 'help money': _help, ...few } = commands;
  const { stop } = await startConfigured();
  const figures = await startUps(pdi, found, roundsOf(9), few);
  await stop();
  return [...figures, ...(await memory(pdi, found))];
}

/** What a flag at the start would make of it: the program can only end the growth of the young generation. */
const smallerYoung = '--max-semi-space-size=16';

/** @param {string} pdi @param {Readonly<Record<string, string>>} found title to binary @returns {Promise<Figure[]>} */
async function memory(pdi, found) {
  const origin = await startOrigin();
  const job = (await jobsOf(pdi, origin.base)).find(
    ({ name }) => name === 'resolve 1,000,000 to csv',
  );
  if (job === undefined) return [];
  const run = (/** @type {string} */ node, /** @type {string[]} */ flags) => () =>
    onOrigin(origin, job, () => runOut({ ...job, own: [...flags, ...job.own] }, { node }));
  const later = Object.entries(found).filter(([title]) => title !== 'node 20');
  const runs = await interleave(roundsOf(3), {
    ...Object.fromEntries(later.map(([title, node]) => [title, run(node, [])])),
    ...Object.fromEntries(
      later.map(([title, node]) => [`${title}, flag`, run(node, [smallerYoung])]),
    ),
  });
  await origin.stop();
  return later.map(([title]) => {
    const told = median(pick(runs(`${title}, flag`), 'peakMb')).toFixed(0);
    return amount(
      `memory: resolve 1,000,000, --out, ${title}, MB`,
      pick(runs(title), 'peakMb'),
      `${told} MB with ${smallerYoung}`,
    );
  });
}
