"""The report of `stats` as tables, JSON, CSV, TSV, Markdown or a web page."""
