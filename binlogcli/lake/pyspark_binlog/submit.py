"""The program to give to `spark-submit`, which takes a file and no command. Its arguments are those of `binlogcli`."""

from binlogcli.__main__ import main

if __name__ == "__main__":
    main()
