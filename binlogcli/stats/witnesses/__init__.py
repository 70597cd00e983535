"""Files that a server keeps beside its logs: what it replicates from, how far, and which GTIDs it has."""
