import { distance } from 'fastest-levenshtein';
import { listed } from '../errors.ts';

export const edits = (word: string, other: string): number =>
  distance(word.toLowerCase(), other.toLowerCase());

/** Words that analysts use for fields of other names. */
const synonyms: Readonly<Record<string, RegExp>> = {
  amount: /usd/,
  money: /usd/,
  round: /funding|investment/,
  date: /date|_(?:on|at)$/,
  email: /profnet_url/,
  employer: /company_name/,
  title: /title|headline|role/,
  job: /position|role/,
  city: /city|location/,
  country: /country|location/,
  sector: /industry/,
  linkedin: /profnet/,
  website: /website|domain/,
  photo: /picture/,
};

/** The names that `wanted` may have meant: those that hold it, then by edits of the whole or of the last dotted part. */
export function nearest(word: string, names: readonly string[], most = 3): readonly string[] {
  const lowered = word.toLowerCase();
  const farness = (name: string): number => {
    if (name.toLowerCase().includes(lowered)) return 0;
    if (Object.hasOwn(synonyms, lowered) && synonyms[lowered]?.test(name) === true) return 0.5;
    return Math.min(edits(word, name), edits(word, lastPart(name)));
  };
  return names.toSorted((one, other) => farness(one) - farness(other)).slice(0, most);
}

const lastPart = (name: string): string => name.replace(/^.*\./, '');

/** All of them, for a list that shows the first. */
export const nearestFirst = (word: string, names: readonly string[]): string =>
  listed(nearest(word, names, names.length));
