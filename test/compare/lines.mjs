// @ts-check
/**
 * The command lines that are compared. Each runs in a folder of its own with the files of fixtures.mjs, a home that is empty, and
 * PDI_SANDBOX=1; a list of steps shares one. Help, settings, refusals and terminals are not among them: tests hold what they show.
 * Jobs of several calls say `--concurrency 1`: the order of what they write is fixed then.
 */
import { jobLines } from './lines-jobs.mjs';
import { moneyLines } from './lines-money.mjs';
import { outputLines } from './lines-output.mjs';

/** @typedef {string | readonly string[]} Written */

/** @type {readonly (readonly string[])[]} */
export const lines = [...outputLines, ...jobLines, ...moneyLines].map((written) =>
  [written].flat(),
);

/** What a line is called in reports and recordings: itself. */
export const nameOf = (/** @type {readonly string[]} */ steps) => steps.join(' ; then ');

const names = lines.map(nameOf);
const twice = names.filter((name, index) => names.indexOf(name) !== index);
if (twice.length > 0)
  throw new Error(`these command lines are in the list twice: ${twice.join('; ')}`);
