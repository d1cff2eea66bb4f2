/** Every word of the command line: one function registers it. Nothing heavy loads until a command runs. */

import type { Launch, Program } from '../run/launch.ts';
import { addCompletion } from './completion.ts';
import { addConfig } from './config.ts';
import { addFeed } from './feed.ts';
import { addHealth } from './health.ts';
import { addHelpTopics } from './help.ts';
import { addInvestors } from './investors.ts';
import { addLists } from './lists.ts';
import { addNetwork } from './network.ts';
import { addPerson } from './person.ts';
import { addResolve } from './resolve.ts';
import { addRevenue } from './revenue.ts';
import { addSandbox } from './sandbox.ts';
import { addSearches } from './searches.ts';
import { addSpend } from './spend.ts';

/** By the word that the user types. */
const adders = {
  resolve: addResolve,
  person: addPerson,
  feed: addFeed,
  revenue: addRevenue,
  investors: addInvestors,
  lists: addLists,
  searches: addSearches,
  network: addNetwork,
  health: addHealth,
  config: addConfig,
  spend: addSpend,
  sandbox: addSandbox,
  completion: addCompletion,
  help: addHelpTopics,
} as const;

const isCommand = (word: string): word is keyof typeof adders => Object.hasOwn(adders, word);

/** Those that speak of all commands. */
const needsAll: ReadonlySet<string> = new Set(['completion', 'help']);

/** What is to be registered: where the command comes first, as it mostly does, nobody asks for another one. */
export const addersFor = (first: string): readonly ((program: Program, launch: Launch) => void)[] =>
  isCommand(first) && !needsAll.has(first) ? [adders[first]] : Object.values(adders);
