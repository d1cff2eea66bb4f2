/** The command tree as completion scripts need it: words, flags, and what a flag's value may be. Pure. */

/** What may stand after a flag. */
export type ValueKind =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'file' }
  | { readonly kind: 'profile' }
  | { readonly kind: 'fields' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

export interface CompletionOption {
  /** `-o` and `--output`, as many as there are. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: ValueKind;
}

export interface CompletionCommand {
  /** Its words, joined by spaces; empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletionOption[];
  /** What `--fields` may name here. */
  readonly fields: readonly string[];
  /** Words that an argument may be. */
  readonly choices: readonly string[];
}

export interface CompletionTree {
  readonly commands: readonly CompletionCommand[];
  /** Options that every command takes. */
  readonly everywhere: readonly CompletionOption[];
}

/** The parts of a Commander command that are read here. */
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
    readonly argChoices?: readonly string[] | undefined;
  }[];
  readonly registeredArguments: readonly { readonly argChoices?: readonly string[] | undefined }[];
}

/** Values that no declaration of a flag tells: files, profiles, fields. */
export type ValueHints = Readonly<Record<string, Extract<ValueKind, { kind: 'file' | 'profile' | 'fields' | 'choices' }>>>;

/** Reads the tree; `fieldsOf` gives the columns of a command's records by its path. */
export function completionTree(program: CommandShape, hints: ValueHints, fieldsOf: (path: string) => readonly string[]): CompletionTree {
  const commands: CompletionCommand[] = [];
  const visit = (command: CommandShape, path: string): void => {
    commands.push({
      path,
      words: command.commands.map((child) => ({ name: child.name(), description: child.summary() || child.description() })),
      options: path === '' ? [] : command.options.map((option) => optionOf(option, hints)),
      fields: fieldsOf(path),
      choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    });
    for (const child of command.commands) visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  const help: CompletionOption = { names: ['-h', '--help'], description: 'help for a command', value: { kind: 'none' } };
  return { commands, everywhere: [...program.options.map((option) => optionOf(option, hints)), help] };
}

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
