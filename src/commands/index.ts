/** Program, start page, prices, help, man page and completion come from these tables. Nothing heavy loads until a command runs. */
import type { Command, Words } from '../cli/command.ts';
import type { OperationName } from '../contract/operations.ts';
import { bookmarkCommands } from './bookmarks.ts';
import { config, configCommands } from './config.ts';
import { convertCommand } from './convert.ts';
import { feed } from './feed.ts';
import { health } from './health.ts';
import { investors } from './investors.ts';
import { deleteCompanies, deleteInvestors, deletePeople, getInvestors, listCompanies, listKinds, lists, modifyPeople } from './lists.ts';
import { mcpCommand } from './mcp.ts';
import { network } from './network.ts';
import { person } from './person.ts';
import { resolve } from './resolve.ts';
import { revenue } from './revenue.ts';
import { sandboxCommand } from './sandbox.ts';
import { fundingRoundsSearch, searches, talentSearch } from './searches.ts';
import { spend } from './spend.ts';
import { storeCommands } from './store.ts';

/** Commands by their operation, in the order of the help. The compiler reports an operation that has no command. */
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
} as const satisfies Record<OperationName, Command>;

/** Words that other words follow. A group comes before the groups inside it. */
export const groups: readonly Words[] = [lists, ...listKinds, searches, config];

export const sandbox = sandboxCommand(Object.keys(operationCommands).length);

export const convert = convertCommand(operationCommands);

export const mcp = mcpCommand(operationCommands);

/** Commands without an operation. The program adds `help` and `completion`, because they are about all the others. */
export const ownCommands: readonly Command[] = [...configCommands, convert, spend, ...storeCommands, ...bookmarkCommands, mcp, sandbox];
