"""The sections of the report: what each counts in a log, and how its figures of several logs are joined."""
