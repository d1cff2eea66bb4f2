# Prints what bash offers for the words given, one candidate a line. $1: the script; then the words, the last one being typed.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
# Outside of a real completion compopt has nothing to work on.
compopt() { :; }
_pdi
printf '%s\n' "${COMPREPLY[@]}"
