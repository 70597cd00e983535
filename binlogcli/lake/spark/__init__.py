"""The one place where Spark is known: its JVM, the job, the data source."""
