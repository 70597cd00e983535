"""How a field is drawn: columns of the screen, colours, lines."""
