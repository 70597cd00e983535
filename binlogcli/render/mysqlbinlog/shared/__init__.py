"""What the texts of both families share: the events, their order in a statement, the session, LOAD DATA files."""
