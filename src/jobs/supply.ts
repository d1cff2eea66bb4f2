/** Items that come in groups, taken one by one, without a wait where they are there already. */

export class Supply<T> {
  private readonly groups: AsyncIterator<readonly T[]>;
  private group: Iterator<T> = new Set<T>().values();
  private state: 'idle' | 'reading' | 'over' = 'idle';
  private failure: { readonly reason: unknown } | undefined;

  /** `whenRead` is called once items that were asked for are there, or it is known that there are none. */
  constructor(
    source: AsyncIterable<readonly T[]>,
    private readonly whenRead: () => void,
  ) {
    this.groups = source[Symbol.asyncIterator]();
  }

  /** The next item, if it is there; if not, the next group is read. */
  next(): { readonly item: T } | undefined {
    const next = this.group.next();
    if (next.done !== true) return { item: next.value };
    if (this.state === 'idle') this.read();
    return undefined;
  }

  /** Whether all items were taken. */
  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Throws what the source ended with, if it failed. */
  conclude(): void {
    if (this.failure !== undefined) throw this.failure.reason;
  }

  /** Lets go of the source. Waits for nothing: a source that waits for input it will never get must not hold up the end. */
  close(): void {
    this.groups.return?.().catch(() => {});
  }

  private read(): void {
    this.state = 'reading';
    this.groups
      .next()
      .then(
        (group) => {
          this.state = group.done === true ? 'over' : 'idle';
          if (group.done !== true) this.group = group.value[Symbol.iterator]();
        },
        (reason: unknown) => {
          this.state = 'over';
          this.failure = { reason };
        },
      )
      .then(this.whenRead);
  }
}
