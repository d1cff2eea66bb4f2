/** Which command calls which operation of the API. Words alone: loading the contract takes longer than some commands. */
import type { OperationName } from '../contract/operations.ts';

/** The command's words, for every operation: the compiler names one that has no command. */
export const commandOf: Readonly<Record<OperationName, string>> = {
  resolvePeople: 'resolve',
  getPerson: 'person',
  readInvestorInterest: 'feed',
  getCompanyLatestRevenue: 'revenue',
  findInvestors: 'investors',
  listCompanyLists: 'lists companies list',
  deleteCompanyList: 'lists companies delete',
  modifyPeopleList: 'lists people modify',
  deletePeopleList: 'lists people delete',
  getInvestorList: 'lists investors get',
  deleteInvestorList: 'lists investors delete',
  getFundingRoundsSearch: 'searches funding-rounds',
  getTalentSearch: 'searches talent',
  listNetworkPeople: 'network',
  checkHealth: 'health',
};

/** Those that ask the service on their way to something else come after the others. */
const calling: ReadonlySet<string> = new Set([...Object.values(commandOf), 'config check', 'config init']);

/** Whether a command, named by its words, asks the service anything. */
export const callsService = (command: string): boolean => calling.has(command);
