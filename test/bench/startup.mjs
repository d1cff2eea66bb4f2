// @ts-check
/** How long a command takes that does next to nothing, against bare Node: medians of interleaved runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beside, median, startServer, wallMs, workFolder } from './measure.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const rounds = 15;

/** Key and URL from the configuration file, as an analyst has them. */
function configure(/** @type {string} */ baseUrl) {
  const folder = join(workFolder, 'config', 'pdi');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = { profiles: { default: { 'base-url': baseUrl, 'api-key': 'bench-key', 'max-billable': 'unlimited' } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function startup(pdi) {
  const { facts, stop } = await startServer([beside('origin.mjs')]);
  configure(facts.base_url);
  const bare = ['-e', '0'];
  const commands = {
    '--version': ['--version'],
    '--help': ['--help'],
    'feed --help': ['feed', '--help'],
    'health -o json': ['health', '-o', 'json'],
    'person ID -o json': ['person', 'per_1', '-o', 'json'],
    'resolve ID -o json': ['resolve', 'ada-sample', '-o', 'json'],
  };
  /** @type {Map<string, number[]>} */
  const times = new Map([['', []], ...Object.keys(commands).map((name) => /** @type {[string, number[]]} */ ([name, []]))]);
  for (let round = -1; round < rounds; round += 1) {
    const inRound = [wallMs(bare), ...Object.values(commands).map((args) => wallMs([pdi, ...args]))];
    // The first round warms the disk's cache.
    if (round >= 0) for (const [index, list] of [...times.values()].entries()) list.push(inRound[index] ?? 0);
  }
  await stop();
  const base = median(times.get('') ?? []);
  return Object.keys(commands).map((name) => {
    const own = median(times.get(name) ?? []);
    return { name: `start-up: ${name}`, value: own / base, own: `${own.toFixed(0)} ms`, baseline: `bare node ${base.toFixed(0)} ms` };
  });
}
