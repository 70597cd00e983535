"""Which events a command is about."""
