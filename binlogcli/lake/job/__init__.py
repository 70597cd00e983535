"""A conversion from its sources to published epochs: tasks, their results, the run."""
