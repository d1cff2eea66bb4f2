# bash completion for pdi, which is asked itself
_pdi() {
  local word="${COMP_WORDS[COMP_CWORD]}" lines
  mapfile -t lines < <(command pdi completion words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" ".$word" 2>/dev/null)
  COMPREPLY=("${lines[@]:1}")
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  case "${lines[0]}" in
    files)
      compopt -o filenames -o default
      if [[ $word == '=' ]]; then word=''; fi
      mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    names)
      # bash would leave $ and ` as they are, because such a name is no file
      if [[ $word == [\"\']* ]]; then compopt -o filenames
      elif ((${#COMPREPLY[@]})); then mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}"); fi ;;
    open) compopt -o nospace ;;
  esac
}
complete -F _pdi pdi
