"""Raw events to events: one class per event type, and the stream that an opened log is."""
