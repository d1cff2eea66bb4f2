# fish completion for pdi, which is asked itself
function __pdi
    set -l word (commandline -ct)
    set -l lines (command pdi completion words .(string escape -- (commandline -opc)[2..-1]) ".$word" 2>/dev/null)
    if test "$lines[1]" = files
        complete -C "__fish_command_without_completions $word"
    else
        printf '%s\n' $lines[2..-1]
    end
end
complete -c pdi -f -a '(__pdi)'
