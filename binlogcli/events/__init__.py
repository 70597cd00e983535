"""Raw events decoded: a class for each event type, and the stream of events that a log is read as."""
