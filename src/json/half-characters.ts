/** Replaces halves of characters (lone surrogates), which JSON can hold and no other program can read. */

/** It goes with a copy by spread, and no writer of JSON sees it. */
const mended = Symbol('mended');

const mayBeHalf = /\\u[dD][89a-fA-F]/;

/** Gives the value with U+FFFD for each half of a character; most texts cannot have one, and cost nothing. */
export const withWholeCharacters = (value: unknown, text: string): unknown => (mayBeHalf.test(text) ? whole(value) : value);

/** Tells whether a half of a character was replaced in a value, or in one of a list. */
export const wasMended = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(wasMended) : typeof value === 'object' && value !== null && mended in value;

function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const elements = value.map(whole);
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, inner]) => [key.toWellFormed(), whole(inner)] as const);
  if (changed.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1])) return value;
  return Object.assign(Object.fromEntries(changed), { [mended]: true });
}
