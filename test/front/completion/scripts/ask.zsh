# Prints what an interactive zsh offers for a line, one candidate a line. $1: the folder of _pdi, $2: a folder to write to, $3: the line.
zmodload zsh/zpty
zpty shell zsh -f -i
setup="PROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -d ${(q)2}/dump; LISTMAX=10000; typed=${(q)3}"'
compadd() {
  builtin compadd "$@"
  local result=$? candidate
  if [[ " $* " != *" -"[OAD]" "* ]]; then
    local -a offered
    builtin compadd -A offered "$@"
    for candidate in $offered; do print -r -- "CANDIDATE:$IPREFIX$candidate"; done
  fi
  return result
}
# One key does it all: text that is typed ahead of the editor would not be completed.
complete-typed() { BUFFER=$typed; CURSOR=$#BUFFER; zle expand-or-complete; print DO""NE }
zle -N complete-typed
bindkey "^T" complete-typed
zle-line-init() { print REA""DY }
zle -N zle-line-init'
zpty -w shell "$setup"
# Reading blocks until there is a line: nothing here waits for luck.
while zpty -r shell line; do [[ $line == *READY* ]] && break; done
zpty -w -n shell $'\C-t'
while zpty -r shell line; do
  [[ $line == *CANDIDATE:* ]] && print -r -- ${${line##*CANDIDATE:}%%$'\r'*}
  [[ $line == *DONE* ]] && break
done
zpty -d shell
