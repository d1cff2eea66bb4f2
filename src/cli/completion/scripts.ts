/** The completion script of each shell: it gives the program the words that are typed, and shows what the program offers. */

const bash = `# bash completion for pdi, which is asked itself
_pdi() {
  local word="\${COMP_WORDS[COMP_CWORD]}" lines
  mapfile -t lines < <(command pdi completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" ".$word" 2>/dev/null)
  COMPREPLY=("\${lines[@]:1}")
  COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
  case "\${lines[0]}" in
    files)
      compopt -o filenames -o default
      if [[ $word == '=' ]]; then word=''; fi
      mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    names) compopt -o filenames ;;
    open) compopt -o nospace ;;
  esac
}
complete -F _pdi pdi
`;

const zsh = `#compdef pdi
# zsh completion for pdi, which is asked itself
_pdi() {
  local -a lines offered
  lines=("\${(@f)$(command pdi completion words -- "\${(@)words[2,CURRENT-1]}" ".$words[CURRENT]" 2>/dev/null)}")
  offered=("\${(@)lines[2,-1]}")
  case $lines[1] in
    files)
      if [[ $words[CURRENT] == --*=* ]]; then compset -P '*='; fi
      _files ;;
    open) compadd -S '' -- "\${(@)offered%%$'\\t'*}" ;;
    names) compadd -- "\${(@)offered}" ;;
    words)
      # _describe takes NAME:DESCRIPTION, and a backslash before any character for that character.
      offered=("\${(@)offered//\\\\/\\\\\\\\}")
      offered=("\${(@)offered//:/\\\\:}")
      offered=("\${(@)offered/$'\\t'/:}")
      _describe pdi offered ;;
  esac
}
# Autoloaded as a function of that name, or sourced.
if [[ $funcstack[1] == _pdi ]]; then _pdi "$@"; else compdef _pdi pdi; fi
`;

const fish = `# fish completion for pdi, which is asked itself
function __pdi
    set -l word (commandline -ct)
    set -l lines (command pdi completion words -- (commandline -opc)[2..-1] ".$word" 2>/dev/null)
    if test "$lines[1]" = files
        set -l flag (string match -r '^--[^=]*=' -- $word)
        for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $word))
            echo "$flag$path"
        end
    else
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c pdi -f -a '(__pdi)'
`;

const powershell = `# PowerShell completion for pdi, which is asked itself
Register-ArgumentCompleter -Native -CommandName pdi -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -ne '') { $typed = @($typed | Select-Object -SkipLast 1) }
  $kind, $lines = & pdi completion words -- @typed ".$word" 2>$null
  # Without an answer of its own, PowerShell completes paths.
  if ($kind -eq 'files') { return }
  foreach ($line in $lines) {
    $name, $description = $line -split "\`t", 2
    $shown = if ($kind -eq 'names' -and $name -match '[^\\w.,-]') { "'" + $name.Replace("'", "''") + "'" } else { $name }
    [System.Management.Automation.CompletionResult]::new($shown, $name, 'ParameterValue', $(if ($description) { $description } else { $name }))
  }
}
`;

export const completionScripts = { bash, zsh, fish, powershell };

export type Shell = keyof typeof completionScripts;

const isShell = (word: string): word is Shell => Object.hasOwn(completionScripts, word);

/** Undefined where the shell has none. */
export const scriptFor = (shell: string): string | undefined => (isShell(shell) ? completionScripts[shell] : undefined);
