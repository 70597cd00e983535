"""Columns of a batch beside those of its table: where rows come from, their transactions, outcomes and keys."""
