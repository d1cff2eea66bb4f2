// @ts-check
/** What files and streams hold, as text that can be compared: a workbook by its parts, for the bytes of a zip hold its date. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

/** The text of what was written, with control characters as they are. */
export function textOf(/** @type {Buffer} */ bytes) {
  // Times and ports are in it. What the book has is told by `pdi spend`, `store` and `bookmarks`.
  if (bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3') return 'a book';
  if (bytes.subarray(0, 4).toString('latin1') !== 'PK\x03\x04')
    return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('base64');
  try {
    return Object.entries(unzipSync(bytes))
      .map(
        ([name, content]) =>
          `== ${name}\n${Buffer.from(content).toString('utf8').replaceAll('><', '>\n<')}\n`,
      )
      .join('');
  } catch {
    return `no whole zip: ${bytes.toString('base64')}`;
  }
}

/** A file, folder or link below `root`, by its path there. @returns {readonly (readonly [string, string, string])[]} path, kind with mode, content */
export function leftIn(/** @type {string} */ root, below = '') {
  return readdirSync(join(root, below))
    .sort()
    .flatMap((name) => {
      const path = join(below, name);
      const whole = join(root, path);
      const state = lstatSync(whole);
      const mode = (state.mode & 0o7777).toString(8).padStart(4, '0');
      if (state.isSymbolicLink()) return [[path, 'link', readlinkSync(whole)]];
      if (state.isDirectory()) return [[path, `folder ${mode}`, ''], ...leftIn(root, path)];
      if (!state.isFile()) return [[path, `special ${mode}`, '']];
      return [
        [
          path,
          `file ${mode}${state.nlink > 1 ? ` with ${state.nlink} names` : ''}`,
          textOf(readFileSync(whole)),
        ],
      ];
    });
}
