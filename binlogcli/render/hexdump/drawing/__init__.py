"""How a field is drawn: the columns of the screen, colours, lines."""
