// @ts-check
/** In what two records of one command line differ, in few words. */

/** @typedef {import('./recorder.mjs').Seen} Seen */

/** Lines shown of each side, and characters of each. */
const shownLines = 4;
const shownWidth = 200;

/** With control characters in sight. */
const visible = (/** @type {string} */ text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');

/** From the first character that differs on, with a few before it: the difference may stand far out in a line. */
function cut(/** @type {string} */ line, /** @type {number} */ from) {
  const start = from < shownWidth / 2 ? 0 : from - 40;
  const text = visible(line.slice(start, start + shownWidth));
  return `${start > 0 ? '…' : ''}${text}${line.length > start + shownWidth ? '…' : ''}`;
}

/** @param {string} sign @param {readonly string[]} some @param {readonly string[]} others */
function shown(sign, some, others) {
  const rows = some.slice(0, shownLines).map((line, index) => {
    const other = others[index] ?? '';
    let same = 0;
    while (same < line.length && line[same] === other[same]) same += 1;
    return `${sign} ${cut(line, same)}`;
  });
  return some.length > shownLines ? [...rows, `${sign} … ${some.length - shownLines} lines more`] : rows;
}

/** The lines that differ, without those that both begin or end with. */
function difference(/** @type {string} */ old, /** @type {string} */ now) {
  const [before, after] = [old.split('\n'), now.split('\n')];
  while (before.length > 0 && after.length > 0 && before[0] === after[0]) for (const lines of [before, after]) lines.shift();
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) for (const lines of [before, after]) lines.pop();
  return [...shown('-', before, after), ...shown('+', after, before)].join('\n');
}

/** One text for each thing that differs. @returns {readonly string[]} */
export function differences(/** @type {Seen | undefined} */ old, /** @type {Seen | undefined} */ now) {
  if (old === undefined || now === undefined) return [`only in the ${old === undefined ? 'new' : 'old'} record`];
  const all = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...all].flatMap((what) => {
    const [before, after] = [old[what], now[what]];
    if (before === after) return [];
    if (before === undefined) return [`${what}: only with the new build`];
    if (after === undefined) return [`${what}: only with the old build`];
    return [`${what}:\n${difference(before, after)}`];
  });
}
