"""Chooses the events that a command shows: by position, time, names, GTID, type and values."""
