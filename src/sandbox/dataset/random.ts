/** Makes seeded draws. Every record has its own generator, so record N does not need the records before it. */

export type Random = () => number;

export type NonEmpty<T> = readonly [T, ...T[]];

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Spreads neighbouring seeds and indexes over all 32 bits. */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** `streamOf(1, 'person', 17)` draws person 17 of seed 1. */
export function streamOf(seed: number, name: string, index: number): Random {
  let state = mixed(mixed(hashText(name) ^ mixed(seed)) ^ Math.imul(index + 1, 0x9e3779b1));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x100000000;
  };
}

export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export const pick = <T>(random: Random, items: NonEmpty<T>): T =>
  items[Math.floor(random() * items.length)] ?? items[0];

/** Returns `amount` different items, or all of them, in the order of `items` from a drawn start. */
export function pickSome<T>(random: Random, items: NonEmpty<T>, amount: number): T[] {
  const start = between(random, 0, items.length - 1);
  return [...items.slice(start), ...items.slice(0, start)].slice(0, amount);
}
