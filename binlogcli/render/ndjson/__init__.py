"""Events as JSON, one object per line."""
