"""The parts of a value by name, for the annotated hexdump alone."""
