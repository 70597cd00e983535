"""What `compare` found, as text."""
