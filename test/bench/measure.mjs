// @ts-check
/** Child processes measured: wall time, processor time and peak memory, in an environment that slows none of them. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Measured
 * @property {number} wallMs
 * @property {number} cpuMs user and system time of the process
 * @property {number} peakMb largest resident set; 0 where the system does not tell
 */

/** A folder of this run's own, gone with it. */
export const workFolder = mkdtempSync(join(tmpdir(), 'pdi-bench-'));
process.on('exit', () => rmSync(workFolder, { recursive: true, force: true }));

/** For processes that are measured. Nothing of the caller's: NODE_EXTRA_CA_CERTS alone adds 70 ms to every start, a proxy or a profile would change the work. */
export const environment = {
  PATH: process.env.PATH ?? '',
  HOME: workFolder,
  XDG_CONFIG_HOME: join(workFolder, 'config'),
  XDG_STATE_HOME: join(workFolder, 'state'),
};

/** @param {string} name of a file beside this one */
export const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs Node once, to its end; wall time only, nothing added to the child.
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [extra]
 */
export function wallMs(args, extra = {}) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...environment, ...extra },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const elapsed = performance.now() - startedAt;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return elapsed;
}

/**
 * Runs Node once with stdout to `output`; the child reports its own use of memory and processor as it ends.
 * @param {readonly string[]} args
 * @param {{ output?: string, env?: Readonly<Record<string, string>>, preload?: readonly string[] }} [options] `preload`: modules to load first
 * @returns {Measured}
 */
export function measure(args, { output = '/dev/null', env = {}, preload = [] } = {}) {
  const report = join(workFolder, 'usage.json');
  const stdout = openSync(output, 'w');
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [...['usage.cjs', ...preload].flatMap((name) => ['--require', beside(name)]), ...args],
    {
      env: { ...environment, ...env, BENCH_USAGE: report },
      stdio: ['ignore', stdout, 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const elapsed = performance.now() - startedAt;
  closeSync(stdout);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs: elapsed, ...JSON.parse(readFileSync(report, 'utf8')) };
}

/**
 * Starts a server as a process of its own; resolves with the JSON object that it prints first.
 * @param {readonly string[]} args
 * @returns {Promise<{ facts: any, stop: () => Promise<void> }>}
 */
export async function startServer(args) {
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Also where a measurement fails: no server outlives the run.
  process.once('exit', () => child.kill());
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.endsWith('\n')) break;
  }
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { facts: JSON.parse(text), stop };
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
