/** An error is not remembered: in a long session, what failed may work the next time. */
export function memoize<T>(make: () => T) {
  let made: { readonly value: T } | undefined;
  const value = (): T => {
    if (made !== undefined) return made.value;
    const now = { value: make() };
    made = now;
    if (now.value instanceof Promise) {
      now.value.catch(() => {
        if (made === now) made = undefined;
      });
    }
    return now.value;
  };
  const forget = (): void => {
    made = undefined;
  };
  return Object.assign(value, { forget });
}
