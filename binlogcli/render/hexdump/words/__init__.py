"""What a field's value means, in words."""
