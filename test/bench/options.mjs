// @ts-check
/** What was asked of a run: `[--rounds N] [--json] [PART …]`. */
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '' }, json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = Number(values.rounds);
if (values.rounds !== '' && !(Number.isInteger(wanted) && wanted > 0))
  throw new Error('--rounds takes a number from 1');

/** Parts by name, all of them where there is none. */
export const asked = positionals;
export const { json } = values;
/** A quick look: fewer rounds than a figure wants. */
export const quick = values.rounds !== '';

/** So many rounds as a figure wants, or as `--rounds` says. */
export const roundsOf = (/** @type {number} */ honest) => (quick ? wanted : honest);

/** For people; with `--json`, stdout is for programs. */
export const say = (/** @type {string} */ text) =>
  void (json ? process.stderr : process.stdout).write(`${text}\n`);

/** What goes on, and what is not there. */
export const note = (/** @type {string} */ text) => void process.stderr.write(`${text}\n`);
