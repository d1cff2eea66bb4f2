/** `pdi completion` prints the script that completes commands, flags and fields in a shell. */
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Command, CommandTree } from '../cli/command.ts';
import { type Shell, shells } from '../cli/completion/shells.ts';
import type { Context } from '../run/context.ts';

const install = `
Install it with one line:
  bash        echo 'source <(pdi completion bash)' >> ~/.bashrc
  zsh         echo 'source <(pdi completion zsh)' >> ~/.zshrc   (after compinit)
  fish        pdi completion fish > ~/.config/fish/completions/pdi.fish
  powershell  'pdi completion powershell | Out-String | iex' >> $PROFILE`;

/** Packagers use this word. Help and completions do not offer it. */
const manual = 'man';

type Script = Shell | typeof manual;

const isScript = (word: string): word is Script => [...shells, manual].some((known) => known === word);

/** @throws InvalidArgumentError for a shell without a script */
function scriptNamed(word: string): Script {
  if (isScript(word)) return word;
  throw new InvalidArgumentError(`Allowed choices are ${shells.join(', ')}.`);
}

/** This command is about all commands, so it asks for the tree only when the tree is complete. */
export const completion = (tree: () => CommandTree<Context>): Command<Context> => ({
  words: 'completion',
  summary: 'completion script for bash, zsh, fish or powershell',
  description: 'Print the script that completes commands, flags, formats and fields. It calls nothing over the network.',
  examples: [
    ['pdi completion bash --out pdi.bash', 'the script of a shell, as a file'],
    ['pdi completion fish > ~/.config/fish/completions/pdi.fish', 'where fish looks for it'],
  ],
  define: (parser, launch) => {
    parser
      .addArgument(new Argument('<shell>', 'the shell').choices(shells).argParser(scriptNamed))
      .addHelpText('after', install)
      .action((shell) =>
        launch(async (context) => {
          const [{ printText }, text] = await Promise.all([import('../run/print.ts'), textOf(shell, tree())]);
          await printText(context, text, context.flags.out);
        }),
      );
  },
});

async function textOf(script: Script, tree: CommandTree<Context>): Promise<string> {
  if (script === manual) return (await import('../cli/completion/man.ts')).manPage(tree);
  return (await import('../cli/completion/scripts.ts')).completionScript(script, tree.program);
}
