/** Which operation a command calls: what its `--fields` may name, and what a call costs. */
import type { OperationName } from '../contract/operations.ts';

/** By the command's words. Commands that call nothing are missing. */
export const operationOf: Readonly<Record<string, OperationName>> = {
  resolve: 'resolvePeople',
  person: 'getPerson',
  feed: 'readInvestorInterest',
  revenue: 'getCompanyLatestRevenue',
  investors: 'findInvestors',
  'lists companies list': 'listCompanyLists',
  'lists companies delete': 'deleteCompanyList',
  'lists people modify': 'modifyPeopleList',
  'lists people delete': 'deletePeopleList',
  'lists investors get': 'getInvestorList',
  'lists investors delete': 'deleteInvestorList',
  'searches funding-rounds': 'getFundingRoundsSearch',
  'searches talent': 'getTalentSearch',
  network: 'listNetworkPeople',
  health: 'checkHealth',
};

/** Commands that ask the service on their way to something else. */
const alsoCalling: ReadonlySet<string> = new Set(['config check', 'config init']);

/** Whether a command, named by its words, asks the service anything. */
export const callsService = (command: string): boolean => Object.hasOwn(operationOf, command) || alsoCalling.has(command);
