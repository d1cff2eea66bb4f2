/** What is computed at its first use. */

/** Gives what `make` gives, which is called once; what it throws is not remembered. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
