// @ts-check
/**
 * The command lines that are compared. Each runs in a folder of its own with the files of fixtures.mjs, a home that is empty, and
 * PDI_SANDBOX=1; a list of steps shares one. Help, settings and refusals are not among
 * them: tests hold their words. Jobs of several calls say `--concurrency 1`: the order of what they write is fixed then.
 */
import { jobLines } from './lines-jobs.mjs';
import { moneyLines } from './lines-money.mjs';
import { outputLines } from './lines-output.mjs';

/** @typedef {{ readonly run: string, readonly columns?: number }} Step columns: on a terminal that wide */
/** @typedef {string | Step | readonly (string | Step)[]} Written */

/** @returns {readonly Step[]} */
const stepsOf = (/** @type {Written} */ written) =>
  (Array.isArray(written) ? written : [written]).map((step) => (typeof step === 'string' ? { run: step } : step));

/** @type {readonly (readonly Step[])[]} */
export const lines = [...outputLines, ...jobLines, ...moneyLines].map(stepsOf);

/** What a line is called in reports and recordings: itself. */
export const nameOf = (/** @type {readonly Step[]} */ steps) =>
  steps.map(({ run, columns }) => `${columns === undefined ? '' : `[${columns} columns] `}${run}`).join(' ; then ');

const names = lines.map(nameOf);
const twice = names.filter((name, index) => names.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`these command lines are in the list twice: ${twice.join('; ')}`);
