/** Names that a mistyped one may have meant. */
import { distance } from 'fastest-levenshtein';

/** The three names that are nearest to `wanted`: those that hold it, then by edits; the last part of a dotted name counts as the whole does. */
export function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const lowered = wanted.toLowerCase();
  const farness = (name: string): number => {
    if (lowered !== '' && name.toLowerCase().includes(lowered)) return 0;
    return Math.min(distance(lowered, name.toLowerCase()), distance(lowered, lastPart(name)));
  };
  return names.toSorted((one, other) => farness(one) - farness(other)).slice(0, 3);
}

const lastPart = (name: string): string => name.toLowerCase().replace(/^.*\./, '');
