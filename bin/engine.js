/** What is told to the engine, with what each gains; without any of it pdi does the same, slower or in more memory. */
const isNode20 = process.versions.node.startsWith('20.');

/** The engine of Node 20 alone, before the first call. */
function beforeConnecting() {
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
}

/**
 * From Node 24 on what is new in the heap may take 64 MB instead of 32, and what it holds gets old there: a job of a million rows takes
 * 260 MB, and 190 with this, for a tenth more of the processor; profiles converted to parquet 276, and 184 with this, for no more.
 * It is too late to name the limit, but not to end the growth.
 */
function keepYoungGenerationSmall() {
  if (isNode20) return;
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
 * From Node 22 on the next start takes what this one compiled, which makes it shorter by 9 to 21 of 100: from a folder that nobody else
 * writes, because it is run as it stands.
 */
function keepCompiled(homeDirectory) {
  const { enableCompileCache } = require('node:module');
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = process.env;
  if (enableCompileCache === undefined || NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  const { existsSync, lstatSync, mkdirSync } = require('node:fs');
  const { isAbsolute, join } = require('node:path');
  try {
    const own = { win32: 'AppData/Local', darwin: 'Library/Caches' }[process.platform] ?? '.cache';
    const caches = [XDG_CACHE_HOME, LOCALAPPDATA].find(isAbsolute) ?? join(homeDirectory(), own);
    // Windows has the book in a folder of the other name there.
    const folder = join(caches, process.platform === 'win32' ? 'pdi-cache' : 'pdi');
    // Node's `recursive` never ends below /proc and the like.
    for (const each of [caches, folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const status = lstatSync(folder);
    const isOurs =
      process.platform === 'win32' ||
      (status.uid === process.getuid() && (status.mode & 0o022) === 0);
    if (status.isDirectory() && isOurs) enableCompileCache(folder);
  } catch {
    // Without it the program starts all the same.
  }
}

module.exports = { beforeConnecting, keepCompiled, keepYoungGenerationSmall };
