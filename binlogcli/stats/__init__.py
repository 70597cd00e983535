"""Counts what is in logs: collectors for one log, and the report that joins their figures of many logs."""
