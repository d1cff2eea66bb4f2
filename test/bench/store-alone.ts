/** The store by itself: `node store-alone.mjs put|get|cold|nothing FOLDER ANSWERS`; `cold` prints the milliseconds of one look-up. */
import { performance } from 'node:perf_hooks';
import { writeToDisk } from '../../src/files/private.ts';
import { keyOf } from '../../src/money/store/answer-store.ts';
import { Segments } from '../../src/money/store/segments.ts';
import { openStoreFolder } from '../../src/money/store/store-folder.ts';

const [what = '', path = '', count = ''] = process.argv.slice(2);
const maxAge = 12 * 3_600_000;
const operation = 'GET /people/{personId}';
const body = JSON.stringify({ about: 'x'.repeat(2680) });

/** Opens the store as a run does, and finds one answer. */
function found(segments: Segments, number: number): void {
  const answer = segments.find(keyOf({ operation, item: `per_${number}` }), () => true)?.read();
  if (answer?.item !== `per_${number}`) throw new Error(`per_${number} is not there`);
}

const startedAt = performance.now();
const modes = openStoreFolder({ path, shared: false });
const segments = new Segments({ path, modes, appender: 'aa', clock: Date.now, write: writeToDisk });
segments.removeExpired();
segments.refresh();
if (what === 'cold') {
  found(segments, Number(count) - 7);
  // Before `process.stdout` is touched: to open that takes a millisecond, which is not the store's.
  const took = performance.now() - startedAt;
  process.stdout.write(`${took}\n`);
}
for (let number = 0; number < Number(count); number += 1) {
  const item = `per_${number}`;
  if (what === 'put') segments.addAll([{ key: keyOf({ operation, item }), at: Date.now(), operation, item, content: { body } }], maxAge);
  if (what === 'get') found(segments, number);
}
segments.close();
