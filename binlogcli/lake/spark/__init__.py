"""The one place where Spark is known: its JVM, the runner of tasks, the data source."""
