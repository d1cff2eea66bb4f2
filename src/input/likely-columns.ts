/** Puts the columns first that may hold the identifier, where a table has none of the names that a command looks for. */
import { edits } from '../contract/nearest.ts';

/** It holds the shapes of identifiers by the name of their field; ids of companies and vanity ids look like any word. */
const shapes: Readonly<Record<string, RegExp>> = {
  person_id: /^per_\w/,
  profnet_url: /\/in\/[^/]/i,
  profnet_urn: /^urn:/i,
  website: /^(?:https?:\/\/)?(?:[\w-]+\.)+[a-z]{2,}(?:[/?#]|$)/i,
  search_id: /^\d+$/,
};

const sampled = 200;
const leastShare = 0.3;

interface LikelyColumns {
  /** It holds likely names by their cells, then those spelled alike, then the others as they stand. */
  readonly names: readonly string[];
  readonly likeliest: string | undefined;
  /** It is true if a name looks like an identifier itself: then the first row is no header. */
  readonly lacksHeader: boolean;
}

export function likelyColumns(header: readonly string[], rows: readonly (readonly string[])[], wanted: readonly string[]): LikelyColumns {
  const patterns = wanted.flatMap((name) => shapes[name] ?? []);
  const shares = header.map((_name, at) =>
    shareOf(
      rows.slice(0, sampled).map((cells) => cells[at]?.trim() ?? ''),
      patterns,
    ),
  );
  const places = header.map((_name, at) => at);
  const likely = places.filter((at) => (shares[at] ?? 0) >= leastShare).sort((one, other) => (shares[other] ?? 0) - (shares[one] ?? 0));
  const alike = places.filter((at) => !likely.includes(at) && wanted.some((name) => isNear(header[at] ?? '', name)));
  const rest = places.filter((at) => !likely.includes(at) && !alike.includes(at));
  return {
    names: [...likely, ...alike, ...rest].map((at) => header[at] ?? ''),
    likeliest: likely[0] === undefined ? undefined : header[likely[0]],
    lacksHeader: likely.some((at) => patterns.some((pattern) => pattern.test(header[at] ?? ''))),
  };
}

function shareOf(cells: readonly string[], patterns: readonly RegExp[]): number {
  const filled = cells.filter((cell) => cell !== '');
  return filled.length === 0 ? 0 : filled.filter((cell) => patterns.some((pattern) => pattern.test(cell))).length / filled.length;
}

const isNear = (name: string, wanted: string): boolean => edits(name, wanted) <= Math.max(1, Math.floor(wanted.length / 3));
