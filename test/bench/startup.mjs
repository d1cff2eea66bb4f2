// @ts-check
/** How long a command takes that does next to nothing, against bare Node: medians of interleaved runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { interleave, median, ratio } from './figures.mjs';
import { beside, startServer, wallMs, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

export const commands = {
  '--version': ['--version'],
  '--help': ['--help'],
  'feed --help': ['feed', '--help'],
  'help money': ['help', 'money'],
  'a word completed': ['completion', 'words', '--', '.per'],
  'health -o json': ['health', '-o', 'json'],
  'person ID -o json': ['person', 'per_1', '-o', 'json'],
};

/** An origin, and a key and its URL in the configuration file, as an analyst has them. */
export async function startConfigured() {
  const { facts, stop } = await startServer([beside('origin.mjs')]);
  const folder = join(workFolder, 'config', 'pdi');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = {
    profiles: {
      default: { 'base-url': facts.base_url, 'api-key': 'bench-key', 'max-billable': 'unlimited' },
    },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  return { base: facts.base_url, stop };
}

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function startup(pdi) {
  const { stop } = await startConfigured();
  // A start is so short that each is a matter of luck; so many cost half a minute.
  const figures = await startUps(pdi, { 'start-up': process.execPath }, roundsOf(31), commands);
  await stop();
  return figures;
}

/**
 * Every command under every Node, against the same Node with nothing to do.
 * @param {string} pdi the program
 * @param {Readonly<Record<string, string>>} nodes title to binary
 * @param {number} rounds
 * @param {Readonly<Record<string, readonly string[]>>} wanted
 */
export async function startUps(pdi, nodes, rounds, wanted) {
  const contestants = Object.entries(nodes).flatMap(([title, node]) => [
    /** @type {const} */ ([title, () => wallMs([node, '-e', '0'])]),
    ...Object.entries(wanted).map(
      ([name, args]) =>
        /** @type {const} */ ([`${title}: ${name}`, () => wallMs([node, pdi, ...args])]),
    ),
  ]);
  // The first round warms the disk's cache.
  const runs = await interleave(rounds, Object.fromEntries(contestants), 1);
  const words = (/** @type {readonly number[]} */ times) => `${median(times).toFixed(0)} ms`;
  return Object.keys(nodes).flatMap((title) => {
    const bare = runs(title);
    return Object.keys(wanted).map((name) => {
      const own = runs(`${title}: ${name}`);
      return ratio(`${title}: ${name}`, own, bare, {
        own: words(own),
        baseline: `bare node ${words(bare)}`,
      });
    });
  });
}
