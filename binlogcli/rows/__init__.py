"""Row images: table definitions, plans, and one reader per column type."""
