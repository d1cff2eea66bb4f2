// @ts-check
/**
 * `npm run compare -- OLD [NEW]`: runs the command lines of lines.mjs with two builds and tells where stdout, stderr, exit codes or
 * the files left are not the same. OLD and NEW are checkouts that were built, or a `dist` of one; NEW is this checkout where not given.
 *
 * `--record FILE [NEW]` stores what one build does, `--against FILE [NEW]` compares another with that later. `--only TEXT` takes the
 * lines that hold TEXT, `--jobs N` runs N at once (4 where not given). Exits 1 where any differs.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences } from './differences.mjs';
import { lines, nameOf } from './lines.mjs';
import { installed, seenOf } from './recorder.mjs';

/** @typedef {import('./recorder.mjs').Seen} Seen */
/** @typedef {Readonly<Record<string, Seen>>} Recording by the command line */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'string' },
    against: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '4' },
  },
});

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const chosen = lines.filter((line) => nameOf(line).includes(values.only ?? ''));

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));

/** Each line with each place's build; the builds of one line one after the other. @returns {Promise<Recording[]>} */
async function recordings(/** @type {readonly string[]} */ places) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pdi-compare-')));
  try {
    // Names of one length: paths stand in what is printed, and wrap.
    const builds = places.map((place, index) => installed(place, join(root, String(index))));
    /** @type {Record<string, Seen>[]} */
    const recorded = builds.map(() => ({}));
    const left = [...chosen.entries()];
    const worker = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [index, line] = next;
        for (const [which, build] of builds.entries()) {
          const seen = await seenOf(build, line, String(index).padStart(4, '0'));
          Object.assign(recorded[which] ?? {}, { [nameOf(line)]: seen });
        }
      }
    };
    await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
    return recorded;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Prints what differs. @returns {boolean} whether nothing does */
function compared(/** @type {Recording} */ old, /** @type {Recording} */ now) {
  let differing = 0;
  for (const line of chosen) {
    const name = nameOf(line);
    const found = differences(old[name], now[name]);
    if (found.length === 0) continue;
    differing += 1;
    say(`\n${name}\n${found.map((text) => `  ${text.replaceAll('\n', '\n  ')}`).join('\n')}`);
  }
  say(`${chosen.length} command lines, ${differing} differ`);
  return differing === 0;
}

/** @returns {Promise<boolean>} whether all is well */
async function main() {
  const [first, second = thisCheckout] = positionals;
  if (values.record !== undefined) {
    const [recording = {}] = await recordings([first ?? thisCheckout]);
    writeFileSync(values.record, `${JSON.stringify(recording, undefined, 1)}\n`);
    say(`${chosen.length} command lines recorded`);
    return true;
  }
  if (values.against !== undefined) {
    const [recording = {}] = await recordings([first ?? thisCheckout]);
    return compared(JSON.parse(readFileSync(values.against, 'utf8')), recording);
  }
  if (first === undefined) throw new Error('what to compare with is missing: a checkout that was built, or its dist');
  const [old = {}, now = {}] = await recordings([first, second]);
  return compared(old, now);
}

process.exitCode = (await main()) ? 0 : 1;
