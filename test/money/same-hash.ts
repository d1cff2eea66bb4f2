import { LineIndex } from '../../src/money/line-index.ts';

/** Two items that `LineIndex` takes for one: among some hundred thousand there are a few. */
export function sameHash(): readonly [string, string] {
  const index = new LineIndex();
  for (let number = 0; number < 10_000_000; number += 1) {
    const known = index.get(`item-${number}`);
    if (known !== undefined) return [`item-${known}`, `item-${number}`];
    index.set(`item-${number}`, number);
  }
  throw new Error('no two items have one hash');
}
