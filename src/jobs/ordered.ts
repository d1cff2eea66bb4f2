/** Many at once, out in the order they came in, with a bounded number under way. */
import { Supply } from './supply.ts';

/**
 * Starts `work` for each item of `source`, at most `window` started and not yet yielded, and yields the results in order, each
 * as soon as it and all before it are there; those that are there at the same time come together. `work` must not reject: a
 * failure is a result. Where `source` fails, what was started comes out first: it may have been paid for. Where the reader
 * leaves before the end, or a bug in `work` is the end, `whenLeft` is called, if given, and what was started is finished;
 * without it that is left alone.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<readonly T[]>,
  window: number,
  work: (item: T) => Promise<R>,
  whenLeft?: () => void,
): AsyncGenerator<readonly R[]> {
  let wake = () => {};
  const supply = new Supply(source, () => wake());
  const started: Work<R>[] = [];
  const nextItem = () => (started.length < window ? supply.next() : undefined);
  let gathered = false;
  let finished = false;
  try {
    while (!finished) {
      for (let next = nextItem(); next !== undefined; next = nextItem()) started.push(new Work(work(next.item), () => wake()));
      if (started[0]?.outcome !== undefined) {
        // Answers that came in together are all there after a turn of the event loop.
        if (!gathered && started.some(({ outcome }) => outcome === undefined)) await turn();
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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes the results that are there off the front. @throws the bug that stands there instead */
function takeResults<R>(started: Work<R>[]): readonly R[] {
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

/** The work on one item, under way or over. */
class Work<R> {
  outcome: { readonly result: R } | { readonly bug: unknown } | undefined;
  /** Does not reject: a bug waits for its turn, and must not end the process without a word before. */
  readonly ended: Promise<void>;

  constructor(promise: Promise<R>, whenOver: () => void) {
    const end = (outcome: Work<R>['outcome']) => {
      this.outcome = outcome;
      whenOver();
    };
    this.ended = promise.then(
      (result) => end({ result }),
      (bug: unknown) => end({ bug }),
    );
  }
}

/** At most `limit` tasks at once; the others wait their turn in order. */
export function limiter(limit: number): <R>(task: () => Promise<R>) => Promise<R> {
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
