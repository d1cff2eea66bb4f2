# bash completion for pdi, which is asked itself
_pdi() {
  # The bash of macOS (3.2) has neither mapfile nor compopt: it completes files itself, and a blank follows all else.
  local word="${COMP_WORDS[COMP_CWORD]}" kind='' name before
  before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  while IFS=$'\t' read -r name _; do
    if [[ $kind == '' ]]; then kind=$name; else COMPREPLY+=("$name"); fi
  done < <(command pdi completion words "${before[@]/#/.}" ".$word" 2>/dev/null)
  case $kind in
    files)
      compopt -o filenames -o default 2>/dev/null || return
      if [[ $word == '=' ]]; then word=''; fi
      while IFS='' read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word") ;;
    names)
      # bash would leave $ and ` as they are, because such a name is no file
      if [[ $word == [\"\']* ]]; then compopt -o filenames 2>/dev/null
      elif ((${#COMPREPLY[@]})); then
        before=("${COMPREPLY[@]}") COMPREPLY=()
        for name in "${before[@]}"; do COMPREPLY+=("$(printf '%q' "$name")"); done
      fi ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
}
if type compopt >/dev/null 2>&1; then complete -F _pdi pdi; else complete -o default -F _pdi pdi; fi
