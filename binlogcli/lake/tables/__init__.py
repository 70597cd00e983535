"""The types of tables in Arrow and Parquet, and the Parquet files."""
