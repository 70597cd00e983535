# Completion of binlogcli for fish: the program itself knows its commands, options and values.
function __binlogcli_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l all (commandline -op)
    set -l next (math (count $before) + 2)
    set -l after $all[$next..-1]
    set -l prefix (string match --regex -- '^--[^=]+=' $word)
    for line in (_BINLOGCLI_COMPLETE=fish_complete binlogcli (math (count $before) - 1) $before[2..-1] "$word" $after 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case plain
                printf '%s%s\t%s\n' "$prefix" $parts[2] $parts[3]
            case dir
                printf "$prefix%s\n" (__fish_complete_directories (string replace -- "$prefix" '' $word) '')
            case file
                printf "$prefix%s\n" (__fish_complete_path (string replace -- "$prefix" '' $word))
        end
    end
end
complete --no-files --command binlogcli --arguments '(__binlogcli_complete)'
