/** Identifiers that hold whatever the seed and size: for documentation, help texts and tests. A test keeps them true. */

const listsOf = (kind: string) => ({
  /** Share to API is on. */
  shared: `${kind}-0000-4000-8000-000000000001`,
  /** Made through the API, hence visible. */
  created: `${kind}-0000-4000-8000-000000000002`,
  /** Curated by the service: visible, but nobody's to change or delete. */
  global: `${kind}-0000-4000-8000-000000000003`,
  /** Shared within the team alone: not visible. */
  teamOnly: `${kind}-0000-4000-8000-000000000004`,
  /** Made through the API, without members. */
  empty: `${kind}-0000-4000-8000-000000000005`,
  /** No such list. */
  unknown: `${kind}-0000-4000-8000-000000000fff`,
});

export const landmarks = {
  /** The first person, under the service's id and the four forms that resolve to it. */
  person: {
    id: 'per_sample1',
    name: 'Ada Sample-1',
    url: 'https://www.profnet.example/in/ada-sample-1',
    slug: 'ada-sample-1',
    memberId: 700_000_001,
    urn: 'urn:profnet:member:S1',
  },
  /** Member ids at and past 2^53, as digits. */
  largeMembers: { last: { id: 'per_sample2', digits: '9007199254740991' }, beyond: { id: 'per_sample3', digits: '9007199254740993' } },
  /** Text fields of these persons hold a formula, escape sequences, line breaks. */
  hostile: { formula: 'per_sample3', escapes: 'per_sample4', lines: 'per_sample6' },
  unknownPerson: 'per_nobody',
  company: { withRevenue: 'company-1', withoutRevenue: 'company-2', unknown: 'company-none' },
  investor: {
    id: 'inv_sample1',
    name: 'Sample Harbor Ventures 1',
    website: 'https://www.investor-1.example',
    /** Two investors have this name. */
    sharedName: 'Twin Sample Partners',
    /** No signal mentions this one. */
    quietWebsite: 'investor-2.example',
  },
  lists: { companies: listsOf('c0000000'), people: listsOf('b0000000'), investors: listsOf('d0000000') },
  searches: {
    talent: '101',
    globalTalent: '102',
    fundingRounds: '103',
    globalFundingRounds: '104',
    /** Of a product that neither search operation supports. */
    otherProduct: '105',
    /** Not shared with the API. */
    hiddenTalent: '108',
    hiddenFundingRounds: '109',
    /** Its stored filters cannot be parsed. */
    broken: '110',
    /** Matches no signal. */
    empty: '111',
    unknown: '999',
  },
  /** The day of the newest signal, and of the oldest. */
  signalDates: { last: '2026-06-30', first: '2026-03-03' },
} as const;
