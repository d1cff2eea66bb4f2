// @ts-check
/** Loaded into each process that is compared: the day, the salts and the pauses are the same in every run. */
const crypto = require('node:crypto');

const shift = Date.parse('2026-07-01T09:30:00Z') - Date.now();
const TrueDate = Date;
const now = () => TrueDate.now() + shift;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values) => Reflect.construct(target, values.length === 0 ? [now()] : values),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

// The shortest pause before a call is sent again.
Math.random = () => 0;

// A salt that is always the same makes hashes that can be compared, whatever else draws at random before it.
Object.defineProperty(crypto, 'randomBytes', {
  value: (/** @type {number} */ size) => Buffer.alloc(size, 7),
});
