/** Defines saved searches. Section "Saved search details". */
import type { SignalFacts } from './signals.ts';

interface StoredSearch {
  readonly id: number;
  readonly name: string;
  readonly product: 'talent' | 'funding_rounds' | 'company' | 'investors' | 'people';
  readonly sharing: 'shared' | 'global' | 'team';
  /** Tells whether a signal fits its filters; undefined where these are stored in a form that cannot be parsed. */
  readonly finds: ((signal: SignalFacts) => boolean) | undefined;
}

const all = () => true;
const talents = ({ type }: SignalFacts) => type === 'Talent';
const companies = ({ type }: SignalFacts) => type === 'Company';

export const storedSearches: readonly StoredSearch[] = [
  { id: 101, name: 'Founders on the move', product: 'talent', sharing: 'shared', finds: (one) => talents(one) && one.score >= 6 },
  { id: 102, name: 'Recommended talent', product: 'talent', sharing: 'global', finds: talents },
  { id: 103, name: 'Fresh rounds', product: 'funding_rounds', sharing: 'shared', finds: companies },
  { id: 104, name: 'Recommended rounds', product: 'funding_rounds', sharing: 'global', finds: ({ score }) => score >= 8 },
  { id: 105, name: 'Example companies', product: 'company', sharing: 'shared', finds: (one) => companies(one) && one.score >= 5 },
  { id: 106, name: 'Angels', product: 'investors', sharing: 'shared', finds: ({ sourceTypes }) => sourceTypes.includes('angel') },
  { id: 107, name: 'People in climate tech', product: 'people', sharing: 'global', finds: all },
  { id: 108, name: 'The team’s own talent', product: 'talent', sharing: 'team', finds: all },
  { id: 109, name: 'The team’s own rounds', product: 'funding_rounds', sharing: 'team', finds: all },
  { id: 110, name: 'Broken by an old release', product: 'talent', sharing: 'shared', finds: undefined },
  { id: 111, name: 'Nobody matches this', product: 'talent', sharing: 'shared', finds: ({ score }) => score >= 11 },
];
