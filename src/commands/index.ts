/**
 * Every command of the line. The program, its start page, prices, help, man page and completion are derived from these tables; nothing
 * heavy loads until a command runs.
 */
import type { Command, CommandTree, Words } from '../cli/command.ts';
import type { OperationName } from '../contract/operations.ts';
import type { Context } from '../run/context.ts';
import { config, configCommands } from './config.ts';
import { feed } from './feed.ts';
import { health } from './health.ts';
import { investors } from './investors.ts';
import { deleteCompanies, deleteInvestors, deletePeople, getInvestors, listCompanies, listKinds, lists, modifyPeople } from './lists.ts';
import { network } from './network.ts';
import { person } from './person.ts';
import { resolve } from './resolve.ts';
import { revenue } from './revenue.ts';
import { sandbox } from './sandbox.ts';
import { fundingRoundsSearch, searches, talentSearch } from './searches.ts';
import { spend } from './spend.ts';

export type PdiCommand = Command<Context>;
export type PdiTree = CommandTree<Context>;

/** What a command does, once the root options are read. */
export type Work = (context: Context) => Promise<void>;

/** By the operation that each calls, in the order of the help: the compiler names an operation that has no command. */
export const operationCommands = {
  resolvePeople: resolve,
  getPerson: person,
  readInvestorInterest: feed,
  getCompanyLatestRevenue: revenue,
  findInvestors: investors,
  listCompanyLists: listCompanies,
  modifyPeopleList: modifyPeople,
  getInvestorList: getInvestors,
  deleteCompanyList: deleteCompanies,
  deletePeopleList: deletePeople,
  deleteInvestorList: deleteInvestors,
  getFundingRoundsSearch: fundingRoundsSearch,
  getTalentSearch: talentSearch,
  listNetworkPeople: network,
  checkHealth: health,
} as const satisfies Record<OperationName, PdiCommand>;

/** Words that others follow, each before those that follow it. */
export const groups: readonly Words[] = [lists, ...listKinds, searches, config];

/** What is about this machine, not about an operation. `help` and `completion` speak of all others: the program adds them. */
export const ownCommands: readonly PdiCommand[] = [...configCommands, spend, sandbox];
