// @ts-check
/** What the bookmark of a feed of 100,000 signals a year costs: its size, and the start of a run that reads it. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amount, interleave, ratio } from './figures.mjs';
import { wallMs, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const year = 100_000;
const ofADay = Math.round(year / 365);
/** The newest day and the look-back. */
const daysKept = 8;
const baseUrl = 'http://127.0.0.1:9/api/v1';

const idOf = (/** @type {number} */ number) => `51960a10-0000-4000-8000-${String(number).padStart(12, '0')}`;
const ids = (/** @type {number} */ count) => Array.from({ length: count }, (_, number) => idOf(number));

/** The texts of one bookmark: now by day as src/money/bookmark-text.ts writes it, and before that all identities of the year. */
const texts = {
  now: JSON.stringify({
    pdi_bookmark: 2,
    name: 'default',
    scope: { baseUrl },
    saved_at: '2026-06-30T06:00:00.000Z',
    newest: '2026-06-30',
    known_since: '2026-06-23',
    gaps: [],
    delivered: Object.fromEntries(Array.from({ length: daysKept }, (_, day) => [`2026-06-${30 - day}`, ids(ofADay)])),
  }),
  before: JSON.stringify({
    pdi_bookmark: 1,
    name: 'default',
    scope: { baseUrl },
    saved_at: '2026-06-30T06:00:00.000Z',
    delivered: ids(year),
  }),
};

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function bookmark(pdi) {
  const plan = [process.execPath, pdi, 'feed', '--all', '--since-last', '--dry-run', '--base-url', baseUrl];
  const stateOf = (/** @type {string} */ name) => join(workFolder, `bookmark-${name}`);
  const bytes = Object.entries(texts).map(([name, text]) => {
    const folder = join(stateOf(name), 'pdi', 'bookmarks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'default.json'), text);
    return amount(`bookmark: of a year, kB, ${name}`, [statSync(join(folder, 'default.json')).size / 1000]);
  });
  const start = (/** @type {string} */ name) => () => wallMs(plan, { XDG_STATE_HOME: stateOf(name) });
  const runs = await interleave(roundsOf(15), { none: start('none'), now: start('now'), before: start('before') }, 1);
  for (const name of Object.keys(texts)) rmSync(stateOf(name), { recursive: true });
  const figure = (/** @type {string} */ name) =>
    ratio(`bookmark: start of a run, ${name}`, runs(name), runs('none'), { own: `a bookmark of a year, ${name}`, baseline: 'none' });
  return [...bytes, figure('now'), figure('before')];
}
