import { distance } from 'fastest-levenshtein';

export const edits = (one: string, other: string): number => distance(one.toLowerCase(), other.toLowerCase());

/** The three names that `wanted` may have meant: those that hold it, then by edits of the whole or of the last dotted part. */
export function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const lowered = wanted.toLowerCase();
  const farness = (name: string): number => {
    if (lowered !== '' && name.toLowerCase().includes(lowered)) return 0;
    return Math.min(edits(wanted, name), edits(wanted, lastPart(name)));
  };
  return names.toSorted((one, other) => farness(one) - farness(other)).slice(0, 3);
}

const lastPart = (name: string): string => name.replace(/^.*\./, '');
