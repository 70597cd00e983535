# Completion of binlogcli for fish: the program itself knows its commands and options.
_BINLOGCLI_COMPLETE=fish_source binlogcli | source
