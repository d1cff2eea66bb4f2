/** The fifteen documented operations, from which everything else is derived. */
import type { Endpoint } from './endpoint.ts';
import { readInvestorInterest } from './feed.ts';
import { checkHealth } from './health.ts';
import { findInvestors } from './investors.ts';
import {
  deleteCompanyList,
  deleteInvestorList,
  deletePeopleList,
  getInvestorList,
  listCompanyLists,
  modifyPeopleList,
} from './lists.ts';
import { listNetworkPeople } from './network.ts';
import { getPerson } from './person.ts';
import { resolvePeople } from './resolve.ts';
import { getCompanyLatestRevenue } from './revenue.ts';
import { getFundingRoundsSearch, getTalentSearch } from './searches.ts';

export const operations = {
  resolvePeople,
  readInvestorInterest,
  modifyPeopleList,
  getPerson,
  listNetworkPeople,
  getCompanyLatestRevenue,
  getFundingRoundsSearch,
  getTalentSearch,
  listCompanyLists,
  findInvestors,
  getInvestorList,
  deleteInvestorList,
  deletePeopleList,
  deleteCompanyList,
  checkHealth,
} as const satisfies Record<string, Endpoint>;

export type Operations = typeof operations;
export type OperationName = keyof Operations;

export type OperationWords = Readonly<
  Record<OperationName, Readonly<Record<'words' | 'summary', string>>>
>;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);
export const operationNames: readonly OperationName[] = Object.keys(operations).filter(isOperation);
