# Prints what bash offers for the words given, one candidate a line. $1: the script; $2: `old` for a bash without mapfile and compopt, whose
# complaints are candidates too; then the words, the last one being typed.
old=$2
if [[ $old ]]; then enable -n mapfile compopt; fi
source "$1"
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
# Outside of a real completion compopt has nothing to work on.
if [[ $old ]]; then exec 2>&1; else compopt() { :; }; fi
_pdi
printf '%s\n' "${COMPREPLY[@]}"
