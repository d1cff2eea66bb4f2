/** Does at once what is asked for at one moment: one write of ten lines takes hardly longer than that of one. */

interface WaitingPart<T, R> {
  readonly part: T;
  readonly resolve: (result: R) => void;
}

/** Collects what is asked for at this moment, before any timer, signal or answer. `work` gives a result for each and must not throw. */
export function gather<T, R>(work: (parts: readonly T[]) => readonly R[]): (part: T) => Promise<R> {
  let waiting: WaitingPart<T, R>[] = [];
  const doAll = () => {
    const gathered = waiting;
    waiting = [];
    const results = work(gathered.map(({ part }) => part));
    for (const [place, result] of results.entries()) gathered[place]?.resolve(result);
  };
  return (part) =>
    new Promise((resolve) => {
      if (waiting.push({ part, resolve }) === 1) void Promise.resolve().then(doAll);
    });
}
