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
 * Runs a program once, to its end.
 * @param {readonly string[]} command
 * @param {{ stdout?: number | 'ignore', env?: Readonly<Record<string, string>> }} [options]
 * @returns {number} milliseconds
 */
function run([program = '', ...args], { stdout = 'ignore', env = {} } = {}) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(program, args, {
    env: { ...environment, ...env },
    stdio: ['ignore', stdout, 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const elapsed = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return elapsed;
}

/**
 * Wall time only, nothing added to the child.
 * @param {readonly string[]} command
 * @param {Readonly<Record<string, string>>} [env]
 */
export const wallMs = (command, env = {}) => run(command, { env });

/**
 * Runs Node once with stdout to `output`; the child reports its own use of memory and processor as it ends.
 * @param {readonly string[]} args
 * @param {{ output?: string, env?: Readonly<Record<string, string>>, node?: string }} [options] `node`: the binary
 * @returns {Measured}
 */
export function measure(args, { output = '/dev/null', env = {}, node = process.execPath } = {}) {
  const report = join(workFolder, 'usage.json');
  const stdout = openSync(output, 'w');
  const elapsed = run([node, '--require', beside('usage.cjs'), ...args], {
    stdout,
    env: { ...env, BENCH_USAGE: report },
  });
  closeSync(stdout);
  return { wallMs: elapsed, ...JSON.parse(readFileSync(report, 'utf8')) };
}

/**
 * Runs a program that is not Node with stdout to `output`; the shell that starts it tells the time it took.
 * @param {readonly string[]} command
 * @param {string} output
 * @returns {Measured}
 */
export function measureOther(command, output) {
  const report = join(workFolder, 'times.txt');
  const timed = `TIMEFORMAT='%3U %3S %3R'; { time "$@" >"$OUTPUT" 2>"$OUTPUT.err"; } 2>"$REPORT" || { tail -n 5 "$OUTPUT.err" >&2; exit 1; }`;
  run(['bash', '--norc', '-c', timed, 'bash', ...command], {
    env: { OUTPUT: output, REPORT: report },
  });
  const [user = 0, system = 0, wall = 0] = readFileSync(report, 'utf8')
    .replaceAll(',', '.')
    .trim()
    .split(' ')
    .map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000, peakMb: 0 };
}

/**
 * Starts a server as a process of its own; resolves with the JSON object that it prints first.
 * @param {readonly string[]} args
 * @returns {Promise<{ facts: any, stop: () => Promise<void> }>}
 */
export async function startServer(args) {
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Also where a measurement fails: no server outlives the run.
  const kill = () => child.kill();
  process.once('exit', kill);
  // What it says of being stopped is no news.
  const complain = (/** @type {Buffer} */ chunk) => void process.stderr.write(chunk);
  child.stderr.on('data', complain);
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.endsWith('\n')) break;
  }
  const stop = async () => {
    child.stderr.off('data', complain).resume();
    kill();
    await ended;
    process.off('exit', kill);
  };
  return { facts: JSON.parse(text), stop };
}
