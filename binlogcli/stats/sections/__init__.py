"""The sections of the report: what each counts in a log, and how several logs are joined."""
