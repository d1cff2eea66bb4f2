/** Defines saved searches. Section "Saved search details". */
import * as z from 'zod/mini';
import type { SignalFacts, Signals } from './signals.ts';

const filters = z.strictObject({
  signal_type: z.optional(z.enum(['Company', 'Talent'])),
  min_score: z.optional(z.number()),
  source_type: z.optional(z.string()),
});

export type StoredSearch = (typeof storedSearches)[number];

/** Gives the places of the signals that it finds; undefined if its stored filters cannot be parsed. */
export function placesOf(search: StoredSearch, { places, facts }: Pick<Signals, 'places' | 'facts'>): readonly number[] | undefined {
  const { data: wanted } = z.safeParse(filters, parsed(search.filters));
  return wanted === undefined ? undefined : places.filter((place) => isMatch(wanted, facts(place)));
}

function parsed(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}

const isMatch = (wanted: z.infer<typeof filters>, facts: SignalFacts): boolean =>
  (wanted.signal_type ?? facts.type) === facts.type &&
  facts.score >= (wanted.min_score ?? 0) &&
  (wanted.source_type === undefined || facts.sourceTypes.includes(wanted.source_type));

const everything = '{}';

export const storedSearches = [
  { id: 101, name: 'Founders on the move', product: 'talent', sharing: 'shared', filters: '{"signal_type":"Talent","min_score":6}' },
  { id: 102, name: 'Recommended talent', product: 'talent', sharing: 'global', filters: '{"signal_type":"Talent"}' },
  { id: 103, name: 'Fresh rounds', product: 'funding_rounds', sharing: 'shared', filters: '{"signal_type":"Company"}' },
  { id: 104, name: 'Recommended rounds', product: 'funding_rounds', sharing: 'global', filters: '{"min_score":8}' },
  { id: 105, name: 'Example companies', product: 'company', sharing: 'shared', filters: '{"signal_type":"Company","min_score":5}' },
  { id: 106, name: 'Angels', product: 'investors', sharing: 'shared', filters: '{"source_type":"angel"}' },
  { id: 107, name: 'People in climate tech', product: 'people', sharing: 'global', filters: everything },
  { id: 108, name: 'The team’s own talent', product: 'talent', sharing: 'team', filters: everything },
  { id: 109, name: 'The team’s own rounds', product: 'funding_rounds', sharing: 'team', filters: everything },
  { id: 110, name: 'Broken by an old release', product: 'talent', sharing: 'shared', filters: '{"signal_type":' },
  { id: 111, name: 'Nobody matches this', product: 'talent', sharing: 'shared', filters: '{"min_score":11}' },
] as const;
