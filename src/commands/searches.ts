/** `pdi searches` reads the details of saved searches; each id is one call. */
import type { Words } from '../cli/command.ts';
import { lookupCommand } from './lookup.ts';

export const searches: Words = {
  words: 'searches',
  summary: 'details of saved searches by id',
  brief: 'saved searches',
  description: 'Read name, product and count of saved searches that are shared with the API or global; never the records.',
};

const argument = ['searchId', 'search ids: integers'] as const;
const identifierColumns = ['search_id', 'id'];
const request = (searchId: string) => ({ path: { searchId } });

export const fundingRoundsSearch = lookupCommand({
  words: 'searches funding-rounds',
  summary: 'saved funding-rounds searches',
  description: 'Read the details of saved funding-rounds searches. The price of a call is not documented.',
  argument,
  identifierColumns,
  endpoint: async () => (await import('../contract/searches.ts')).getFundingRoundsSearch,
  request,
  examples: [
    ['pdi searches funding-rounds 103', 'name and count of one saved search'],
    ['pdi searches funding-rounds 103 104 -o csv', 'several, as CSV'],
  ],
});

export const talentSearch = lookupCommand({
  words: 'searches talent',
  summary: 'saved talent searches',
  description: 'Read the details of saved talent searches. The price of a call is not documented.',
  argument,
  identifierColumns,
  endpoint: async () => (await import('../contract/searches.ts')).getTalentSearch,
  request,
  examples: [
    ['pdi searches talent 101', 'name and count of one saved search'],
    ["pdi searches talent 101 -o json | jq '.full_count'", 'how many records it has'],
  ],
});
