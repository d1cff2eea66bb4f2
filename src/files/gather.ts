/** Does together what is asked for in one turn of the event loop: a transaction of ten calls takes hardly longer than that of one. */

let turn: Promise<void> | undefined;

export function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/** `work` gives a result for each part, in order; where it fails, it fails for each. */
export function gather<T, R>(
  work: (parts: readonly T[]) => Promise<readonly R[]>,
): (part: T) => Promise<R> {
  let waiting: {
    readonly part: T;
    readonly resolve: (result: R) => void;
    readonly reject: (reason: unknown) => void;
  }[] = [];
  const doAll = async () => {
    await endOfTurn();
    const gathered = waiting;
    waiting = [];
    try {
      const results = await work(gathered.map(({ part }) => part));
      for (const [place, result] of results.entries()) gathered[place]?.resolve(result);
    } catch (error) {
      for (const { reject } of gathered) reject(error);
    }
  };
  return (part) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ part, resolve, reject }) === 1) void doAll();
    });
}
