"""Events as tables: Arrow batches, Parquet files, and the job that makes them on Spark."""
