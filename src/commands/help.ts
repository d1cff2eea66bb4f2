/** `pdi help`: a command's help, or one of the topics that belong to no command. */

import { isTopic, topicNames } from '../cli/help/topic-names.ts';
import { UsageError } from '../errors.ts';
import { widthOf } from '../io.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addHelpTopics(program: Program, launch: Launch): void {
  program.helpCommand(false);
  program
    .command('help')
    .summary(`help for a command, or a topic: ${topicNames.join(', ')}`)
    .description(`Show the help of a command, or one of the topics: ${topicNames.join(', ')}. No call is made.`)
    .argument('[word...]', 'a command, or a topic')
    .action((words) =>
      launch('help', async (context) => {
        const [topic = ''] = words;
        const { topicText } = await import('../cli/help/topics.ts');
        if (isTopic(topic)) {
          const { printText } = await import('../run/print-text.ts');
          return printText(context, topicText(topic, widthOf(context.io.stdout)));
        }
        commandNamed(program, words).outputHelp();
      }),
    );
}

function commandNamed(program: Program, words: readonly string[]): Pick<Program, 'outputHelp'> {
  let command: Pick<Program, 'outputHelp' | 'commands'> = program;
  for (const word of words) {
    const found = command.commands.find((candidate) => candidate.name() === word);
    if (found === undefined) {
      throw new UsageError(`there is no command or topic ${JSON.stringify(words.join(' '))}`, {
        hint: `topics: ${topicNames.join(', ')}; commands: see \`pdi --help\``,
      });
    }
    command = found;
  }
  return command;
}
