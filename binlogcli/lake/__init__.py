"""Events as tables: Arrow batches, Parquet files, and the job that makes them on Spark.

A room imports from those before it alone: errors, tables (types, Parquet), model (what the rooms hand to one another),
store (the output directory), decode (a split to Arrow), plan (what is new, in which splits), job (a run), spark (the
one room that imports PySpark), pyspark_binlog (the name by which Spark finds the data source).
"""
