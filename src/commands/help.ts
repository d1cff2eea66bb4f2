/** `pdi help` prints the help of a command, or a topic that belongs to no command. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Command, type CommandTree, command } from '../cli/command.ts';
import { isTopic, topicNames } from '../cli/help/topic-names.ts';
import { UsageError } from '../errors.ts';
import { widthOf } from '../io.ts';

/** This command is about all commands, so it asks for the tree only when the tree is complete. */
export const help = (tree: () => CommandTree): Command =>
  command({
    words: 'help',
    summary: `help for a command, or a topic: ${topicNames.join(', ')}`,
    description: `Show the help of a command, or one of the topics: ${topicNames.join(', ')}. No call is made.`,
    examples: [
      ['pdi help exit-codes', 'a topic'],
      ['pdi help lists people modify', 'a command'],
    ],
    takes: (parser) => parser.argument('[word...]', 'a command, or a topic'),
    run: async (_choices, tools, words) => {
      const [topic = ''] = words;
      // The parser stops at it, and whoever started the parser prints the page.
      if (!isTopic(topic)) return void commandNamed(tree().program, words).parse(['--help'], { from: 'user' });
      const [{ topicText }, { topics }, { printText }] = await Promise.all([
        import('../cli/help/topic.ts'),
        import('../cli/help/topics.ts'),
        import('../road/delivery.ts'),
      ]);
      await printText(topicText(topics[topic], widthOf(tools.io.stdout)), tools);
    },
  });

function commandNamed(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  let parser = program;
  for (const word of words) {
    const found = parser.commands.find((candidate) => candidate.name() === word);
    if (found === undefined) {
      throw new UsageError(`there is no command or topic ${JSON.stringify(words.join(' '))}`, {
        hint: `topics: ${topicNames.join(', ')}; commands: see \`pdi --help\``,
      });
    }
    parser = found;
  }
  return parser;
}
