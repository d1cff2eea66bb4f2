// @ts-check
/** Loaded into a measured process: what is written to the spend ledger goes nowhere, to tell what writing it costs. */
const fs = require('node:fs');

/** @type {Set<unknown>} */
const ledgers = new Set();
const { openSync, writeSync } = fs;

Object.assign(fs, {
  openSync(/** @type {string} */ path, /** @type {Parameters<typeof openSync>[1]} */ flags, /** @type {fs.Mode} */ mode) {
    const descriptor = openSync(path, flags, mode);
    if (String(path).endsWith('ledger.ndjson')) ledgers.add(descriptor);
    return descriptor;
  },
  writeSync(/** @type {number} */ descriptor, /** @type {Uint8Array} */ bytes, /** @type {number[]} */ ...rest) {
    return ledgers.has(descriptor) ? bytes.length : writeSync(descriptor, bytes, ...rest);
  },
});
