/** `pdi person` reads full profiles; each id is one charged call. */
import { lookupCommand } from './lookup.ts';

export const person = lookupCommand({
  words: 'person',
  summary: 'full profiles by person id (charged, 1 a call)',
  brief: 'full profiles (charged)',
  description: 'Read full person profiles. Charged: one call a distinct id.',
  argument: ['personId', 'person ids, such as `pdi resolve` gives'],
  identifierColumns: ['person_id', 'matches.0.person_id'],
  endpoint: async () => (await import('../contract/person.ts')).getPerson,
  request: (personId) => ({ path: { personId } }),
  examples: [
    ['pdi person per_sample1', 'one profile'],
    ['pdi person -i leads-ids.csv --dry-run', 'how many calls that would be billed'],
    ['pdi person -i leads-ids.csv -o csv --out people.csv --max-billable 500', 'a CSV round trip; run it again to resume'],
    ["pdi person per_sample1 -o json | jq '.experience[0].title'", 'one field of one profile'],
  ],
});
