/** All commands, with `pdi help` and `pdi completion`, which are about the others: their help, and the script that completes them in a shell. */

import {
  Argument,
  type CommandUnknownOpts,
  InvalidArgumentError,
} from '@commander-js/extra-typings';
import type { Choices } from '../cli/choices.ts';
import { type Command, command } from '../cli/command.ts';
import { commands } from '../commands/index.ts';
import { UsageError } from '../errors.ts';
import { widthOf } from '../io.ts';
import { nearestFirst } from '../rows/nearest.ts';
import type { Shell } from './completion/scripts.ts';
import { topicNames } from './help/topic.ts';

const help = command({
  words: 'help',
  summary: `help for a command, or a topic: ${topicNames.join(', ')}`,
  description: `Show the help of a command, or one of the topics: ${topicNames.join(', ')}. No call is made.`,
  examples: [
    ['pdi help exit-codes', 'a topic'],
    ['pdi help lists people modify', 'a command'],
  ],
  takes: (parser) => parser.argument('[word...]', 'a command, or a topic'),
  run: async (choices, tools, words) => {
    const { helpText } = await choices.texts();
    const { stdout, program } = choices.io;
    const text = await helpText(['help', ...words], widthOf(stdout), program);
    if (text !== undefined)
      return (await import('../road/delivery.ts')).printText(text, tools, choices.flags);
    throw new UsageError(`there is no command or topic ${JSON.stringify(words.join(' '))}`, {
      hint: `topics: ${nearestFirst(words.join(' '), topicNames)}; commands: see \`pdi --help\``,
    });
  },
});

const install = `bash        echo 'eval "$(pdi completion bash)"' >> ~/.bashrc
zsh         echo 'source <(pdi completion zsh)' >> ~/.zshrc   (after compinit)
fish        pdi completion fish > ~/.config/fish/completions/pdi.fish
powershell  'pdi completion powershell | Out-String | iex' >> $PROFILE`;

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const satisfies readonly Shell[];

/** Packagers use the first of the other words, and the scripts the second. Help and completions do not offer them. */
function wantedBy(word: string) {
  const wanted = [...shells, 'man' as const, 'words' as const].find((known) => known === word);
  if (wanted === undefined)
    throw new InvalidArgumentError(`Allowed choices are ${shells.join(', ')}.`);
  return wanted;
}

const completion = command({
  words: 'completion',
  summary: 'completion script for bash, zsh, fish or powershell',
  description:
    'Print the script that completes commands, flags, formats and fields, and for --column the columns of the file after -i. At each Tab it asks pdi, which calls nothing over the network.',
  examples: [
    ['pdi completion bash --out pdi.bash', 'the script of a shell, as a file'],
    ['pdi completion fish > ~/.config/fish/completions/pdi.fish', 'where fish looks for it'],
  ],
  remarks: [{ heading: 'Install it with one line:' }, { listing: install }],
  takes: (parser) =>
    parser
      .addArgument(new Argument('<shell>', 'the shell').choices(shells).argParser(wantedBy))
      // Those words are of another command line; help does not show them.
      .allowExcessArguments(true),
  run: async (choices, tools, kind, _flags, { args: [, ...words], parent }) => {
    if (kind !== 'words' && words.length > 0)
      throw new UsageError(`completion takes one shell, not ${words[0]} too`, {
        hint: 'leave it out',
      });
    const text =
      kind === 'man'
        ? await (await choices.texts()).manual(tools.version)
        : await textOf(kind, choices, parent, words);
    await (await import('../road/delivery.ts')).printText(text, tools, choices.flags);
  },
});

async function textOf(
  kind: Shell | 'words',
  choices: Choices,
  program: CommandUnknownOpts | null,
  typed: readonly string[],
) {
  if (kind !== 'words') return (await import('./completion/scripts.ts')).completionScripts[kind];
  const { offerFor } = await import('./completion/offer.ts');
  const words = typed.map((word) => word.slice(1));
  // A dot stands before each word: shells and parsers lose an empty one, and npm's script for PowerShell a `--`, which would end the flags.
  return program === null ? '' : offerFor(program, words.slice(0, -1), words.at(-1) ?? '', choices);
}

export const allCommands: readonly Command[] = [...commands, completion, help];
