// @ts-check
/** Runs one command line of the list with one build, in a fresh folder, and tells everything that can be seen of it. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leftIn, textOf } from './files.mjs';
import { fixtures } from './fixtures.mjs';
import { steadier } from './steady.mjs';

/** @typedef {Readonly<Record<string, string>>} Seen by what it is, such as `stdout` or `file x.csv` */
/** @typedef {{ readonly folder: string }} Build */

/** Nothing in the list takes so long. */
const patienceMs = 60_000;

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Makes `pdi` of a checkout, or of the `dist` of one, a program that the command lines find in `folder`/bin. It is a copy: a build
 * by somebody else must not pull the program away under the comparison.
 * @returns {Build}
 */
export function installed(/** @type {string} */ place, /** @type {string} */ folder) {
  // A dist alone is started by this checkout's own bin.
  const alone = existsSync(join(place, 'main.cjs'));
  const dist = alone ? place : join(place, 'dist');
  if (!existsSync(join(dist, 'main.cjs')))
    throw new Error(`${place} is no checkout that was built, and no dist of one`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  cpSync(dist, join(folder, 'pdi/dist'), { recursive: true });
  cpSync(alone ? here('../../bin') : join(place, 'bin'), join(folder, 'pdi/bin'), {
    recursive: true,
  });
  // The engine of the book is the only package that is not bundled.
  const packages = alone ? here('../../node_modules') : join(place, 'node_modules');
  if (existsSync(packages)) symlinkSync(realpathSync(packages), join(folder, 'pdi/node_modules'));
  const program = join(folder, 'pdi/bin/pdi.js');
  const words = [process.execPath, '--require', here('preload.cjs'), program].map(
    (word) => `'${word}'`,
  );
  const wrapper = join(folder, 'bin/pdi');
  writeFileSync(wrapper, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(wrapper, 0o755);
  return { folder };
}

/** @returns {Record<string, string>} */
function environment(/** @type {Build} */ build, /** @type {string} */ folder) {
  return {
    PATH: `${join(build.folder, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: join(folder, 'home'),
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    TZ: 'UTC',
    PDI_SANDBOX: '1',
  };
}

/**
 * @param {string} step
 * @param {{ cwd: string, env: Record<string, string> }} world
 * @returns {Promise<{ code: string, stdout: Buffer, stderr: Buffer }>}
 */
function ended(step, world) {
  const child = spawn('bash', ['-c', step], {
    ...world,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  /** @type {Buffer[]} */
  const stdout = [];
  /** @type {Buffer[]} */
  const stderr = [];
  child.stdout?.on('data', (piece) => stdout.push(piece));
  child.stderr?.on('data', (piece) => stderr.push(piece));
  const late = setTimeout(
    () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'),
    patienceMs,
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      clearTimeout(late);
      resolve({
        code: String(code ?? signal),
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
      });
    });
  });
}

/** Those of the given files that the steps speak of: writing all of them takes longer than some commands. */
function given(/** @type {readonly string[]} */ steps) {
  return [...fixtures].filter(([name]) => steps.some((step) => step.includes(name)));
}

/** Files that are not as they were given. @returns {readonly (readonly [string, string])[]} */
function changedFiles(
  /** @type {string} */ folder,
  /** @type {readonly (readonly [string, string | Buffer])[]} */ files,
) {
  const untouched = new Map(
    files.map(([name, content]) => [name, `file 0644\n${textOf(Buffer.from(content))}`]),
  );
  const left = leftIn(folder).filter(([path]) => path !== 'home');
  const gone = [...untouched.keys()].filter((name) => !left.some(([path]) => path === name));
  const changed = left.map(
    ([path, kind, content]) => /** @type {const} */ ([path, `${kind}\n${content}`]),
  );
  return [
    ...changed.filter(([path, text]) => untouched.get(path) !== text),
    ...gone.map((name) => /** @type {const} */ ([name, 'gone'])),
  ];
}

/**
 * @param {Build} build
 * @param {readonly string[]} steps
 * @param {string} name of the folder, which is gone afterwards
 * @returns {Promise<Seen>}
 */
export async function seenOf(build, steps, name) {
  const folder = join(build.folder, name);
  mkdirSync(join(folder, 'home'), { recursive: true });
  const files = given(steps);
  for (const [file, content] of files) writeFileSync(join(folder, file), content, { mode: 0o644 });
  const steady = steadier({ folder, build: build.folder });
  /** @type {Record<string, string>} */
  const seen = {};
  for (const [index, step] of steps.entries()) {
    const { code, stdout, stderr } = await ended(step, {
      cwd: folder,
      env: environment(build, folder),
    });
    const which = steps.length === 1 ? '' : ` of step ${index + 1}`;
    seen[`exit code${which}`] = code;
    seen[`stdout${which}`] = steady(textOf(stdout));
    seen[`stderr${which}`] = steady(textOf(stderr));
  }
  for (const [path, text] of changedFiles(folder, files))
    seen[`file ${steady(path)}`] = steady(text);
  rmSync(folder, { recursive: true, force: true });
  return seen;
}
