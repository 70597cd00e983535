"""The report of `stats` as one web page, which needs no network, no library and no other file."""
