/** `pdi completion` prints the script that completes commands, flags and fields in a shell. */
import { Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Command, CommandTree } from '../cli/command.ts';
import { type Shell, shells } from '../cli/completion/shells.ts';
import type { Context } from '../run/context.ts';

const install = `
Install it with one line:
  bash        echo 'source <(pdi completion bash)' >> ~/.bashrc
  zsh         echo 'source <(pdi completion zsh)' >> ~/.zshrc   (after compinit)
  fish        pdi completion fish > ~/.config/fish/completions/pdi.fish
  powershell  'pdi completion powershell | Out-String | iex' >> $PROFILE`;

/** Packagers use the first of these words, and the scripts the second. Help and completions do not offer them. */
const unoffered = ['man', 'columns'] as const;

type Wanted = Shell | (typeof unoffered)[number];

const isWanted = (word: string): word is Wanted => [...shells, ...unoffered].some((known) => known === word);

function wantedBy(word: string): Wanted {
  if (isWanted(word)) return word;
  throw new InvalidArgumentError(`Allowed choices are ${shells.join(', ')}.`);
}

/** This command is about all commands, so it asks for the tree only when the tree is complete. */
export const completion = (tree: () => CommandTree<Context>): Command<Context> => ({
  words: 'completion',
  summary: 'completion script for bash, zsh, fish or powershell',
  description:
    'Print the script that completes commands, flags, formats and fields, and for --column the columns of the file after -i. It calls nothing over the network.',
  examples: [
    ['pdi completion bash --out pdi.bash', 'the script of a shell, as a file'],
    ['pdi completion fish > ~/.config/fish/completions/pdi.fish', 'where fish looks for it'],
  ],
  define: (parser, launch) => {
    parser
      .addArgument(new Argument('<shell>', 'the shell').choices(shells).argParser(wantedBy))
      .addOption(new Option('--of <file>', 'for columns: the file that has them').hideHelp())
      .addOption(new Option('--sheet <name>', 'for columns: the sheet of that file').hideHelp())
      .addHelpText('after', install)
      .action((wanted, { of: file, sheet }) =>
        launch(async (context) => {
          const [{ printText }, text] = await Promise.all([import('../run/print.ts'), textOf(wanted, tree(), { file, sheet })]);
          await printText(context, text, context.flags.out);
        }),
      );
  },
});

interface ColumnsOf {
  readonly file: string | undefined;
  readonly sheet: string | undefined;
}

async function textOf(wanted: Wanted, tree: CommandTree<Context>, { file, sheet }: ColumnsOf): Promise<string> {
  if (wanted === 'man') return (await import('../cli/completion/man.ts')).manPage(tree);
  if (wanted !== 'columns') return (await import('../cli/completion/scripts.ts')).completionScript(wanted, tree.program);
  const { columnNames } = await import('../cli/completion/column-names.ts');
  const names = file === undefined ? [] : await columnNames(file, sheet);
  return names.map((name) => `${name}\n`).join('');
}
