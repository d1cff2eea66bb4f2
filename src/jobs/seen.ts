/** The identities of the records that were there before. */

/** At first; there are always twice as many as identities. A power of two, so that a hash has its slot by its last bits. */
const firstSlots = 1024;

/**
 * A set of strings that is only added to. The engine's own looks at each string that shares a place with the one asked for,
 * wherever that lies in memory, and takes twice as long for a hundred thousand of them; this one compares hashes first.
 */
export class Seen {
  private readonly identities: string[] = [];
  /** Of each identity, in the same order. */
  private readonly hashes: number[] = [];
  /** At a hash, or behind it where that is taken: the number of an identity, from 1. 0 is free. */
  private slots = new Int32Array(firstSlots);
  /** Another in each run: a service that knew it could choose identities that all share a slot. */
  private readonly seed = (Math.random() * 2 ** 32) | 0;

  get size(): number {
    return this.identities.length;
  }

  /** Whether the identity was not there before; it is from now on. */
  add(identity: string): boolean {
    const hash = hashOf(identity, this.seed);
    let slot = hash;
    for (let number = this.at(slot); number !== 0; number = this.at(slot)) {
      if (this.hashes[number - 1] === hash && this.identities[number - 1] === identity) return false;
      slot += 1;
    }
    this.identities.push(identity);
    this.hashes.push(hash);
    this.put(slot, this.size);
    if (this.size * 2 > this.slots.length) this.makeRoom();
    return true;
  }

  private at(slot: number): number {
    return this.slots[slot & (this.slots.length - 1)] ?? 0;
  }

  private put(slot: number, number: number): void {
    this.slots[slot & (this.slots.length - 1)] = number;
  }

  private makeRoom(): void {
    this.slots = new Int32Array(this.slots.length * 4);
    for (const [index, hash] of this.hashes.entries()) {
      let slot = hash;
      while (this.at(slot) !== 0) slot += 1;
      this.put(slot, index + 1);
    }
  }
}

/** FNV-1a from a start of our own, of which only the bits are kept that the engine holds as a small integer. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & 0x3fffffff;
}
