// @ts-check
/** How much of what the origin can answer the program asks for: well below 1, or the origin would be what is measured. */
import { median, pick, ratio } from './figures.mjs';
import { beside, measure } from './measure.mjs';

/** @typedef {import('./measure.mjs').Measured} Measured */

/** What `flood.mjs` asks for, the requests of a job, the job. */
const floods = /** @type {const} */ ([
  ['resolve', 20_000, 'resolve 1,000,000 to csv'],
  ['person', 5000, 'person 5,000 to ndjson'],
  ['feed', 2001, 'feed 100,000 to ndjson'],
]);

/** The same requests from a client that does nothing with the answers, as contestants of the jobs. */
export const floodsOn = (/** @type {string} */ base) =>
  Object.fromEntries(floods.map(([kind, count]) => [`flood ${kind}`, () => measure([beside('flood.mjs'), base, kind, String(count)])]));

/** @param {(name: string) => Measured[]} runs */
export const ceiling = (runs) =>
  floods.map(([kind, count, job]) => {
    const rates = (/** @type {string} */ name) => pick(runs(name), 'wallMs').map((ms) => (count / ms) * 1000);
    const words = (/** @type {readonly number[]} */ values) => `${median(values).toFixed(0)} answers/s`;
    const [own, most] = [rates(`own ${job}`), rates(`flood ${kind}`)];
    return ratio(`origin: ${kind}, share of what it can`, own, most, { own: words(own), baseline: `it can ${words(most)}` });
  });
