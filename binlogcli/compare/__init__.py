"""Two histories compared: which transactions both have, which only one has, and what differs between them."""
