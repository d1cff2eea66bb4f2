/** Counts as sentences say them. */

/** `1 row`, `2 rows`; the plural is the noun with an s. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
