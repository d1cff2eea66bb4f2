/** Makes the completion script for bash. It is static, so that completing a word does not start pdi. */
import type { CompletionCommand, CompletionOption, CompletionTree, ValuedOption } from './tree.ts';
import { flagPattern, valuedOptions } from './tree.ts';

const offerFiles = 'compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word")';

const words = (options: readonly CompletionOption[]): string => options.flatMap(({ names }) => names).join(' ');

function valueCase(valued: ValuedOption): string {
  const { option } = valued;
  switch (option.value.kind) {
    case 'file':
      return `    ${flagPattern(valued)}) ${offerFiles}; return ;;`;
    case 'profile':
      return `    ${flagPattern(valued)}) _pdi_words "$(_pdi_profiles)" "$word"; return ;;`;
    case 'fields':
      return `    ${flagPattern(valued)}) _pdi_fields "$path" "$word"; return ;;`;
    case 'columns':
      return `    ${flagPattern(valued)}) _pdi_columns "$word"; return ;;`;
    case 'choices':
      return `    ${flagPattern(valued)}) _pdi_words '${option.value.choices.join(' ')}' "$word"; return ;;`;
    case 'text':
      return `    ${flagPattern(valued)}) return ;;`;
    case 'none':
      return '';
  }
}

function commandCase({ path, words: children, options, choices, takesFile }: CompletionCommand): string {
  const offered = [...children.map(({ name }) => name), ...choices].join(' ');
  return `    '${path}') subcommands='${offered}'; flags='${words(options)}'${takesFile ? '; files=yes' : ''} ;;`;
}

const fieldsCase = ({ path, fields }: CompletionCommand): string =>
  fields.length === 0 ? '' : `    '${path}') names='${fields.join(' ')}' ;;`;

const lines = (all: readonly string[]): string => [...new Set(all)].filter((line) => line !== '').join('\n');

/** Gives the script; source it, or put it where bash-completion looks. */
export function bashScript(tree: CompletionTree): string {
  const { commands, everywhere, inputFlags } = tree;
  const taking = valuedOptions(tree);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion for pdi; generated from its command tree

# The words of $1 that begin with $2, behind $3. What compgen gives, without a process of its own.
_pdi_words() {
  local offered
  COMPREPLY=()
  for offered in $1; do
    if [[ $offered == "$2"* ]]; then COMPREPLY+=("$3$offered"); fi
  done
}

_pdi_profiles() {
  # The names are the keys at the second level of config.json, set in by two blanks a level, or by tabs.
  local file="\${PDI_CONFIG_DIR:-\${XDG_CONFIG_HOME:-$HOME/.config}/pdi}/config.json"
  [[ -r $file ]] && sed -nE 's/^(\\t\\t|    )"([A-Za-z0-9._-]+)": \\{.*/\\2/p' "$file"
}

_pdi_fields() {
  local names='' done='' part="$2"
  case "$1" in
${lines(commands.map(fieldsCase))}
  esac
  if [[ $part == *,* ]]; then done="\${part%,*},"; part="\${part##*,}"; fi
  compopt -o nospace
  _pdi_words "$names" "$part" "$done"
}

# Only pdi can read a file's header. What was typed is never run: quotes and backslashes are taken away.
_pdi_columns() {
  local file='' sheet='' done='' part="\${1//[\\\\\\"\\']/}" offered i
  for ((i = 1; i < \${#COMP_WORDS[@]} - 1; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${inputFlags.join('|')})
        file="\${COMP_WORDS[i+1]}"
        if [[ $file == '=' ]]; then file="\${COMP_WORDS[i+2]-}"; fi ;;
      --sheet)
        sheet="\${COMP_WORDS[i+1]}"
        if [[ $sheet == '=' ]]; then sheet="\${COMP_WORDS[i+2]-}"; fi ;;
    esac
  done
  file="\${file//[\\\\\\"\\']/}"
  sheet="\${sheet//[\\\\\\"\\']/}"
  if [[ $file == \\~/* ]]; then file="$HOME\${file:1}"; fi
  [[ -n $file ]] || return
  if [[ $part == *,* ]]; then done="\${part%,*},"; part="\${part##*,}"; fi
  compopt -o filenames
  while IFS= read -r offered; do
    if [[ $offered == "$part"* ]]; then COMPREPLY+=("$done$offered"); fi
  done < <(command pdi completion columns --of="$file" \${sheet:+"--sheet=$sheet"} 2>/dev/null)
}

_pdi() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' subcommands='' flags='' files='' i next
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${[...new Set(taking.flatMap(({ option }) => option.names))].join('|')}) ((i++)); continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join('|')}) path="$next" ;;
    esac
  done
  # A value may stand after an equals sign, which bash takes for a word of its own.
  if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  if [[ $before == -* ]]; then
    case "$path:$before" in
${lines(taking.map(valueCase))}
    esac
  fi
  case "$path" in
${lines(commands.map(commandCase))}
  esac
  if [[ $word == -* ]]; then
    _pdi_words "$flags ${words(everywhere)}" "$word"
  elif [[ -n $files ]]; then
    ${offerFiles}
  else
    _pdi_words "$subcommands" "$word"
  fi
}

complete -F _pdi pdi
`;
}
