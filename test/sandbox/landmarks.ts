/** These identifiers are valid for every seed and size, for documentation, help texts and tests. A test checks them. */

const listsOf = (kind: string) => ({
  shared: `${kind}-0000-4000-8000-000000000001`,
  /** Lists that were made through the API are visible. */
  created: `${kind}-0000-4000-8000-000000000002`,
  /** The service curates it: it is visible, but cannot be changed or deleted. */
  global: `${kind}-0000-4000-8000-000000000003`,
  /** It is shared only within the team, so the API does not see it. */
  teamOnly: `${kind}-0000-4000-8000-000000000004`,
  empty: `${kind}-0000-4000-8000-000000000005`,
  unknown: `${kind}-0000-4000-8000-000000000fff`,
});

export const landmarks = {
  /** The service id and four other forms all resolve to the first person. */
  person: {
    id: 'per_sample1',
    name: 'Ada Sample-1',
    url: 'https://www.profnet.example/in/ada-sample-1',
    slug: 'ada-sample-1',
    memberId: 700_000_001,
    urn: 'urn:profnet:member:S1',
  },
  /** These member ids are 2^53 - 1 and 2^53 + 1, written as digits because a double cannot hold the second. */
  largeMembers: {
    last: { id: 'per_sample2', digits: '9007199254740991' },
    beyond: { id: 'per_sample3', digits: '9007199254740993' },
  },
  /** Text fields of these persons contain a formula, escape sequences and line breaks. */
  hostile: { formula: 'per_sample3', escapes: 'per_sample4', lines: 'per_sample6' },
  unknownPerson: 'per_nobody',
  company: { withRevenue: 'company-1', withoutRevenue: 'company-2', unknown: 'company-none' },
  investor: {
    id: 'inv_sample1',
    name: 'Sample Harbor Ventures 1',
    website: 'https://www.investor-1.example',
    sharedName: 'Twin Sample Partners',
    /** No signal mentions this investor. */
    quietWebsite: 'investor-2.example',
  },
  lists: {
    companies: listsOf('c0000000'),
    people: listsOf('b0000000'),
    investors: listsOf('d0000000'),
  },
  searches: {
    talent: '101',
    globalTalent: '102',
    fundingRounds: '103',
    globalFundingRounds: '104',
    /** Neither search operation supports this product. */
    otherProduct: '105',
    hiddenTalent: '108',
    hiddenFundingRounds: '109',
    /** Its stored filters cannot be parsed. */
    broken: '110',
    empty: '111',
    unknown: '999',
  },
  signalDates: { last: '2026-06-30', first: '2026-03-03' },
} as const;
