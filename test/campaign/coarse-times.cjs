/** Preloaded before pdi: every time of a file has whole seconds, as on FAT, HFS+ or sshfs. */
const fs = require('node:fs');

const second = { bigint: 1_000_000_000n, number: 1000 };

function coarse(state) {
  if (state === undefined) return state;
  for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
    for (const [key, unit] of [
      [`${name}Ns`, second.bigint],
      [`${name}Ms`, typeof state.size === 'bigint' ? BigInt(second.number) : second.number],
    ])
      if (state[key] !== undefined) state[key] -= state[key] % unit;
    state[name] = new Date(Number(state[`${name}Ms`]));
  }
  return state;
}

for (const name of ['statSync', 'lstatSync', 'fstatSync']) {
  const real = fs[name];
  fs[name] = (...given) => coarse(real(...given));
}
require('node:module').syncBuiltinESMExports();
