"""What is new in the logs, and where they are cut into splits."""
