#!/usr/bin/env node

// The version is told before anything is loaded that would be worth it.
if (process.argv[2] !== '--version') keepCompiled();
const { main } = require('../dist/main.cjs');

const isNode20 = process.versions.node.startsWith('20.');
if (!isNode20) keepYoungGenerationSmall();

// Node would open a debugger port on this signal, and the key is in memory.
process.on('SIGUSR1', () => {});

// Node 22 calls its SQLite an experiment each time, which no user of pdi can act on.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...rest);
};

// Until the program says how it ended: one that stalls ends as soon as nothing is left to wait for, and must not look like success.
process.exitCode = 1;
process.once('exit', sayThatItStalled);
main(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  platform: process.platform,
  nodeVersion: process.versions.node,
  program: { node: process.execPath, script: __filename },
  currentDirectory: () => process.cwd(),
  get homeDirectory() {
    return homeDirectory();
  },
  pid: process.pid,
  get onTerminal() {
    const { isatty } = require('node:tty');
    return [0, 1, 2].some(isatty);
  },
  onSignal(listener) {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, listener);
    process.once('SIGHUP', () => process.once('exit', letGoOfTerminal));
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
  exitNow,
  beforeConnecting() {
    if (!isNode20) return;
    const { setFlagsFromString } = require('node:v8');
    // undici's parser is WebAssembly: optimising it in the background takes longer than a whole command.
    setFlagsFromString('--wasm-tiering-budget=1000000000');
    // Clean up when the heap is twice what is in use, not four times: a long job takes 120 MB instead of 160, and no longer.
    setFlagsFromString('--heap-growing-percent=100');
    // Optimise less of what a function calls together with it: of a bulk job's instructions, 2 to 5 in 100 are saved.
    setFlagsFromString('--max-inlined-bytecode-size-cumulative=500');
    // libsql asks for a report of Node when it is loaded, which would look up the name of each address that is connected.
    process.report.excludeNetwork = true;
  },
  limitLookup,
}).then((code) => {
  process.off('exit', sayThatItStalled);
  process.exitCode = code;
});

function sayThatItStalled() {
  try {
    require('node:fs').writeSync(2, 'pdi: a bug: the run ended without an end; please report it, with the command\n');
  } catch {
    // Nobody reads it any more.
  }
}

/**
 * From Node 24 on what is new in the heap may take 64 MB instead of 32, and what it holds gets old there: a job of a million rows takes
 * 260 MB, and 190 with this, for a tenth more of the processor; profiles converted to parquet 276, and 184 with this, for no more.
 * It is too late to name the limit, but not to end the growth.
 */
function keepYoungGenerationSmall() {
  const looks = setInterval(() => {
    const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young === undefined || young.space_size < 32 * 1024 * 1024) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looks);
  }, 50);
  looks.unref();
}

/**
 * A name lookup is the system's: nothing cancels it, and a process ends only after it. With a name server that is silent it takes
 * twice five seconds for each server: where less time is given, the system (glibc) is told to take no more.
 */
function limitLookup(milliseconds) {
  if (process.env.RES_OPTIONS !== undefined || milliseconds >= 10_000) return;
  const [seconds, attempts] = milliseconds < 4000 ? [Math.floor(milliseconds / 1000), 1] : [Math.floor(milliseconds / 2000), 2];
  process.env.RES_OPTIONS = `timeout:${Math.max(1, seconds)} attempts:${attempts}`;
}

/** Where a name lookup would hold the end up, the signal itself does it: a shell makes the same code of that. */
function exitNow(code) {
  process.off('exit', sayThatItStalled);
  const signal = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }[code];
  if (signal !== undefined && process.platform !== 'win32' && process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(code);
}

/** From Node 22 on the next start takes what this one compiled: from a folder that nobody else writes, because it is run as it stands. */
function keepCompiled() {
  const { enableCompileCache } = require('node:module');
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = '' } = process.env;
  if (enableCompileCache === undefined || NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  const { existsSync, lstatSync, mkdirSync } = require('node:fs');
  const { isAbsolute, join } = require('node:path');
  try {
    const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homeDirectory(), '.cache');
    const folder = join(caches, 'pdi');
    // Node's `recursive` never ends below /proc and the like.
    for (const each of [caches, folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const status = lstatSync(folder);
    const isOurs = process.platform === 'win32' || (status.uid === process.getuid() && (status.mode & 0o022) === 0);
    if (status.isDirectory() && isOurs) enableCompileCache(folder);
  } catch {
    // Without it the program starts all the same.
  }
}

/** A HOME that is empty or relative is none: files would be read and written wherever the user happens to be. */
function homeDirectory() {
  const { homedir, userInfo } = require('node:os');
  try {
    const home = homedir();
    return require('node:path').isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    // A user whom the system does not know, as in some containers.
    return undefined;
  }
}

/** Node restores the terminal's modes as it ends, and aborts where the terminal is gone: not of descriptors that are closed. */
function letGoOfTerminal() {
  const { closeSync, fstatSync } = require('node:fs');
  for (const descriptor of [0, 1, 2]) {
    try {
      if (fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
    } catch {
      // Closed already.
    }
  }
}
