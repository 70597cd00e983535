"""What becomes of the values of a row: Python objects, or columns laid out as Arrow has them."""
