// @ts-check
/**
 * `npm run compare -- OLD [NEW]`: runs the command lines of lines.mjs with two builds and tells, as a diff, where stdout, stderr, exit
 * codes or the files left are not the same. OLD and NEW are checkouts that were built, or a `dist` of one; NEW is this checkout where
 * not given.
 *
 * `--record FILE [NEW]` stores what one build does, `--against FILE [NEW]` compares another with that later. `--only TEXT` takes the
 * lines that hold TEXT, `--jobs N` runs N at once (4 where not given). Exits 1 where any differs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lines, nameOf } from './lines.mjs';
import { installed, seenOf } from './recorder.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'string' },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '4' },
  },
});

const isChosen = (/** @type {string} */ name) => name.includes(values.only);
const chosen = lines.filter((line) => isChosen(nameOf(line)));

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));
const root = realpathSync(mkdtempSync(join(tmpdir(), 'pdi-compare-')));

/** With control characters in sight, and cut where a line is long: a diff shows the piece that differs. */
const shown = (/** @type {string} */ text) =>
  text.split('\n').flatMap(
    (line) =>
      JSON.stringify(line)
        .slice(1, -1)
        .replaceAll('\\"', '"')
        .match(/.{1,200}/gu) ?? [''],
  );

/** What a build does, a block for each line: the block begins with the line. @returns {Promise<string>} */
async function recording(/** @type {string} */ place, /** @type {string} */ name) {
  const build = installed(place, join(root, name));
  /** @type {string[]} */
  const blocks = [];
  const left = [...chosen.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, line] = next;
      const seen = await seenOf(build, line, String(index).padStart(4, '0'));
      const parts = Object.entries(seen).flatMap(([what, text]) => [
        `${what}:`,
        ...shown(text).map((part) => `  ${part}`),
      ]);
      blocks[index] = [`$ ${nameOf(line).replaceAll('\n', '; ')}`, ...parts, ''].join('\n');
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  return blocks.join('');
}

/** Those blocks of an earlier recording that `--only` takes. */
const chosenOf = (/** @type {string} */ recorded) =>
  recorded
    .split(/^(?=\$ )/m)
    .filter((block) => isChosen(block.split('\n', 1).join()))
    .join('');

/** Prints what differs. @returns {boolean} whether nothing does */
function compared(/** @type {string} */ old, /** @type {string} */ now) {
  const files = Object.entries({ old, now }).map(([name, text]) => {
    writeFileSync(join(root, `${name}.txt`), text);
    return `${name}.txt`;
  });
  const { status } = spawnSync('diff', ['-U2', '-F', '^\\$ ', ...files], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.stdout.write(
    `${chosen.length} command lines, ${status === 0 ? 'none differs' : 'some differ'}\n`,
  );
  return status === 0;
}

/** @returns {Promise<boolean>} whether all is well */
async function main() {
  const [first, second = thisCheckout] = positionals;
  if (values.record !== undefined) {
    writeFileSync(values.record, await recording(first ?? thisCheckout, 'now'));
    return true;
  }
  if (values.against !== undefined)
    return compared(
      chosenOf(readFileSync(values.against, 'utf8')),
      await recording(first ?? thisCheckout, 'now'),
    );
  if (first === undefined)
    throw new Error('what to compare with is missing: a checkout that was built, or its dist');
  // Names of one length: paths stand in what is printed, and wrap.
  return compared(await recording(first, 'old'), await recording(second, 'now'));
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
