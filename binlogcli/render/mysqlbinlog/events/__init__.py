"""The text of events other than rows."""
