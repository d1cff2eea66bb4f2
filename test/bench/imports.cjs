// @ts-check
/** Loaded into a process: writes what modules it loaded and how long each took, without those that it loaded in turn. */
const Module = require('node:module');
const { statSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');

/** @typedef {{ name: string, bytes: number, selfMs: number }} Loaded */

/** @type {Map<string, Loaded>} */
const loaded = new Map();
/** Of the modules that are being loaded, the outermost first: time spent in others. */
const within = [0];
const hooks = /** @type {{ _load: (request: string, parent: unknown, isMain: boolean) => unknown }} */ (/** @type {unknown} */ (Module));
const load = hooks._load;
// Its clock is a module too.
performance.now();
/** The engine's own modules so far. */
const before = new Set(engineModules());

/** Also those that Node loads by itself, as for `process.stdout`. */
function engineModules() {
  const { moduleLoadList } = /** @type {{ moduleLoadList: string[] }} */ (/** @type {unknown} */ (process));
  return moduleLoadList.map((entry) => entry.replace(/^NativeModule /, '')).filter((name) => Module.builtinModules.includes(name));
}

hooks._load = function timed(request, parent, isMain) {
  within.push(0);
  const startedAt = performance.now();
  try {
    return load.call(this, request, parent, isMain);
  } finally {
    const whole = performance.now() - startedAt;
    const self = whole - (within.pop() ?? 0);
    within.push((within.pop() ?? 0) + whole);
    const name = Module.isBuiltin(request) ? `node:${request.replace('node:', '')}` : basename(request);
    const entry = loaded.get(name) ?? { name, bytes: 0, selfMs: 0 };
    entry.selfMs += self;
    loaded.set(name, entry);
  }
};

process.on('exit', () => {
  for (const path of Object.keys(require.cache)) {
    const entry = loaded.get(basename(path));
    if (entry !== undefined) entry.bytes = statSync(path).size;
  }
  const unasked = engineModules().filter((name) => !before.has(name) && !loaded.has(`node:${name}`));
  writeFileSync(process.env.BENCH_IMPORTS ?? '', JSON.stringify({ modules: [...loaded.values()], unasked }));
});
