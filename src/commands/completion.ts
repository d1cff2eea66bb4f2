/** `pdi completion`: the script that completes commands, flags and fields in a shell. */
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { type Shell, shells } from '../cli/completion/shells.ts';
import type { Launch, Program } from '../run/launch.ts';

const install = `
Install it with one line:
  bash        echo 'source <(pdi completion bash)' >> ~/.bashrc
  zsh         echo 'source <(pdi completion zsh)' >> ~/.zshrc   (after compinit)
  fish        pdi completion fish > ~/.config/fish/completions/pdi.fish
  powershell  'pdi completion powershell | Out-String | iex' >> $PROFILE`;

/** What packagers ask for: not among the choices that help and completions offer. */
const manual = 'man';

type Script = Shell | typeof manual;

const isScript = (word: string): word is Script => [...shells, manual].some((known) => known === word);

/** @throws InvalidArgumentError for a shell that has no script */
function scriptNamed(word: string): Script {
  if (isScript(word)) return word;
  throw new InvalidArgumentError(`Allowed choices are ${shells.join(', ')}.`);
}

async function textOf(script: Script, program: Program): Promise<string> {
  if (script === manual) return (await import('../cli/completion/man.ts')).manPage(program);
  return (await import('../cli/completion/scripts.ts')).completionScript(script, program);
}

export function addCompletion(program: Program, launch: Launch): void {
  program
    .command('completion')
    .summary('completion script for bash, zsh, fish or powershell')
    .description('Print the script that completes commands, flags, formats and fields. It calls nothing over the network.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells).argParser(scriptNamed))
    .addHelpText('after', install)
    .action((shell) =>
      launch('completion', async (context) => {
        const { printText } = await import('../run/print-text.ts');
        await printText(context, await textOf(shell, program), context.flags.out);
      }),
    );
}
