#!/usr/bin/env node

const { beforeConnecting, keepCompiled, keepYoungGenerationSmall } = require('./engine.js');

// Bun, which makes one file of Node and all this, has a folder of its own in it.
const isOneFile = /^(?:\/|[A-Z]:[\\/])(?:\$bunfs|~BUN)[\\/]/.test(process.argv[1]);

// The version is told before anything is loaded that would be worth it.
if (process.argv[2] !== '--version') keepCompiled(homeDirectory);
const { main } = require('../dist/main.cjs');
keepYoungGenerationSmall();

// Node would open a debugger port on this signal, and the key is in memory.
process.on('SIGUSR1', () => {});

// Node 22 calls its SQLite an experiment each time, which no user of pdi can act on.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith('SQLite is an experimental feature'))
    emitWarning.call(process, warning, ...rest);
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
  program: isOneFile ? [process.execPath] : [process.execPath, __filename],
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
  beforeConnecting,
  limitLookup,
}).then((code) => {
  process.off('exit', sayThatItStalled);
  process.exitCode = code;
});

function sayThatItStalled() {
  try {
    require('node:fs').writeSync(
      2,
      'pdi: a bug: the run ended without an end; please report it, with the command\n',
    );
  } catch {
    // Nobody reads it any more.
  }
}

/**
 * A name lookup is the system's: nothing cancels it, and a process ends only after it. With a name server that is silent it takes
 * twice five seconds for each server: where less time is given, the system (glibc) is told to take no more.
 */
function limitLookup(milliseconds) {
  if (process.env.RES_OPTIONS !== undefined || milliseconds >= 10_000) return;
  const [seconds, attempts] =
    milliseconds < 4000
      ? [Math.floor(milliseconds / 1000), 1]
      : [Math.floor(milliseconds / 2000), 2];
  process.env.RES_OPTIONS = `timeout:${Math.max(1, seconds)} attempts:${attempts}`;
}

/** Where a name lookup would hold the end up, the signal itself does it: a shell makes the same code of that. */
function exitNow(code) {
  process.off('exit', sayThatItStalled);
  const signal = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }[code];
  if (
    signal !== undefined &&
    process.platform !== 'win32' &&
    process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  ) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(code);
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
