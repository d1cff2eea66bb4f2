// @ts-check
/** What `pdi spend` takes to count a year of calls. Without src/money/ledger-quick.ts it takes twice as long. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amount } from './figures.mjs';
import { wallMs, workFolder } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const calls = 100_000;
const callsOfARun = 500;
const yearMs = 365 * 86_400_000;

/**
 * @param {string} pdi the program
 * @returns {Promise<Figure[]>}
 */
export async function spend(pdi) {
  const state = join(workFolder, 'state-of-a-year');
  writeYear(join(state, 'pdi'));
  const count = () => wallMs([process.execPath, pdi, 'spend', '--by', 'month', '-o', 'csv'], { XDG_STATE_HOME: state });
  const rounds = Array.from({ length: roundsOf(15) }, count);
  rmSync(state, { recursive: true });
  return [amount('spend: a year of 100,000 calls, ms', rounds)];
}

/** The months of a ledger, as src/money/ledger.ts writes them: one call in 50 lost its answer, one in 1,000 was killed. */
function writeYear(/** @type {string} */ folder) {
  mkdirSync(folder, { recursive: true });
  /** @type {Map<string, string[]>} */
  const months = new Map();
  for (let number = 0; number < calls; number += 1) {
    const run = String(Math.floor(number / callsOfARun)).padStart(12, '0');
    const id = `00000000-0000-4000-8000-${run}.${(number % callsOfARun) + 1}`;
    const at = new Date(Date.UTC(2025, 0, 1) + (number * yearMs) / calls).toISOString();
    const asked = {
      operation: 'GET /people/{personId}',
      base_url: 'https://api.example.test',
      item: `per_${number}`,
      owner: '0123456789abcdef',
    };
    const sent = { id, event: 'sent', at, profile: 'default', command: 'person', ...asked, billing: 'charged', v: 2 };
    const lines = months.get(at.slice(0, 7)) ?? [];
    months.set(at.slice(0, 7), lines);
    lines.push(JSON.stringify(sent));
    if (number % 1000 > 0) lines.push(JSON.stringify({ id, event: number % 50 === 0 ? 'lost' : 'billed', at, v: 2 }));
  }
  for (const [month, lines] of months) writeFileSync(join(folder, `ledger-${month}.ndjson`), `${lines.join('\n')}\n`);
}
