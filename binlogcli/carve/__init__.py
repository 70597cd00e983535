"""Finds events of binary logs in any file: disk images, memory dumps, files that were overwritten in part."""
