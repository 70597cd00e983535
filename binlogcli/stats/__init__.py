"""What is in a log, counted: collectors that see every event, and the report that joins what they saw of many logs."""
