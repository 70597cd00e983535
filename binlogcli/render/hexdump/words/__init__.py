"""Names, values and meanings of fields as text."""
