"""Events as text, in the formats of the commands; what they share is in this folder, each format in its own."""
