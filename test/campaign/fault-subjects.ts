/** The commands of the fault campaign, and what each of them is entitled to: calls, billing, what a repeated call answers. */
import { type OperationName, operations } from '../../src/contract/operations.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { personIds } from '../support/records.ts';
import { linesFile } from '../support/service.ts';

export interface Subject {
  readonly name: string;
  readonly operation: OperationName;
  /** `single`: one call; `job`: rows in, rows out, resumable; `pages`: one page after the other. */
  readonly kind: 'single' | 'job' | 'pages';
  /** Calls without faults. */
  readonly calls: number;
  /** A second execution answers 404: there is nothing left to delete. */
  readonly gone?: boolean;
  /** The bookmark's run: each signal once over all runs. */
  readonly onceOverAll?: boolean;
  /** The command line without output options; makes the input file. */
  argv(): readonly string[];
}

const { lists, searches, company, investor } = landmarks;
const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
const websites = [1, 2, 3, 4, 6].map((number) => `investor-${number}.example`);

const job = (
  name: string,
  operation: OperationName,
  items: readonly string[],
  calls = items.length,
): Subject => ({
  name: `${name} -i`,
  operation,
  kind: 'job',
  calls,
  argv: () => [...name.split(' '), '-i', linesFile(items), '--concurrency', '3'],
});

const pages = (operation: OperationName, calls: number, ...argv: readonly string[]): Subject => ({
  name: argv.join(' '),
  operation,
  kind: 'pages',
  calls,
  argv: () => argv,
});

const single = (operation: OperationName, ...argv: readonly string[]): Subject => ({
  ...pages(operation, 1, ...argv),
  kind: 'single',
});

const deleting = (
  operation: OperationName,
  kind: 'people' | 'companies' | 'investors',
): Subject => ({
  ...single(operation, 'lists', kind, 'delete', lists[kind].created, '--yes'),
  gone: true,
});

const feed = ['feed', '--all', '--limit', '20', '--after', '2026-06-10'] as const;

export const subjects: readonly Subject[] = [
  job('resolve', 'resolvePeople', numbered(120, 'urn:profnet:member:S'), 3),
  job('person', 'getPerson', personIds(9)),
  job('revenue', 'getCompanyLatestRevenue', numbered(6, 'company-')),
  job('investors', 'findInvestors', websites),
  job('searches talent', 'getTalentSearch', [searches.talent, searches.globalTalent]),
  job('searches funding-rounds', 'getFundingRoundsSearch', [
    searches.fundingRounds,
    searches.globalFundingRounds,
  ]),
  pages('readInvestorInterest', 5, ...feed),
  { ...pages('readInvestorInterest', 5, ...feed, '--since-last', 'campaign'), onceOverAll: true },
  pages('listNetworkPeople', 4, 'network', '--all', '--limit', '20'),
  single('resolvePeople', 'resolve', landmarks.person.slug),
  single('getPerson', 'person', landmarks.person.id),
  single('getCompanyLatestRevenue', 'revenue', company.withRevenue),
  single('findInvestors', 'investors', '--name', investor.name),
  single('getTalentSearch', 'searches', 'talent', searches.talent),
  single('getFundingRoundsSearch', 'searches', 'funding-rounds', searches.fundingRounds),
  single('listCompanyLists', 'lists', 'companies', 'list'),
  single('getInvestorList', 'lists', 'investors', 'get', lists.investors.created),
  single(
    'modifyPeopleList',
    'lists',
    'people',
    'modify',
    lists.people.created,
    '--add',
    'per_sample9',
    '--delete',
    'per_sample1',
  ),
  deleting('deletePeopleList', 'people'),
  deleting('deleteCompanyList', 'companies'),
  deleting('deleteInvestorList', 'investors'),
];

export const billingOf = ({ operation }: Subject) => operations[operation].billing;
