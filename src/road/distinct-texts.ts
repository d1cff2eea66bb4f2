/** Tells texts that came before from new ones, in 11 to 21 bytes a text, and half as much again while it grows. Pure. */

/** It keeps fingerprints of 63 bits: among 8,000,000 texts, two are taken for one in one of 200,000 runs. */
export class DistinctTexts {
  /** Two numbers a slot; an empty slot has 0 and 0. */
  private slots = new Uint32Array(64);
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(text: string): boolean {
    if (this.count * 8 >= this.slots.length * 3) this.grow();
    if (!this.put(...fingerprint(text))) return false;
    this.count += 1;
    return true;
  }

  private put(first: number, second: number): boolean {
    const { slots } = this;
    const last = slots.length / 2 - 1;
    for (let slot = first & last; ; slot = (slot + 1) & last) {
      const at = slot * 2;
      if (slots[at + 1] === 0) {
        slots[at] = first;
        slots[at + 1] = second;
        return true;
      }
      if (slots[at] === first && slots[at + 1] === second) return false;
    }
  }

  private grow(): void {
    const { slots } = this;
    this.slots = new Uint32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at += 2) {
      const second = slots[at + 1] ?? 0;
      if (second !== 0) this.put(slots[at] ?? 0, second);
    }
  }
}

/** Two hashes with the multipliers and the last steps of MurmurHash3. The second is never 0. */
export function fingerprint(text: string): readonly [number, number] {
  let first = text.length;
  let second = ~text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0xcc9e2d51);
    first ^= first >>> 15;
    second = Math.imul(second ^ unit, 0x1b873593);
    second ^= second >>> 13;
  }
  return [mixed(first) >>> 0, (mixed(second) | 1) >>> 0];
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}
