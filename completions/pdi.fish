# fish completion for pdi, which is asked itself
function __pdi
    set -l word (commandline -ct)
    set -l lines (command pdi completion words -- (commandline -opc)[2..-1] ".$word" 2>/dev/null)
    if test "$lines[1]" = files
        set -l flag (string match -r '^--[^=]*=' -- $word)
        for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $word))
            echo "$flag$path"
        end
    else
        printf '%s\n' $lines[2..-1]
    end
end
complete -c pdi -f -a '(__pdi)'
