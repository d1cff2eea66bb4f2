/** `pdi help` prints the help of a command, or a topic that belongs to no command. */
import { type Command, command, type Texts } from '../cli/command.ts';
import { topicNames } from '../cli/help/topic.ts';
import { UsageError } from '../errors.ts';
import { widthOf } from '../io.ts';

export const helpCommand = ({ help }: Texts): Command =>
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
      const text = await help(['help', ...words], widthOf(tools.io.stdout));
      if (text !== undefined) return (await import('../road/delivery.ts')).printText(text, tools);
      throw new UsageError(`there is no command or topic ${JSON.stringify(words.join(' '))}`, {
        hint: `topics: ${topicNames.join(', ')}; commands: see \`pdi --help\``,
      });
    },
  });
