"""The output directory: epochs, commit records, names of directories, fsync."""
