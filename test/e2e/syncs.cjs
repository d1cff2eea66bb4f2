/**
 * Loaded into a process, tells in the file SYNCS what it made the disk do, in order: one JSON object a line. Files are told
 * by their inodes, which a new name does not change. A sync counts from when it is done, all else from when it begins.
 */
const fs = require('node:fs');
const { fstatSync, lstatSync, writeFileSync } = fs;

const events = [];
const file = (descriptor) => {
  const { ino, size } = fstatSync(descriptor);
  return { inode: ino, size };
};
/** What calls do, by what they are given. */
const told = {
  sync: (descriptor) => ({ did: 'sync', ...file(descriptor) }),
  close: (descriptor) => ({ did: 'close', ...file(descriptor) }),
  rename: (from, to) => ({ did: 'rename', inode: lstatSync(from).ino, path: to }),
  unlink: (path) => ({ did: 'unlink', inode: lstatSync(path).ino, path }),
};

function eventOf(what, given) {
  try {
    return told[what](...given);
  } catch {
    // The call itself will say what is wrong.
    return { did: 'nothing' };
  }
}

/** Puts in the place of `owner[name]` what tells and then does the same; `first` is what `told` is given before the rest. */
function watch(owner, name, what, ...first) {
  const work = owner[name];
  owner[name] = (...given) => {
    events.push(eventOf(what, [...first, ...given]));
    return work.apply(owner, given);
  };
}

/** The same of a sync, which is done later. */
function watchLater(owner, name, ...first) {
  const work = owner[name];
  owner[name] = async (...given) => {
    await work.apply(owner, given);
    events.push(eventOf('sync', [...first, ...given]));
  };
}

for (const name of ['fsyncSync', 'fdatasyncSync']) watch(fs, name, 'sync');
for (const name of ['close', 'closeSync']) watch(fs, name, 'close');
for (const form of [fs, fs.promises]) {
  watch(form, 'rename', 'rename');
  for (const name of ['unlink', 'rm']) watch(form, name, 'unlink');
}
watch(fs, 'renameSync', 'rename');
for (const name of ['unlinkSync', 'rmSync']) watch(fs, name, 'unlink');

for (const name of ['fsync', 'fdatasync']) {
  const work = fs[name];
  fs[name] = (descriptor, done) =>
    work(descriptor, (error) => {
      events.push(eventOf('sync', [descriptor]));
      done(error);
    });
}

const { open } = fs.promises;
fs.promises.open = async (...given) => {
  const handle = await open(...given);
  for (const name of ['sync', 'datasync']) watchLater(handle, name, handle.fd);
  watch(handle, 'close', 'close', handle.fd);
  return handle;
};

process.on('exit', () => {
  writeFileSync(
    process.env.SYNCS ?? '',
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
});
