// @ts-check
/** Loaded into a measured process: the spend ledger takes what is written to it and stays empty, to tell what writing it costs. */
const fs = require('node:fs');

/** @type {Set<unknown>} */
const ledgers = new Set();
const { openSync, writeSync } = fs;

Object.assign(fs, {
  openSync(/** @type {string} */ path, /** @type {Parameters<typeof openSync>[1]} */ flags, /** @type {fs.Mode} */ mode) {
    const descriptor = openSync(path, flags, mode);
    if (/ledger-[^/]*\.ndjson$/.test(String(path))) ledgers.add(descriptor);
    return descriptor;
  },
  writeSync(/** @type {[number, Uint8Array, number, number, number | null]} */ ...asked) {
    const [descriptor, , , length] = asked;
    return ledgers.has(descriptor) ? length : writeSync(...asked);
  },
});
