/** Computes a value at its first use. */

/** Calls `make` once and remembers its value. A thrown error is not remembered. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
