/** Names that a mistyped one may have meant. */
import { distance } from 'fastest-levenshtein';

export const edits = (one: string, other: string): number => distance(one.toLowerCase(), other.toLowerCase());

/** Gives the three names nearest to `wanted`: those that hold it, then by edits. The last part of a dotted name counts as the whole. */
export function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const lowered = wanted.toLowerCase();
  const farness = (name: string): number => {
    if (lowered !== '' && name.toLowerCase().includes(lowered)) return 0;
    return Math.min(edits(wanted, name), edits(wanted, lastPart(name)));
  };
  return names.toSorted((one, other) => farness(one) - farness(other)).slice(0, 3);
}

const lastPart = (name: string): string => name.replace(/^.*\./, '');
