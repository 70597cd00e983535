"""The program for `spark-submit`, which takes a file and not a command: the arguments are those of `binlogcli`."""

from binlogcli.__main__ import main

if __name__ == "__main__":
    main()
