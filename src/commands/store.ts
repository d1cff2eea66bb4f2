/** `pdi store` is about the answers that were bought and are kept, so that nothing is bought twice. */
import { type Command, command } from '../cli/command.ts';
import { parseAge } from '../cli/options.ts';

const store = command({
  words: 'store',
  summary: 'bought answers that are kept: how many, where, how large',
  brief: 'bought answers that are kept',
  description:
    'Show the answers that were bought and are kept, so that no run, format, file or shard buys them again: by operation, base URL and account (empty: the key), with their number and bytes. What is past its age (--max-age) is deleted by any run that buys. No call is made.',
  examples: [
    ['pdi store', 'what is kept'],
    ['pdi store -o json', 'with the file of the book, for a script'],
  ],
  exits: ['not_found'],
  takes: (parser) => parser,
  run: async (choices, tools) => (await import('../road/store.ts')).showStore(choices.show(), tools),
});

const forget = command({
  words: 'store forget',
  summary: 'forget the kept answers about some ids, at once',
  description:
    'Forget kept answers about people, companies or investors (by the name or website that was asked): no run takes them any more. Their bytes are deleted at once, and a hash stands for the id in the calls from then on. No call is made.',
  examples: [
    ['pdi store forget per_sample1', 'one person'],
    ['pdi store forget company-1 "Sample Harbor Ventures 1"', 'a company and an investor'],
  ],
  changes: true,
  takes: (parser) => parser.argument('<id...>', 'ids that were asked about'),
  run: async (choices, tools, ids) => (await import('../road/store.ts')).forgetIds(choices.show(), tools, ids),
});

const purge = command({
  words: 'store purge',
  summary: 'delete kept answers from the disk',
  description:
    'Delete kept answers: what is needed again is bought again. --all also forgets which calls may have been billed without an answer. A terminal asks; elsewhere --yes is needed. No call is made.',
  examples: [
    ['pdi store purge --older-than 30d --yes', 'what was bought more than 30 days ago'],
    ['pdi store purge --all', 'everything, after a question'],
  ],
  changes: true,
  exits: ['hung_up', 'interrupted', 'terminated'],
  takes: (parser) =>
    parser
      .option('--older-than <age>', 'answers that were bought longer ago, such as 30d or 12h', parseAge)
      .option('--all', 'all answers')
      .option('--yes', 'do not ask'),
  run: async (choices, tools, flags) => (await import('../road/store.ts')).purgeStore(choices.show(), tools, flags),
});

export const storeCommands: readonly Command[] = [store, forget, purge];
