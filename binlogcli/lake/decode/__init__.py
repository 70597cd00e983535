"""A split of a log decoded into Arrow batches."""
