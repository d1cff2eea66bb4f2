/** Tells in which line an item stands, by a hash, in 8 to 32 bytes an item. Of two equal hashes the later wins, so check the line. */
export class LineIndex {
  private hashes = new Uint32Array(smallest);
  /** Lines count from 1, and 0 marks a free place. */
  private lines = new Uint32Array(smallest);
  private filled = 0;

  get size(): number {
    return this.filled;
  }

  set(item: string, line: number): void {
    if (this.filled * 2 >= this.lines.length) this.grow();
    this.put(hashOf(item), line + 1);
  }

  get(item: string): number | undefined {
    const line = this.lines[this.placeOf(hashOf(item))];
    return line === undefined || line === 0 ? undefined : line - 1;
  }

  private put(hash: number, line: number): void {
    const place = this.placeOf(hash);
    if (this.lines[place] === 0) this.filled += 1;
    this.hashes[place] = hash;
    this.lines[place] = line;
  }

  /** Gives the place of a hash, or the free place where it belongs. There is always one. */
  private placeOf(hash: number): number {
    const last = this.lines.length - 1;
    let place = hash & last;
    while (this.lines[place] !== 0 && this.hashes[place] !== hash) place = (place + 1) & last;
    return place;
  }

  private grow(): void {
    const { hashes, lines } = this;
    this.hashes = new Uint32Array(hashes.length * 2);
    this.lines = new Uint32Array(lines.length * 2);
    this.filled = 0;
    for (const [place, line] of lines.entries()) if (line !== 0) this.put(hashes[place] ?? 0, line);
  }
}

/** It is a power of two. */
const smallest = 1024;

/** This is FNV-1a of the text's 16-bit units, mixed once more, because neighbouring numbers differ in their last bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
