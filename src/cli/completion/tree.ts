/** Reads from the command tree what completion scripts need: words, flags, and the possible values of a flag. */

type ValueKind =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'file'; readonly isInput?: true }
  | { readonly kind: 'profile' }
  | { readonly kind: 'fields' }
  | { readonly kind: 'columns' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

export interface CompletionOption {
  readonly names: readonly string[];
  readonly description: string;
  readonly value: ValueKind;
}

export interface CompletionCommand {
  /** The words of the command, joined by spaces; empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletionOption[];
  readonly fields: readonly string[];
  readonly choices: readonly string[];
  readonly takesFile: boolean;
}

export interface CompletionTree {
  readonly commands: readonly CompletionCommand[];
  readonly everywhere: readonly CompletionOption[];
  readonly inputFlags: readonly string[];
}

export interface CommandShape {
  name(): string;
  summary(): string;
  description(): string;
  readonly commands: readonly CommandShape[];
  readonly options: readonly {
    readonly short?: string | undefined;
    readonly long?: string | undefined;
    readonly description: string;
    readonly required: boolean;
    readonly optional: boolean;
    readonly hidden: boolean;
    readonly argChoices?: readonly string[] | undefined;
  }[];
  readonly registeredArguments: readonly { name(): string; readonly argChoices?: readonly string[] | undefined }[];
}

/** The declaration of a flag does not tell these kinds. */
export type ValueHints = Readonly<Record<string, Extract<ValueKind, { kind: 'file' | 'profile' | 'fields' | 'columns' | 'choices' }>>>;

export interface CompletionHints {
  readonly values: ValueHints;
  /** Possible words of an argument, by the words before it, which may include another argument. */
  readonly arguments: Readonly<Record<string, readonly string[]>>;
  fieldsOf(path: string): readonly string[];
}

export function completionTree(program: CommandShape, hints: CompletionHints): CompletionTree {
  const commands: CompletionCommand[] = [];
  const visit = (command: CommandShape, path: string): void => {
    commands.push({
      path,
      words: command.commands.map((child) => ({ name: child.name(), description: child.summary() || child.description() })),
      options: path === '' ? [] : optionsOf(command, hints.values),
      fields: hints.fieldsOf(path),
      choices: hints.arguments[path] ?? command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
    });
    for (const child of command.commands) visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  const help: CompletionOption = { names: ['-h', '--help'], description: 'help for a command', value: { kind: 'none' } };
  const everywhere = [...optionsOf(program, hints.values), help];
  const inputs = commands.flatMap(({ options }) => options).filter(({ value }) => value.kind === 'file' && value.isInput === true);
  return {
    commands: [...commands.map(withHelp(commands)), ...furtherArguments(commands, hints), ...helpPaths(commands)],
    everywhere,
    inputFlags: [...new Set(inputs.flatMap(({ names }) => names))],
  };
}

export interface ValuedOption {
  readonly option: CompletionOption;
  /** Set where the same flag has other values in this command than elsewhere. */
  readonly path?: string;
}

/** Gives each flag that takes a value once, and before it those commands in which it takes other values. */
export function valuedOptions({ commands, everywhere }: CompletionTree): readonly ValuedOption[] {
  const usual = new Map<string, CompletionOption>();
  const unusual: ValuedOption[] = [];
  for (const { path, options } of [{ path: '', options: everywhere }, ...commands]) {
    for (const option of options.filter(({ value }) => value.kind !== 'none')) {
      const known = usual.get(option.names.join());
      if (known === undefined) usual.set(option.names.join(), option);
      else if (JSON.stringify(known.value) !== JSON.stringify(option.value)) unusual.push({ option, path });
    }
  }
  return [...unusual, ...Array.from(usual.values(), (option) => ({ option }))];
}

/** A pattern for the path of the command, a colon and the flag. */
export const flagPattern = ({ option, path }: ValuedOption): string =>
  option.names.map((name) => `${path === undefined ? '*' : `'${path}'`}:${name}`).join('|');

const bare = { words: [], options: [], fields: [], choices: [], takesFile: false };

/** `pdi help` completes commands as well as its topics. */
const withHelp =
  (commands: readonly CompletionCommand[]) =>
  (command: CompletionCommand): CompletionCommand => {
    if (command.path !== 'help') return command;
    const words = wordsOf(commands, '').filter(({ name }) => name !== 'help');
    return { ...command, words, choices: command.choices.filter((topic) => words.every(({ name }) => name !== topic)) };
  };

const wordsOf = (commands: readonly CompletionCommand[], path: string) => commands.find((command) => command.path === path)?.words ?? [];

const helpPaths = (commands: readonly CompletionCommand[]): readonly CompletionCommand[] =>
  commands.flatMap(({ path, words }) => (path === '' || words.length === 0 ? [] : [{ ...bare, path: `help ${path}`, words }]));

/** These are arguments that follow a known argument, as in `config set NAME VALUE`. */
const furtherArguments = (commands: readonly CompletionCommand[], hints: CompletionHints): readonly CompletionCommand[] =>
  Object.entries(hints.arguments)
    .filter(([path]) => commands.every((command) => command.path !== path))
    .map(([path, choices]) => ({ ...bare, path, choices }));

const optionsOf = ({ options }: CommandShape, hints: ValueHints): readonly CompletionOption[] =>
  options.filter(({ hidden }) => !hidden).map((option) => optionOf(option, hints));

function optionOf(option: CommandShape['options'][number], hints: ValueHints): CompletionOption {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  return { names, description: option.description, value: valueKindOf(option, hints) };
}

function valueKindOf({ long, required, optional, argChoices }: CommandShape['options'][number], hints: ValueHints): ValueKind {
  const hint = long === undefined ? undefined : hints[long];
  if (hint !== undefined) return hint;
  if (argChoices !== undefined) return { kind: 'choices', choices: argChoices };
  return required || optional ? { kind: 'text' } : { kind: 'none' };
}
