/** Many at once, out in the order they came in, with a bounded number under way. */

/**
 * Starts `work` for each item of `source`, at most `window` started and not yet yielded, and yields the results in order,
 * each as soon as it and all before it are there. `work` must not reject: a failure is a result. Where `source` fails, what
 * was started comes out first: it may have been paid for. Where the reader leaves before the end, or a bug in `work` is the
 * end, `whenLeft` is called, if given, and what was started is finished; without it that is left alone.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<T>,
  window: number,
  work: (item: T) => Promise<R>,
  whenLeft?: () => void,
): AsyncGenerator<R> {
  const items = source[Symbol.asyncIterator]();
  const pending: Promise<R>[] = [];
  let next: Promise<IteratorResult<T> | Broken> | undefined;
  let finished = false;
  try {
    for (;;) {
      const head = pending[0];
      if (head !== undefined && (pending.length >= window || !(await nextComesFirst()))) {
        pending.shift();
        yield await head;
        continue;
      }
      next ??= advance();
      const result = await next;
      next = undefined;
      if (result instanceof Broken || result.done === true) {
        for (const rest of pending) yield await rest;
        finished = true;
        if (result instanceof Broken) throw result.reason;
        return;
      }
      const started = work(result.value);
      // Awaited in its turn; a bug that breaks it off before then must not end the process without a word.
      started.catch(() => {});
      pending.push(started);
    }
  } finally {
    // Not awaited: a source that waits for input it will never get must not hold up the end.
    items.return?.().catch(() => {});
    if (!finished && whenLeft !== undefined) {
      whenLeft();
      // A bug among them must not hide why it ended, nor leave the others unfinished.
      await Promise.allSettled(pending);
    }
  }

  function advance(): Promise<IteratorResult<T> | Broken> {
    return items.next().catch((reason: unknown) => new Broken(reason));
  }

  /** Whether the source has its next item before the oldest work is done: a slow source must not hold back what is ready. */
  function nextComesFirst(): Promise<boolean> {
    next ??= advance();
    const head = pending[0] ?? new Promise<never>(() => {});
    return Promise.race([next.then(() => true), head.then(() => false)]);
  }
}

/** A source's failure, kept until what came before it is out. */
class Broken {
  constructor(readonly reason: unknown) {}
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
