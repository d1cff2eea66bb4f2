// @ts-check
/** The large jobs, as the program is asked for them and as others are, all of them on one origin. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beside, environment, measure, startServer, workFolder } from './measure.mjs';
import { few, many, numbered, people, signals } from './sizes.mjs';

/**
 * @typedef {import('./measure.mjs').Measured} Measured
 * @typedef {Measured & { originMs: number }} OnOrigin `originMs`: processor time of the origin meanwhile
 * @typedef {object} Job
 * @property {string} name
 * @property {readonly string[]} own arguments of Node, but for `--out`
 * @property {readonly string[]} byHand arguments of `plain.mjs`, and of its fellows in Python
 * @property {number} requests that it takes
 * @property {string} output where what was printed last goes, with who printed it after it
 */

/** A file of distinct identifiers. */
export async function identifiers(/** @type {number} */ count, /** @type {string} */ prefix) {
  const path = join(workFolder, `${prefix}-${count}.txt`);
  const stream = createWriteStream(path);
  for (let index = 0; index < count; index += 1000) {
    const lines = Array.from(
      { length: Math.min(1000, count - index) },
      (_, step) => `${numbered(prefix, index + step)}\n`,
    );
    stream.write(lines.join(''));
  }
  await finished(stream.end());
  return path;
}

/** The origin of the large jobs. `counts` gives what was asked of it since it was asked that last. */
export async function startOrigin() {
  const { facts, stop } = await startServer([beside('prepared-origin.mjs'), String(many)]);
  const counts = async () => JSON.parse(await (await fetch(`${facts.base_url}/counts`)).text());
  return { base: facts.base_url, counts, stop };
}

/** @typedef {Awaited<ReturnType<typeof startOrigin>>} Origin */

/**
 * @param {string} pdi the program
 * @param {string} base the origin's URL
 * @returns {Promise<Job[]>}
 */
export async function jobsOf(pdi, base) {
  const [short, long, ids] = [
    await identifiers(few, 'id'),
    await identifiers(many, 'id'),
    await identifiers(people, 'per_'),
  ];
  const common = [
    '--base-url',
    base,
    '--concurrency',
    '8',
    '--max-billable',
    'unlimited',
    '--quiet',
  ];
  /** @returns {Job} */
  const job = (
    /** @type {string} */ what,
    /** @type {string} */ format,
    /** @type {number} */ requests,
    /** @type {string[]} */ words,
    /** @type {string} */ file = '',
  ) => {
    const name = `${what} to ${format}`;
    const task = `${words[0]}${format === 'csv' ? '-csv' : ''}`;
    const own = [pdi, ...words, ...(file === '' ? [] : ['-i', file]), '-o', format, ...common];
    return {
      name,
      own,
      byHand: [base, task, file],
      requests,
      output: join(workFolder, name.replaceAll(/[ ,]/g, '-')),
    };
  };
  const formats = ['csv', 'ndjson'];
  return [
    job('resolve 10,000', 'csv', few / 50, ['resolve'], short),
    ...formats.map((format) => job('resolve 1,000,000', format, many / 50, ['resolve'], long)),
    ...formats.map((format) => job('person 5,000', format, people, ['person'], ids)),
    // Pages by number, as the hand-written programs ask: by day, each page begins with a record of the one before.
    ...formats.map((format) =>
      job('feed 100,000', format, signals / 50 + 1, ['feed', '--all', '--page', '0']),
    ),
  ];
}

export const isLong = (/** @type {Job} */ { name }) => name.startsWith('resolve 1,000,000');

/**
 * A run of one of the programs; refused where it did not ask for everything once.
 * @param {Origin} origin
 * @param {Job} job
 * @param {() => Measured} run
 * @returns {Promise<OnOrigin>}
 */
export async function onOrigin({ counts }, { name, requests }, run) {
  await counts();
  const measured = run();
  const { requests: sent, different, cpuMs } = await counts();
  if (sent !== requests || different !== requests)
    throw new Error(`${name}: ${sent} requests, ${different} different, not ${requests}`);
  return { ...measured, originMs: cpuMs };
}

export const env = { PDI_API_KEY: 'bench-key' };

/** Every run buys, and begins with an empty book: what the last one left goes. */
export const forgetAnswers = () =>
  rmSync(join(environment.XDG_STATE_HOME, 'pdi'), { recursive: true, force: true });

/** Our program, once, to standard output. */
export function runOwn(/** @type {Job} */ { own, output }) {
  forgetAnswers();
  return measure(own, { output: `${output}.own`, env });
}

/** The same with `--out FILE`: with journal and book, as users are told to work. */
export function runOut(
  /** @type {Job} */ { own, output },
  /** @type {{ node?: string }} */ more = {},
) {
  const file = outFile(own, output);
  rmSync(file, { force: true });
  forgetAnswers();
  return measure([...own, '--out', file], { env, ...more });
}

/** A name that agrees with the format. */
const outFile = (/** @type {readonly string[]} */ own, /** @type {string} */ output) =>
  `${output}.out.${own.includes('csv') ? 'csv' : 'ndjson'}`;

/** The program by hand, once. */
export const runByHand = (/** @type {Job} */ { byHand, output }) =>
  measure([beside('plain.mjs'), ...byHand], { output: `${output}.by-hand` });

/** Throws where two programs, run before, did not print the same rows: then they did not do the same work. Only ours prints a header. */
export async function refuseOtherRows(
  /** @type {Job} */ { name, own, output },
  /** @type {string} */ who,
) {
  const header = own.includes('csv') ? 1 : 0;
  for (const ours of [`${output}.own`, outFile(own, output)]) {
    if ((await fingerprint(ours, header)) !== (await fingerprint(`${output}.${who}`, 0)))
      throw new Error(`${name}: ${who} prints other rows`);
  }
}

/** No two programs bought an answer at the same moment. */
const withoutTimes = (/** @type {string} */ file, /** @type {number} */ skipped) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(skipped)
    .map((line) => line.replace(/,[-\d]+T[:.\d]+Z,ok,\r$/, ''))
    .join('\n');

/** A hash of a file, its first lines left out. */
async function fingerprint(/** @type {string} */ file, /** @type {number} */ skipped) {
  const hash = createHash('sha1');
  if (file.includes('person-5-000-to-csv'))
    return hash.update(withoutTimes(file, skipped)).digest('hex');
  let left = skipped;
  for await (const chunk of createReadStream(file)) {
    const from = left === 0 ? 0 : chunk.indexOf('\n') + 1;
    left = 0;
    hash.update(chunk.subarray(from));
  }
  return hash.digest('hex');
}
