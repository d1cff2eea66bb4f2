/** The page of `pdi` alone, made while the program is built. It has 60 columns, because it is not folded. */
import { bookmarks } from '../../commands/bookmarks.ts';
import { config } from '../../commands/config.ts';
import { convert, groups, mcp, operationCommands, sandbox } from '../../commands/index.ts';
import { spend } from '../../commands/spend.ts';
import { store } from '../../commands/store.ts';
import { wrap } from '../../output/width.ts';
import type { Words } from '../command.ts';
import { topicNames } from './topic-names.ts';

/** An operation appears under the words of its group, or under its own. */
const firstWords: ReadonlySet<Words> = new Set(
  Object.values<Words>(operationCommands).map((command) => groups.find(({ words }) => words === command.words.split(' ')[0]) ?? command),
);

const line = ({ words, summary, brief = summary }: Words): string => `  ${words.padEnd(12)}${brief}`;

const topicIndent = 17;
const topicLines = wrap(topicNames.join(', '), 60 - topicIndent).join(`\n${' '.repeat(topicIndent)}`);

export const startPage = `pdi: people, companies, investors and dated signals
from the Professional Data Intelligence API

Try it without a key:   pdi --sandbox resolve ada-sample-1
Set it up:              pdi config init

${[...firstWords, convert, spend, store, bookmarks, config, mcp, sandbox].map(line).join('\n')}

pdi COMMAND --help   options, examples, cost and exit codes
pdi --help           every command and common option
pdi help TOPIC   ${topicLines}
`;
