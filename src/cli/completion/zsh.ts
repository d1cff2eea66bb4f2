/** Makes the completion script for zsh. */
import type { CompletionCommand, CompletionOption, CompletionTree, ValuedOption } from './tree.ts';
import { flagPattern, valuedOptions } from './tree.ts';

const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

/** `_describe` takes `name:description`, and a backslash before any character for that character. */
const described = (name: string, description: string): string =>
  quoted(`${name.replace(/:/g, '\\:')}:${description.replaceAll('\\', '\\\\')}`);

const flags = (options: readonly CompletionOption[]): string =>
  options.flatMap(({ names, description }) => names.map((name) => described(name, description))).join(' ');

function valueCase(valued: ValuedOption): string {
  const { option } = valued;
  const pattern = flagPattern(valued);
  switch (option.value.kind) {
    case 'file':
      return `    ${pattern}) _files; return ;;`;
    case 'profile':
      return `    ${pattern}) compadd -- \${(f)"$(_pdi_profiles)"}; return ;;`;
    case 'fields':
      return `    ${pattern}) _pdi_fields; return ;;`;
    case 'columns':
      return `    ${pattern}) _pdi_columns; return ;;`;
    case 'choices':
      return `    ${pattern}) compadd -- ${option.value.choices.join(' ')}; return ;;`;
    case 'text':
      return `    ${pattern}) return ;;`;
    case 'none':
      return '';
  }
}

function commandCase({ path, words, options, choices, takesFile }: CompletionCommand): string {
  const offered = [...words.map(({ name, description }) => described(name, description)), ...choices.map(quoted)].join(' ');
  return `    ${quoted(path)}) subcommands=(${offered}); flags=(${flags(options)})${takesFile ? '; files=yes' : ''} ;;`;
}

const lines = (all: readonly string[]): string => [...new Set(all)].filter((line) => line !== '').join('\n');

/** Gives the script; name the file _pdi in a folder of $fpath, or source it after compinit. */
export function zshScript(tree: CompletionTree): string {
  const { commands, everywhere, inputFlags } = tree;
  const taking = valuedOptions(tree);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `#compdef pdi
# zsh completion for pdi; generated from its command tree

_pdi_profiles() {
  local file="\${PDI_CONFIG_DIR:-\${XDG_CONFIG_HOME:-$HOME/.config}/pdi}/config.json"
  [[ -r $file ]] && sed -nE 's/^(\\t\\t|    )"([A-Za-z0-9._-]+)": \\{.*/\\2/p' "$file"
}

_pdi_fields() {
  local -a names
  case $line_path in
${lines(commands.map(({ path, fields }) => (fields.length === 0 ? '' : `    ${quoted(path)}) names=(${fields.join(' ')}) ;;`)))}
  esac
  # Every field after a comma is a new word.
  compset -P '*,'
  compadd -S '' -- $names
}

# Only pdi can read a file's header. What was typed is never run: quotes and backslashes are taken away.
_pdi_columns() {
  local file sheet
  local -i i
  for ((i = 2; i < \${#words}; i++)); do
    case \${words[i]} in
      ${inputFlags.join('|')}) file=\${words[i+1]} ;;
      ${inputFlags.map((name) => `${name}=*`).join('|')}) file=\${words[i]#*=} ;;
      --sheet) sheet=\${words[i+1]} ;;
      --sheet=*) sheet=\${words[i]#*=} ;;
    esac
  done
  file=\${(Q)file}
  file=\${file/#\\~\\//$HOME/}
  [[ -n $file ]] || return
  compset -P '*,'
  compadd -- \${(f)"$(command pdi completion columns --of=$file \${sheet:+--sheet=\${(Q)sheet}} 2>/dev/null)"}
}

_pdi() {
  local line_path='' files='' next word before=\${words[CURRENT-1]}
  local -a subcommands flags
  local -i i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      ${[...new Set(taking.flatMap(({ option }) => option.names))].join('|')}) ((i++)); continue ;;
      -*) continue ;;
    esac
    next="\${line_path:+$line_path }$word"
    case $next in
      ${paths.join('|')}) line_path=$next ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    before=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case $line_path:$before in
${lines(taking.map(valueCase))}
  esac
  case $line_path in
${lines(commands.map(commandCase))}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    flags+=(${flags(everywhere)})
    _describe -t options option flags
  elif [[ -n $files ]]; then
    _files
  else
    _describe -t commands command subcommands
  fi
}

# Autoloaded as a function of that name, or sourced.
if [[ $funcstack[1] == _pdi ]]; then _pdi "$@"; else compdef _pdi pdi; fi
`;
}
