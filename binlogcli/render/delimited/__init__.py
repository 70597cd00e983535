"""The rows of one table as CSV or TSV."""
