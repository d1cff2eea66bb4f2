// @ts-check
/** What the project asks of these figures: `now` must hold, `later` is where it wants to go. */

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {number} value own / baseline, or a count or megabytes where `own` is empty
 * @property {number} low of the rounds, the best
 * @property {number} high of the rounds, the worst
 * @property {number} rounds `value` is the median of so many, or of so many pairs
 * @property {string} own what was measured
 * @property {string} baseline what it is held against, measured in the same run
 */

/** @type {Readonly<Record<string, { now?: number, later: number }>>} */
export const goals = {
  'start-up: --version': { now: 1.4, later: 1.2 },
  'start-up: health -o json': { now: 4, later: 3.3 },
  'start-up: --help': { later: 1.5 },
  'start-up: feed --help': { later: 1.5 },
  'start-up: help money': { later: 1.5 },
  'start-up: a word completed': { later: 2.2 },
  'start-up: person ID -o json': { later: 3.8 },
  'memory: resolve 1,000,000, stdout, MB': { now: 160, later: 160 },
  'memory: resolve 1,000,000, --out, MB': { now: 160, later: 160 },
  'memory: resolve 1,000,000, --out, node 24, MB': { later: 200 },
  'cpu: resolve 10,000 to csv, --out': { later: 1.4 },
  'cpu: resolve 1,000,000 to csv, stdout': { later: 2.3 },
  'cpu: resolve 1,000,000 to csv, --out': { later: 2.5 },
  'cpu: resolve 1,000,000 to ndjson, --out': { later: 1.8 },
  'cpu: person 5,000 to ndjson, --out': { later: 1.4 },
  'cpu: person 5,000 to csv, --out': { later: 1.8 },
  'cpu: feed 100,000 to ndjson, --out': { later: 1.2 },
  'cpu: feed 100,000 to csv, --out': { later: 1.9 },
  'cpu: person 5,000 to ndjson, --out, store on / off': { later: 1.1 },
  'cpu: person 5,000 to csv, --out, store on / off': { later: 1.1 },
  'cpu: person 5,000 to ndjson, --out, budget on / off': { later: 1.1 },
  'cpu: person 5,000 to csv, --out, budget on / off': { later: 1.1 },
  'book: person beside 1,000,000 answers': { now: 1.1, later: 1.1 },
  'book: pdi store beside 1,000,000 answers, ms': { now: 400, later: 400 },
  'book: pdi spend beside 1,000,000 answers, ms': { now: 800, later: 800 },
  'memory: person, 12,000 of 20 kB, stdout, MB': { later: 160 },
  'resolve 1,000,000 to ndjson, --out / aiohttp': { later: 0.8 },
  'resolve 1,000,000 to csv, --out / aiohttp': { later: 1 },
  'person 5,000 to ndjson, --out / aiohttp': { later: 1 },
  'feed 100,000 to ndjson, --out / aiohttp': { later: 0.8 },
  'size: installed, MB': { now: 15, later: 15 },
  'size: packages': { now: 25, later: 25 },
  ...Object.fromEntries(
    Object.entries({ 1: 1.05, 2: 1.1, 4: 1.1, 8: 1.2 }).flatMap(([shards, later]) =>
      ['person', 'resolve'].flatMap((command) => [
        [`pace: ${command}, ${shards} at once`, { later }],
        [`pace: ${command}, ${shards} at once, 429 answers`, { later: 2 + Number(shards) }],
        [`pace: ${command}, ${shards} at once, failed runs`, { now: 0, later: 0 }],
      ]),
    ),
  ),
  'pace: no limit, 200 ms, / a pool of 8': { later: 1.1 },
  'limit: time, headers on every answer': { now: 1.1, later: 1.05 },
  'limit: 429 answers, headers on every answer': { now: 4, later: 2 },
  'limit: time, headers on 429 only': { now: 1.1, later: 1.05 },
  'limit: 429 answers, headers on 429 only': { now: 4, later: 2 },
};

/** @param {Figure} figure */
export function verdict({ name, value }) {
  const goal = goals[name];
  if (goal === undefined) return '';
  const later = `${value <= goal.later ? 'reached' : 'not yet'} (later ${goal.later})`;
  if (goal.now === undefined) return later;
  return `${value <= goal.now ? 'holds' : 'MISSED'} (${goal.now}), ${later}`;
}
