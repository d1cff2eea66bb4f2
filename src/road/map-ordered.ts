import { endOfTurn } from '../files/gather.ts';

/**
 * Starts `work` for each item, with at most `window` items started and not yet yielded, and yields the results in input order, those that
 * are there at the same time together. `work` must not reject: a failure is a result. Where `source` fails, what was started comes out
 * first, because it may have been paid for. If the reader leaves or `work` has a bug, `whenLeft` is called and what was started is
 * finished; without `whenLeft` it is left alone.
 */
export async function* mapOrdered<T, R>(
  source: AsyncIterable<readonly T[]>,
  window: number,
  work: (item: T) => Promise<R>,
  whenLeft?: () => void,
): AsyncGenerator<readonly R[]> {
  let wake = () => {};
  const supply = new Supply(source, () => wake());
  const started: StartedItem<R>[] = [];
  const nextItem = () => (started.length < window ? supply.next() : undefined);
  let gathered = false;
  let finished = false;
  try {
    while (!finished) {
      for (let next = nextItem(); next !== undefined; next = nextItem()) started.push(new StartedItem(work(next.item), () => wake()));
      if (started[0]?.outcome !== undefined) {
        // After a turn of the event loop, all answers that came in together are there.
        if (!gathered && started.some(({ outcome }) => outcome === undefined)) await endOfTurn();
        else yield takeResults(started);
        gathered = !gathered;
      } else if (started.length === 0 && supply.isOver) finished = true;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    supply.conclude();
  } finally {
    supply.close();
    if (!finished && whenLeft !== undefined) {
      whenLeft();
      await Promise.all(started.map(({ ended }) => ended));
    }
  }
}

/** Takes the finished results off the front. @throws the bug that comes first instead */
function takeResults<R>(started: StartedItem<R>[]): readonly R[] {
  const results: R[] = [];
  for (let [oldest] = started; oldest?.outcome !== undefined; [oldest] = started) {
    if ('bug' in oldest.outcome) {
      if (results.length > 0) break;
      throw oldest.outcome.bug;
    }
    results.push(oldest.outcome.result);
    started.shift();
  }
  return results;
}

/** Gives the items of groups one by one, without a wait where they are there already. */
class Supply<T> {
  private readonly groups: AsyncIterator<readonly T[]>;
  private group: Iterator<T> = new Set<T>().values();
  private state: 'idle' | 'reading' | 'over' = 'idle';
  private failure: { readonly reason: unknown } | undefined;

  /** `whenRead` is called once more items are there, or once it is known that there are none. */
  constructor(
    source: AsyncIterable<readonly T[]>,
    private readonly whenRead: () => void,
  ) {
    this.groups = source[Symbol.asyncIterator]();
  }

  /** Gives the next item if it is there. If not, the next group is read. */
  next(): { readonly item: T } | undefined {
    const next = this.group.next();
    if (next.done !== true) return { item: next.value };
    if (this.state === 'idle') this.read();
    return undefined;
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  conclude(): void {
    if (this.failure !== undefined) throw this.failure.reason;
  }

  /** It does not wait, because the source may wait for input that never comes. */
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

class StartedItem<R> {
  outcome: { readonly result: R } | { readonly bug: unknown } | undefined;
  /** It does not reject, because a bug waits for its turn and must not end the process before. */
  readonly ended: Promise<void>;

  constructor(promise: Promise<R>, whenOver: () => void) {
    const end = (outcome: StartedItem<R>['outcome']) => {
      this.outcome = outcome;
      whenOver();
    };
    this.ended = promise.then(
      (result) => end({ result }),
      (bug: unknown) => end({ bug }),
    );
  }
}

/** Runs at most `limit` tasks at once; the others wait their turn in order. */
export function semaphore(limit: number): <R>(task: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
