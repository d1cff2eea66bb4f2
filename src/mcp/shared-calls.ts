/** Makes one call for all who ask the same at the same time. */

interface SharedCall<T> {
  readonly end: Promise<T>;
  readonly callers: IsGone[];
}

/** It tells whether the caller went away. */
type IsGone = () => boolean;

export interface Shared<T> {
  readonly value: T;
  /** The value is an earlier caller's, who was asked about it, and pays for it. */
  readonly joined: boolean;
}

interface SharedWork<T> {
  /** It is told to stop when all who wait for it are gone. */
  readonly work: (stopped: IsGone) => Promise<T>;
  /** It gets what came when all were gone. */
  readonly whenUnheard?: (value: T) => void;
  /** Of these values each caller wants one of its own. */
  readonly isForOne?: (value: T) => boolean;
}

export class SharedCalls<T> {
  private readonly underWay = new Map<string, SharedCall<T>>();

  has(subject: string): boolean {
    return this.underWay.has(subject);
  }

  /** @throws what the work throws. If the caller who began it went away before, another one begins anew. */
  async join(subject: string, caller: IsGone, { work, whenUnheard, isForOne }: SharedWork<T>): Promise<Shared<T>> {
    for (let shared = this.underWay.get(subject); shared !== undefined; shared = this.underWay.get(subject)) {
      shared.callers.push(caller);
      try {
        const value = await shared.end;
        if (isForOne?.(value) !== true) return { value, joined: true };
      } catch (error) {
        const [first] = shared.callers;
        if (first?.() !== true || caller()) throw error;
      }
    }
    const callers = [caller];
    const areGone = () => callers.every((isGone) => isGone());
    const end = this.ended(subject, work(areGone), (value) => {
      if (areGone()) whenUnheard?.(value);
    });
    this.underWay.set(subject, { end, callers });
    return { value: await end, joined: false };
  }

  /** In one step, so that nobody can join in between. */
  private async ended(subject: string, work: Promise<T>, then: (value: T) => void): Promise<T> {
    try {
      const value = await work;
      then(value);
      return value;
    } finally {
      this.underWay.delete(subject);
    }
  }
}
