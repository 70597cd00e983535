"""Numbers and their names, as the servers' sources have them."""
