/** Turns "signal has subjects" into "subject has signals" with two flat arrays; 400,000 signals take a few milliseconds. */

type Inverse = (owner: number) => Uint32Array;

/** Inverts `ownersOf`, which names the owners (from 1) of an item (from 0). It is built on first use, because most runs never ask. */
export function inverse(items: number, owners: number, ownersOf: (item: number) => readonly number[]): Inverse {
  let built: Inverse | undefined;
  return (owner) => {
    built ??= build(items, owners, ownersOf);
    return built(owner);
  };
}

function build(items: number, owners: number, ownersOf: (item: number) => readonly number[]): Inverse {
  const starts = new Uint32Array(owners + 2);
  for (let item = 0; item < items; item++) for (const owner of ownersOf(item)) starts[owner + 1] = (starts[owner + 1] ?? 0) + 1;
  for (let owner = 1; owner < starts.length; owner++) starts[owner] = (starts[owner] ?? 0) + (starts[owner - 1] ?? 0);
  const next = starts.slice();
  const sorted = new Uint32Array(starts.at(-1) ?? 0);
  for (let item = 0; item < items; item++) {
    for (const owner of ownersOf(item)) {
      const at = next[owner] ?? 0;
      sorted[at] = item;
      next[owner] = at + 1;
    }
  }
  return (owner) => sorted.subarray(starts[owner], starts[owner + 1]);
}
