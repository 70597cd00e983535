"""Transactions, one a line."""
