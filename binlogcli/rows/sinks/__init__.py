"""What becomes of the values of a row: Python objects, or columns in Arrow's layout."""
