"""The record of a run: what was read and written, with checksums; written by `--manifest`, read by `verify`."""
