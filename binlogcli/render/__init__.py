"""Events to text."""
